/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PG_LOG_H
#define PG_LOG_H

#include <rte_log.h>

/** Name the log type of one .c file, `pg.<topic>`; EAL's `--log-level` sets it at run time.
 *  Workers never log. */
#define PG_LOG_TYPE(topic) RTE_LOG_REGISTER(pg_log_type, pg.topic, NOTICE)

#define PG_LOG(level, fmt, ...) \
	rte_log(RTE_LOG_##level, pg_log_type, "pmdgen: " fmt "\n", ##__VA_ARGS__)

#endif

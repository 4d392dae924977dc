/* SPDX-License-Identifier: BSD-3-Clause */
/* EAL for a test: ordinary memory, one lcore on a CPU that this process may use, no devices, and a
 * file prefix of its own, so that tests run beside one another. */
#ifndef SUPPORT_EAL_H
#define SUPPORT_EAL_H

/** A cmocka group setup; EAL stays up until support_eal_stop(). */
int support_eal_start(void **state);
/** The same with lcores 0 and 1, both on that CPU. */
int support_eal_start_two(void **state);
int support_eal_stop(void **state);

#endif

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A device on each thread, as pktgen's sample 02.
. "$(dirname "$0")/common.sh"
COUNT=${COUNT:-100000}
configure() {
	prepare "$1"
	random_source_ports "$1"
}
each_thread configure
go Done

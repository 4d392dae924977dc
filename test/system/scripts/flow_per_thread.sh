#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A source address for each thread, as pktgen's sample 05.
. "$(dirname "$0")/common.sh"
COUNT=${COUNT:-0} BURST=${BURST:-32}
configure() {
	prepare "$1"
	device "$1" "src_min 198.18.$(($2 + 1)).1"
	device "$1" "src_max 198.18.$(($2 + 1)).1"
	if [[ $BURST -ne 0 ]]; then device "$1" "burst $BURST"; fi
}
each_thread configure
go ""

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One flow in bursts until it is stopped, as pktgen's sample 03.
. "$(dirname "$0")/common.sh"
COUNT=${COUNT:-0} BURST=${BURST:-32}
configure() {
	prepare "$1"
	if [[ $BURST -ne 0 ]]; then device "$1" "burst $BURST"; fi
}
each_thread configure
go ""

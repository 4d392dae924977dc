#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Through the queue, as pktgen's bench script of queue_xmit.
BENCH=yes
. "$(dirname "$0")/common.sh"
COUNT=${COUNT:-10000000}
[[ -z $BURST ]] || complain 1 "no bursts into a queue"
configure() {
	prepare "$1"
	device "$1" "xmit_mode queue_xmit"
}
each_thread configure
go Done

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Many flows until it is stopped, as pktgen's sample 04.
. "$(dirname "$0")/common.sh"
COUNT=${COUNT:-0}
[[ -z $BURST ]] || complain 1 "no bursts of many flows"
configure() {
	prepare "$1"
	device "$1" "flag IPSRC_RND"
	device "$1" "src_min 198.18.0.0"
	device "$1" "src_max 198.19.255.255"
	device "$1" "flows ${FLOWS:-8000}"
	device "$1" "flowlen ${FLOWLEN:-10}"
	device "$1" "flag FLOW_SEQ"
}
each_thread configure
go ""

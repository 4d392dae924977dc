#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Into the receive path, as pktgen's bench script of netif_receive.
BENCH=yes
. "$(dirname "$0")/common.sh"
COUNT=${COUNT:-10000000} BURST=${BURST:-1024}
configure() {
	prepare "$1"
	device "$1" "xmit_mode netif_receive"
	device "$1" "burst $BURST"
}
each_thread configure
go Done

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One device on thread 0, as pktgen's sample 01.
. "$(dirname "$0")/common.sh"
COUNT=${COUNT:-100000}
if [[ -z $APPEND ]]; then control reset; fi
add 0 "$DEV"
prepare "$DEV"
random_source_ports "$DEV"
trap true SIGINT
echo "Running" >&2
control start
echo "Done"
cat "/proc/net/pktgen/$DEV"

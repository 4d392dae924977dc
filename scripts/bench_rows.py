# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/bench measures: the cases, and the rows that compare two of them."""

import collections

FRAME_BYTES = 60
LINUX_CYCLES = 86               # 43 Mpps at 3.7 GHz, one packet reused

FIXED = ["flag NO_TIMESTAMP", "dst 198.18.0.1", "dst_mac 90:e2:ba:ff:ff:ff"]
ADDRESSES = ["src_min 198.18.0.1", "src_max 198.18.255.254",
             "dst_min 198.19.0.1", "dst_max 198.19.255.254"]
PORTS = ["udp_src_min 1024", "udp_src_max 65535",
         "udp_dst_min 1024", "udp_dst_max 65535"]
FIELDS = ["flag NO_TIMESTAMP", "flag UDPCSUM", "flag IPDST_RND",
          "dst_mac 90:e2:ba:ff:ff:ff"] + ADDRESSES + PORTS
CLONE = FIXED + ["clone_skb 1000"]
INJECT = ["xmit_mode netif_receive", "flag NO_TIMESTAMP", "dst 198.18.0.1"]

# compare: "cycles" ratio of cycles, at most the limit; "rate" ratio of rates,
# at least the limit (None: for information); "absolute" cycles, at most;
# "added" the difference of cycles.
Row = collections.namedtuple("Row", "title against product base compare limit")
ROWS = [
    Row("fixed", "bare loop, nothing written", "fixed", "nowrite", "cycles", 1.15),
    Row("fixed", "bare loop, 4 bytes written", "fixed", "write4", "cycles", 1.10),
    Row("fields", "bare loop, nothing written", "fields", "nowrite", "cycles", 1.35),
    Row("fields", "testpmd flowgen, by rate", "fields", "flowgen", "rate", 1.4),
    Row("fixed", "testpmd txonly, by rate", "fixed", "txonly", "rate", None),
    Row("clone_skb 1000", "bare loop, refcount only", "clone", "bareclone", "cycles", 1.15),
    Row("inject, burst 32", "Linux, published", "inject32", None, "absolute", 40),
    Row("inject, burst 64", "Linux, published", "inject64", None, "absolute", 40),
]

# Case, title, what is set beside FIXED.
FLOWS = ["dst_min 198.19.0.1", "dst_max 198.19.255.254", "flows 1000", "flowlen 8"]
KINDS = [
    ("port", "linear port", PORTS[:2]),
    ("port-rnd2", "random port of 4096",
     ["flag UDPSRC_RND", "udp_src_min 4096", "udp_src_max 8191"]),
    ("port-rnd", "random port of 5000",
     ["flag UDPSRC_RND", "udp_src_min 1000", "udp_src_max 5999"]),
    ("src-dst", "linear source and destination", ADDRESSES),
    ("dst-rnd", "random destination", ADDRESSES[2:] + ["flag IPDST_RND"]),
    ("dst-rnd-all", "random destination, reserved ranges skipped",
     ["flag IPDST_RND", "dst_min 1.0.0.0", "dst_max 255.255.255.255"]),
    ("mac", "linear source and destination MAC", ["src_mac_count 1000", "dst_mac_count 1000"]),
    ("vlan", "VLAN tag", ["vlan_id 100"]),
    ("vlan-rnd", "VLAN tag, random id", ["vlan_id 100", "flag VID_RND"]),
    ("qinq", "two VLAN tags", ["vlan_id 100", "svlan_id 200"]),
    ("mpls", "MPLS label", ["mpls 0001000a"]),
    ("mpls-rnd", "MPLS label, random", ["mpls 0001010a"]),
    ("mpls16", "16 MPLS labels", ["mpls " + ",".join(["0001000a"] * 16)]),
    ("size", "linear size, 60 to 1514", ["min_pkt_size 60", "max_pkt_size 1514"]),
    ("size-rnd", "random size, 60 to 1514",
     ["min_pkt_size 60", "max_pkt_size 1514", "flag TXSIZE_RND"]),
    ("imix", "IMIX of 60, 590 and 1514", ["imix_weights 60,7 590,4 1514,1"]),
    ("flows", "1000 flows in sequence", FLOWS + ["flag FLOW_SEQ"]),
    ("flows-rnd", "1000 flows at random", FLOWS),
    ("stamps", "time stamps", ["flag !NO_TIMESTAMP"]),
    ("ip6", "IPv6", ["src6 fd00::1", "dst6 fd00::2"]),
    ("ip6-rnd", "IPv6, random destination",
     ["src6 fd00::1", "dst6 fd00::2", "dst6_min fd00::1:0:0", "dst6_max fd00::1:ffff:ffff"]),
    ("csum", "UDPCSUM", ["flag UDPCSUM"]),
    ("vary", "both addresses and ports, linear", ADDRESSES + PORTS),
    ("vary-csum", "the same with UDPCSUM", ADDRESSES + PORTS + ["flag UDPCSUM"]),
]
KIND = {case: more for case, _, more in KINDS}
BASES = {"vary-csum": ("vary", "the row before")}

# What each kind of field costs; the last row is what asking a device for the
# checksum would cost, beside "csum" and "vary-csum", which do without one.
FIELD_ROWS = [Row(title, BASES.get(case, (0, "fixed"))[1], case,
                  BASES.get(case, ("fixed",))[0], "added", None) for case, title, _ in KINDS]
FIELD_ROWS.append(Row("request for a device's checksum", "bare loop, 4 bytes written",
                      "offload", "write4", "added", None))

CASES = {
    "nowrite": lambda b: b.bare("nowrite"),
    "write4": lambda b: b.bare("write4"),
    "offload": lambda b: b.bare("offload"),
    "bareclone": lambda b: b.bare("clone"),
    "flowgen": lambda b: b.testpmd("flowgen"),
    "txonly": lambda b: b.testpmd("txonly"),
    "fixed": lambda b: b.product(FIXED),
    "fields": lambda b: b.product(FIELDS),
    "clone": lambda b: b.product(CLONE),
    "inject32": lambda b: b.inject(32),
    "inject64": lambda b: b.inject(64),
}
CASES.update((case, lambda b, more=more: b.product(FIXED + more)) for case, _, more in KINDS)

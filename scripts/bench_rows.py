# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/bench measures: the cases, and the rows that compare two of them."""

import collections

FRAME_BYTES = 60
BURST = 32
LINUX_CYCLES = 86               # 43 Mpps at 3.7 GHz, one packet reused
XDP_CYCLES = 181                # 20.4 Mpps at 3.7 GHz: counts by protocol and drops, in a driver

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
# at least the limit (None: for information); "absolute" cycles, at most, beside the base, which is
# a number of cycles then; "added" the difference of cycles, at most; "beyond" what the product takes
# more than the first of two bases, as a ratio to the second; "scaling" N times the rate of one, over
# the base's.
Row = collections.namedtuple("Row", "title against product base compare limit")
ROWS = [
    Row("fixed", "bare loop, nothing written", "fixed", "nowrite", "cycles", 1.15),
    Row("fixed", "bare loop, 4 bytes written", "fixed", "write4", "cycles", 1.10),
    Row("fields", "bare loop, nothing written", "fields", "nowrite", "cycles", 1.35),
    Row("fields", "testpmd flowgen, by rate", "fields", "flowgen", "rate", 1.4),
    Row("fixed", "testpmd txonly, by rate", "fixed", "txonly", "rate", None),
    Row("clone_skb 1000", "bare loop, refcount only", "clone", "bareclone", "cycles", 1.15),
    Row("verify sampled 1024", "fixed, without", "verify1024", "fixed", "added", 2),
    Row("fields, sampled 1024", "fields, without", "fields-verify1024", "fields", "added", 2),
    Row("inject, burst 32", "Linux, published", "inject32", LINUX_CYCLES, "absolute", 40),
    Row("inject, burst 64", "Linux, published", "inject64", LINUX_CYCLES, "absolute", 40),
]

# Case, title, what is set beside FIXED.
FLOWS = ["dst_min 198.19.0.1", "dst_max 198.19.255.254", "flows 1000", "flowlen 8"]
KINDS = [
    ("port", "linear port", PORTS[:2]),
    ("port-rnd2", "random port of 4096",
     ["flag UDPSRC_RND", "udp_src_min 4096", "udp_src_max 8191"]),
    ("port-rnd", "random port of 5000",
     ["flag UDPSRC_RND", "udp_src_min 1000", "udp_src_max 5999"]),
    ("src", "linear source", ADDRESSES[:2]),
    ("src-rnd", "random source", ADDRESSES[:2] + ["flag IPSRC_RND"]),
    ("src-dst", "linear source and destination", ADDRESSES),
    ("dst-rnd", "random destination", ADDRESSES[2:] + ["flag IPDST_RND"]),
    ("dst-rnd-all", "random destination, reserved ranges skipped",
     ["flag IPDST_RND", "dst_min 1.0.0.0", "dst_max 255.255.255.255"]),
    ("mac", "linear source and destination MAC", ["src_mac_count 1000", "dst_mac_count 1000"]),
    ("mac-rnd", "random source and destination MAC",
     ["src_mac_count 1000", "dst_mac_count 1000", "flag MACSRC_RND", "flag MACDST_RND"]),
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

# A point is one row of the table by settings, burst and size. `parts` are the kinds that it is
# made of: what they cost one by one is what it may cost together; None: it is no sum of parts.
Point = collections.namedtuple("Point", "case title settings parts burst frame")


def point(case, title, settings, parts, burst=BURST, frame=FRAME_BYTES):
    return Point(case, title, settings, parts, burst, frame)


ALL_PARTS = ("src", "dst-rnd", "port", "port", "csum")
RANDOM = (KIND["src-rnd"] + KIND["dst-rnd"] + PORTS + KIND["mac-rnd"] +
          ["flag UDPSRC_RND", "flag UDPDST_RND"])
RANDOM_PARTS = ("src-rnd", "dst-rnd", "port-rnd", "port-rnd", "mac-rnd")
IP6_FIELDS = KIND["ip6-rnd"] + PORTS + ["flag UDPCSUM"]


def flows(n, flowlen=8):
    return FLOWS[:2] + ["flows %d" % n, "flowlen %d" % flowlen]


# flows ends at 65 536. 1 M distinct 5-tuples come from two ranges without a common divisor, 1024
# sources and 1025 ports, or from flows whose every block of 65 536 packets has new ones.
MILLION = ["src_min 198.18.0.0", "src_max 198.18.3.255", "udp_src_min 1024", "udp_src_max 2048"]
MILLION_FLOWS = ADDRESSES + PORTS + ["flows 65536", "flowlen 1"]

POINTS = [
    point("fixed", "fixed", [], ()),
    point("port", "one field: a port", KIND["port"], ("port",)),
    point("fields", "all fields, one random, UDPCSUM", FIELDS, ALL_PARTS),
    point("random", "all random", RANDOM, RANDOM_PARTS),
    point("csum", "UDPCSUM", KIND["csum"], ("csum",)),
    point("ip6", "IPv6", KIND["ip6"], ("ip6",)),
    point("qinq", "two VLAN tags", KIND["qinq"], ("qinq",)),
    point("mpls", "MPLS label", KIND["mpls"], ("mpls",)),
    point("imix", "IMIX", KIND["imix"], ("imix",)),
]
POINTS += [point("fixed-%db" % n, "fixed", [], (), frame=n) for n in (128, 512, 1514)]
POINTS += [point("fields-%db" % n, "all fields", FIELDS, ALL_PARTS, frame=n)
           for n in (128, 512, 1514)]
POINTS += [point("clone%d" % n, "clone_skb %d" % n, ["clone_skb %d" % n], None)
           for n in (8, 100, 1000)]
POINTS += [point("fixed-burst%d" % n, "fixed", [], (), n) for n in (1, 2, 4, 8, 16, 64, 128, 256, 512)]
POINTS += [point("fields-burst%d" % n, "all fields", FIELDS, ALL_PARTS, n)
           for n in (1, 8, 64, 128, 256, 512)]
POINTS += [point("random-burst%d" % n, "all random", RANDOM, RANDOM_PARTS, n) for n in (8, 512)]
POINTS += [point("flows%d" % n, "%d flows at random" % n, flows(n), None)
           for n in (1, 10, 100, 1000, 10000, 65536)]
POINTS += [
    point("tuples1m", "1 M 5-tuples in order, 1024 x 1025", MILLION, ("src", "port")),
    point("flows1m", "1 M flows, 16 blocks of 65536", MILLION_FLOWS, None),
    point("ip6-fields", "IPv6, random, ports, UDPCSUM", IP6_FIELDS,
          ("ip6-rnd", "port", "port", "csum")),
    point("qinq-random", "two VLAN tags, all random", KIND["qinq"] + RANDOM,
          ("qinq",) + RANDOM_PARTS),
    point("mpls16-fields", "16 MPLS labels, all fields", KIND["mpls16"] + FIELDS,
          ("mpls16",) + ALL_PARTS),
    point("imix-fields", "IMIX, all fields", KIND["imix"] + FIELDS, ("imix",) + ALL_PARTS),
    point("imix-random", "IMIX, all random", KIND["imix"] + RANDOM, ("imix",) + RANDOM_PARTS),
    point("stamps-random", "time stamps, all random", KIND["stamps"] + RANDOM,
          ("stamps",) + RANDOM_PARTS),
    point("flows-csum", "1000 flows, ports, UDPCSUM", flows(1000) + PORTS + ["flag UDPCSUM"],
          ("flows-rnd", "port", "port", "csum")),
]
NO_CLIFF = 1.2                  # times the sum of the parts, at most
CLIFF_BURSTS = range(8, 513)    # where that is promised


def base_case(mode, burst=BURST, frame=FRAME_BYTES):
    """What a point is measured against: the same burst and size."""
    return mode if (burst, frame) == (BURST, FRAME_BYTES) else "%s/%d/%d" % (mode, burst, frame)


AGAINST = [("nowrite", "bare loop, nothing written", "cycles"),
           ("txonly", "testpmd txonly, by rate", "rate"),
           ("flowgen", "testpmd flowgen, by rate", "rate")]
POINT_ROWS = [Row(p.title, against, p.case, base_case(mode, p.burst, p.frame), compare, None)
              for p in POINTS for mode, against, compare in AGAINST]


def lcore_rows(most):
    """One lcore, and 2, 4, ... of them: each against the bare loop on as many."""
    counts = [2 ** k for k in range(1, 10) if 2 ** k <= most]
    return [Row("%s, %d lcores" % (title, n), "the bare loop's own scaling",
                "%s*%d" % (case, n), "nowrite*%d" % n, "scaling", 0.95)
            for n in counts for case, title in (("fixed", "fixed"), ("fields", "all fields"))]


# Devices that share a lcore, each with a destination of its own: without a rate, against one
# device; each with its part of a rate that no core sends; each with its part of one that a core
# has time for, so that packets go one by one, against one device with that rate.
DEVICES = ((1, 1.1), (10, 1.2), (1000, 1.5), (100000, 2))
DEVICES_RATED = {100000: 4}
DEVICE_PACKETS = 4000000        # of all together in a run, and at least 64 each
TOO_FAST_PPS = 200000000
CALM_PPS = 5000000
DEVICE = ["flag NO_TIMESTAMP", "dst {dst}", "dst_mac 90:e2:ba:ff:ff:ff"]
DEVICE_ROWS = [row for n, limit in DEVICES for row in (
    Row("%d" % n, "one device", "devices%d" % n, "fixed", "cycles", limit),
    Row("%d, a rate each" % n, "one device without", "rated%d" % n, "fixed", "cycles",
        DEVICES_RATED.get(n)),
    Row("%d, a low rate each" % n, "one device with their sum", "calm%d" % n, "calm1", "cycles",
        None))]
DEFINED = (1000, 100000)        # how long their definition takes, and how much memory
DEFINED_TIMES = 120             # the second may take so many times as long as the first


# What a rate costs: where packets are always late, so that every call is full, and where each burst
# waits for its time. Only the busy cycles of the latter count.
BEHIND = FIXED + ["ratep 1G", "tolerance 100%"]
ON_TIME = FIXED + ["ratep 10M", "tolerance 100%", "pacing burst"]
PACING_ROWS = [
    Row("paced, always late", "no rate", "paced", "fixed", "added", 6),
    Row("noted, always late", "paced, always late", "noted", "paced", "added", 5),
    Row("paced, bursts on time", "no rate", "paced-bursts", "fixed", "added", 6),
    Row("noted, bursts on time", "paced, bursts on time", "noted-bursts", "paced-bursts",
        "added", 5),
]

# A receive pipeline: packets that are all different, in fresh buffers, bursts of 64.
INGRESS_BURST = 64
ROUTES = 100000
FIB_BURST = 256                 # each burst begins and ends with misses that nothing overlaps
FIB_PACKETS = 1 << 20           # of a run, at most: the lookup alone has the same addresses
EVERYWHERE = KIND["dst-rnd-all"]
INGRESS_CASES = {
    "in-null": ["rx_graph null"],
    "in-xdp": ["rx_graph drop"],
    "in-drop": ["rx_graph eth,ip4,drop"],
    "in-host": ["rx_graph host"],
}
INGRESS_ROWS = [
    Row("null", "a budget alone", "in-null", None, "absolute", 25),
    Row("xdp: count and drop", "XDP, published", "in-xdp", XDP_CYCLES, "absolute", 30),
    Row("eth,ip4,drop", "Linux, published", "in-drop", LINUX_CYCLES, "absolute", 40),
    Row("fib beyond eth,ip4,drop", "rte_fib_lookup_bulk", "in-fib", "in-everywhere+lookup",
        "beyond", 1.3),
    Row("bpf,null: an empty program", "null", "in-bpf", "in-null", "added", 15),
    Row("xdp: count and drop", "null", "in-xdp", "in-null", "cycles", None),
    Row("eth,ip4,drop", "null", "in-drop", "in-null", "cycles", None),
    Row("host", "null", "in-host", "in-null", "cycles", None),
]

# Lets all packets pass, as XDP's verdicts have it.
EMPTY_PROGRAM = """\
__attribute__((section("xdp"), used)) int pass(const void *frame)
{
\treturn 2;
}
"""

CASES = {
    "in-bpf": lambda b: b.inject(INGRESS_BURST, ["rx_graph bpf,null", "rx_bpf " + b.program()]),
    "in-everywhere": lambda b: b.everywhere("eth,ip4,drop"),
    "in-fib": lambda b: b.everywhere("eth,ip4,fib,drop"),
    "lookup": lambda b: b.lookup(),
    "paced": lambda b: b.product(BEHIND + ["gaps off"], late=True),
    "noted": lambda b: b.product(BEHIND + ["gaps on"], late=True),
    "paced-bursts": lambda b: b.busy(ON_TIME + ["gaps off"]),
    "noted-bursts": lambda b: b.busy(ON_TIME + ["gaps on"]),
    "offload": lambda b: b.bare("offload"),
    "bareclone": lambda b: b.bare("clone"),
    "write4": lambda b: b.bare("write4"),
    "clone": lambda b: b.product(CLONE),
    "verify1024": lambda b: b.product(FIXED + ["verify sampled 1024"]),
    "fields-verify1024": lambda b: b.product(FIXED + FIELDS + ["verify sampled 1024"]),
    "inject32": lambda b: b.inject(32),
    "inject64": lambda b: b.inject(64),
}
CASES.update((case, lambda b, more=more: b.product(FIXED + more)) for case, _, more in KINDS)
CASES.update((case, lambda b, more=more: b.inject(INGRESS_BURST, more))
             for case, more in INGRESS_CASES.items())


# N devices on one lcore are b.product(..., lanes=(1,) * N): a lane is the lcore of a device.
def add_points():
    for p in POINTS:
        CASES[p.case] = lambda b, p=p: b.product(FIXED + p.settings, burst=p.burst, frame=p.frame)
        at = (p.burst, p.frame)
        CASES[base_case("nowrite", *at)] = lambda b, at=at: b.bare("nowrite", *at)
        for mode in ("txonly", "flowgen"):
            CASES[base_case(mode, *at)] = lambda b, mode=mode, at=at: b.testpmd(mode, *at)


def add_devices():
    for n, _ in DEVICES:
        each, runs = max(64, DEVICE_PACKETS // n), 10 if n <= 1000 else 2
        how = {"lanes": (1,) * n, "count": each, "runs": runs}
        CASES["devices%d" % n] = lambda b, how=how: b.product(DEVICE, **how)
        CASES["rated%d" % n] = lambda b, n=n, how=how: b.product(
            DEVICE + ["ratep %d" % (TOO_FAST_PPS // n)], late=True, **how)
        # A tenth of a second at least, and ten packets of each device.
        calm = dict(how, count=max(10, CALM_PPS // 10 // n))
        CASES["calm%d" % n] = lambda b, n=n, how=calm: b.busy(
            DEVICE + ["ratep %d" % (CALM_PPS // n)], **how)


def add_lcores():
    for n in [2 ** k for k in range(10)]:
        CASES["nowrite*%d" % n] = lambda b, n=n: b.bare("nowrite", lcores=n)
        for case, more in (("fixed", []), ("fields", FIELDS)):
            CASES["%s*%d" % (case, n)] = (
                lambda b, more=more, n=n: b.product(FIXED + more, lanes=range(1, n + 1)))


add_points()
add_lcores()
add_devices()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packets of every combination of headers, and what another reader must see in them.

usage: tshark.py commands        print a command file: one device each combination
       tshark.py fields          print the names of the fields that are compared
       tshark.py check < LINES   compare: a line for each packet, tabs between fields

IPv4 and IPv6; no tag, one, two, or 1 to 16 MPLS labels; with and without
UDPCSUM; all sizes without tags and labels, some sizes with them. What is
expected is computed from the settings alone.
"""

import ipaddress
import random
import sys

ETHERNET, UDP, PKTGEN = 14, 8, 16
IP = {4: 20, 6: 40}
MAGIC = 0xbe9be955
TTL = 32
GOOD, ABSENT = 1, 3         # tshark's verdicts on a checksum
EXPERT_ERROR = 0x00800000   # tshark's PI_ERROR
LARGEST = 1518
JUMBO = (1519, 2000, 4096, 9000, 9014, 9216)

# Compared as numbers, lists with commas between. In hex or not, tshark knows best.
NUMBERS = (
    "frame.len", "vlan.id", "vlan.priority", "vlan.dei", "mpls.label", "mpls.exp", "mpls.bottom",
    "mpls.ttl", "ip.version", "ip.hdr_len", "ip.dsfield", "ip.len", "ip.id", "ip.frag_offset",
    "ip.ttl", "ip.proto", "ip.checksum.status", "ipv6.version", "ipv6.tclass", "ipv6.flow",
    "ipv6.plen", "ipv6.nxt", "ipv6.hlim", "udp.srcport", "udp.dstport", "udp.length",
    "udp.checksum.status", "pktgen.magic", "pktgen.seqnum", "pktgen.tvsec", "pktgen.tvusec",
    "data.len",
)
ADDRESSES = ("ip.src", "ip.dst", "ipv6.src", "ipv6.dst")
TEXTS = ("eth.dst", "eth.src", "eth.type", "frame.time_epoch", "frame.protocols")
# Compared by rules of their own.
OTHERS = ("udp.checksum", "_ws.malformed", "_ws.expert.severity")
FIELDS = NUMBERS + ADDRESSES + TEXTS + OTHERS


def mac_text(number):
    return ":".join("%02x" % byte for byte in number.to_bytes(6, "big"))


class Device:
    """The settings of one device; its packets are told by their destination MAC address."""

    def __init__(self, number, version, tags, labels, checksum, sizes, count):
        draw = random.Random(number)
        self.number, self.version, self.checksum = number, version, checksum
        self.sizes, self.count = sizes, count
        self.tags = [(draw.randrange(4096), draw.randrange(8), draw.randrange(2))
                     for _ in range(tags)]
        # Labels from 16 on: those below have meanings of their own (RFC 3032).
        self.labels = [(draw.choice((16, 0xfffff, draw.randrange(16, 1 << 20))),
                        draw.randrange(8), draw.randrange(1, 256)) for _ in range(labels)]
        self.tos = draw.randrange(256)
        self.delay = draw.choice((0, draw.randrange(1, 10**6), draw.randrange(10**9)))
        self.dst_mac = 0x020000000000 + number
        self.src_mac = draw.choice((0x060000000000 + draw.randrange(1 << 40), 0x0600fffffffe))
        self.macs = draw.randrange(1, 6)
        self.ports = [self.range(draw, 0x10000) for _ in range(2)]
        if version == 4:
            self.addresses = [self.range(draw, 0xe0000000) for _ in range(2)]
        else:
            prefix = 0x20010db8 << 96
            self.addresses = [(prefix + draw.getrandbits(96),) * 2 for _ in range(2)]

    @staticmethod
    def range(draw, end):
        first = draw.randrange(end)
        return first, min(first + draw.choice((0, draw.randrange(1, 20))), end - 1)

    def overhead(self):
        return 4 * (len(self.tags) + len(self.labels))

    def smallest(self):
        return ETHERNET + self.overhead() + IP[self.version] + UDP + PKTGEN

    def commands(self):
        """The lines that make these settings."""
        yield "[net_null0@%d]" % self.number
        yield "count %d" % self.count
        yield "min_pkt_size %d" % self.sizes[0]
        yield "max_pkt_size %d" % self.sizes[1]
        yield "delay %d" % self.delay
        yield "dst_mac " + mac_text(self.dst_mac)
        yield "src_mac " + mac_text(self.src_mac)
        yield "src_mac_count %d" % self.macs
        for name, ports in zip(("src", "dst"), self.ports):
            yield "udp_%s_min %d" % (name, ports[0])
            yield "udp_%s_max %d" % (name, ports[1])
        for name, addresses in zip(("src", "dst"), self.addresses):
            low, high = map(ipaddress.ip_address, addresses)
            if self.version == 4:
                yield "%s_min %s" % (name, low)
                yield "%s_max %s" % (name, high)
            else:
                yield "%s6 %s" % (name, low)
        yield "%s %02x" % ("tos" if self.version == 4 else "traffic_class", self.tos)
        # The inner tag is the first that is set.
        for name, (vid, priority, cfi) in zip(("vlan", "svlan"), reversed(self.tags)):
            yield "%s_id %d" % (name, vid)
            yield "%s_p %d" % (name, priority)
            yield "%s_cfi %d" % (name, cfi)
        if self.labels:
            yield "mpls " + ",".join("%08x" % (label << 12 | exp << 9 | ttl)
                                     for label, exp, ttl in self.labels)
        if self.checksum:
            yield "flag UDPCSUM"

    def protocols(self, data):
        names = ["eth", "ethertype"] + ["vlan", "ethertype"] * len(self.tags)
        names += ["mpls"] if self.labels else []
        names += ["ip" if self.version == 4 else "ipv6", "udp", "pktgen"]
        return ":".join(names + (["data"] if data else []))

    def packet(self, index):
        """What packet `index` of the device must say, from 0."""

        def walk(bounds):
            return bounds[0] + index % (bounds[1] - bounds[0] + 1)

        size = max(walk(self.sizes), self.smallest())
        ip_bytes = size - ETHERNET - self.overhead()
        udp_bytes = ip_bytes - IP[self.version]
        data = udp_bytes - UDP - PKTGEN
        when = index * self.delay
        src, dst = (ipaddress.ip_address(walk(a)) for a in self.addresses)
        tail = (self.src_mac & 0xffffffffff) + index % self.macs & 0xffffffffff
        ethertype = 0x0800 if self.version == 4 else 0x86dd
        expected = {
            "frame.len": [size],
            "eth.dst": mac_text(self.dst_mac),
            "eth.src": mac_text(self.src_mac >> 40 << 40 | tail),
            "eth.type": "0x%04x" % (0x8100 if self.tags else 0x8847 if self.labels else ethertype),
            "frame.time_epoch": "%d.%09d" % divmod(when, 10**9),
            "frame.protocols": self.protocols(data),
            "vlan.id": [tag[0] for tag in self.tags],
            "vlan.priority": [tag[1] for tag in self.tags],
            "vlan.dei": [tag[2] for tag in self.tags],
            "mpls.label": [label[0] for label in self.labels],
            "mpls.exp": [label[1] for label in self.labels],
            "mpls.ttl": [label[2] for label in self.labels],
            "mpls.bottom": [0] * (len(self.labels) - 1) + [1] if self.labels else [],
            "ip.version": [self.version],  # tshark calls it so in IPv6 as well
            "udp.srcport": [walk(self.ports[0])],
            "udp.dstport": [walk(self.ports[1])],
            "udp.length": [udp_bytes],
            "udp.checksum.status": [GOOD if self.checksum or self.version == 6 else ABSENT],
            "pktgen.magic": [MAGIC],
            "pktgen.seqnum": [index + 1],
            "pktgen.tvsec": [when // 10**9],
            "pktgen.tvusec": [when % 10**9 // 1000],
            "data.len": [data] if data else [],
        }
        if self.version == 4:
            expected.update({
                "ip.hdr_len": [IP[4]], "ip.dsfield": [self.tos],
                "ip.len": [ip_bytes], "ip.id": [index], "ip.frag_offset": [0], "ip.ttl": [TTL],
                "ip.proto": [17], "ip.checksum.status": [GOOD], "ip.src": src, "ip.dst": dst,
            })
        else:
            expected.update({
                "ipv6.version": [6], "ipv6.tclass": [self.tos], "ipv6.flow": [0],
                "ipv6.plen": [udp_bytes], "ipv6.nxt": [17], "ipv6.hlim": [TTL],
                "ipv6.src": src, "ipv6.dst": dst,
            })
        return expected


def devices():
    """Every combination of headers in a few sizes; plain ones in all sizes."""
    made = []

    def make(version, tags, labels, checksum, sizes, count):
        made.append(Device(len(made), version, tags, labels, checksum, sizes, count))
        return made[-1]

    stacks = [(tags, 0) for tags in range(3)] + [(0, labels) for labels in range(1, 17)]
    for version in (4, 6):
        for checksum in (False, True):
            for tags, labels in stacks:
                first = make(version, tags, labels, checksum, (42, 42), 2)  # too short: lengthened
                least = first.smallest()
                make(version, tags, labels, checksum, (least - 3, least + 9), 20)
                for size in (least, 999, LARGEST, JUMBO[-1]):
                    make(version, tags, labels, checksum, (size, size), 3)
            least = ETHERNET + IP[version] + UDP + PKTGEN
            make(version, 0, 0, checksum, (least, LARGEST), LARGEST - least + 1)
            make(version, 0, 0, checksum, (60, 1514), 2 * (1514 - 60 + 1))
            for size in JUMBO:
                make(version, 0, 0, checksum, (size, size), 2)
    return made


def numbers(text):
    """The numbers of a field; newer versions write True and False."""
    words = text.split(",") if text else []
    return [int({"True": "1", "False": "0"}.get(word, word), 0) for word in words]


def differences(expected, row):
    """What a packet says that it must not."""
    for name in NUMBERS:
        if numbers(row[name]) != expected.get(name, []):
            yield "%s %s, not %s" % (name, row[name], expected.get(name, []))
    for name in ADDRESSES:
        got = ipaddress.ip_address(row[name]) if row[name] else None
        if got != expected.get(name):
            yield "%s %s, not %s" % (name, got, expected.get(name))
    for name in TEXTS:
        if row[name] != expected[name]:
            yield "%s %s, not %s" % (name, row[name], expected[name])
    absent = expected["udp.checksum.status"] == [ABSENT]
    if (numbers(row["udp.checksum"]) == [0]) != absent:
        yield "udp.checksum " + row["udp.checksum"]
    if row["_ws.malformed"] or any(n >= EXPERT_ERROR for n in numbers(row["_ws.expert.severity"])):
        yield "malformed, or an error that tshark reports"


def check(lines):
    """The status of the program: 0 if every packet is there and right."""
    known = {mac_text(device.dst_mac): device for device in devices()}
    seen = dict.fromkeys(known, 0)
    wrong = []
    for number, line in enumerate(lines, 1):
        row = dict(zip(FIELDS, line.rstrip("\n").split("\t")))
        mac = row["eth.dst"]
        if mac not in known:
            wrong.append("frame %d goes to %s" % (number, mac))
            continue
        for text in differences(known[mac].packet(seen[mac]), row):
            wrong.append("frame %d, packet %d of device %d: %s (%s)" % (
                number, seen[mac], known[mac].number, text, "; ".join(known[mac].commands())))
        seen[mac] += 1
    for mac, device in known.items():
        if seen[mac] != device.count:
            wrong.append("device %d: %d packets of %d" % (device.number, seen[mac], device.count))
    print("\n".join(wrong[:10] + ["%d devices, %d packets, %d differences" % (
        len(known), sum(seen.values()), len(wrong))]))
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["commands"]:
        made = devices()
        print("[kpktgend_0]")
        for device in made:
            print("add_device net_null0@%d" % device.number)
        for device in made:
            print("\n".join(device.commands()))
        print("[pgctrl]\nstart")
    elif sys.argv[1:] == ["fields"]:
        print("\n".join(FIELDS))
    elif sys.argv[1:] == ["check"]:
        sys.exit(check(sys.stdin))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

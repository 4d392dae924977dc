#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the packets that settings without random fields must give, in hex.

usage: model.py SETTING...   each as one argument, such as "count 5"

A second implementation, from the definitions: a range begins at its first
value, goes up by one with each packet and begins anew after its last.
"""

import socket
import struct
import sys

ETHERNET, IP, UDP, PKTGEN = 14, 20, 8, 16
MAGIC = 0xbe9be955
TTL = 32


def checksum(data):
    """RFC 1071; data of odd length is filled up with a zero byte."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def address(text):
    return struct.unpack("!I", socket.inet_aton(text))[0]


def packet(index, settings, flags):
    """Packet number index of those built, from 0."""

    def field(name, default, convert=int):
        low = convert(settings.get(name + "_min", default))
        high = convert(settings.get(name + "_max", default))
        return low + index % (high - low + 1) if high > low else low

    smallest = int(settings.get("min_pkt_size", 0))
    largest = int(settings.get("max_pkt_size", 0))
    size = smallest + index % (largest - smallest + 1) if largest > smallest else smallest
    data = max(size - ETHERNET - IP - UDP, PKTGEN)
    copies = max(int(settings.get("clone_skb", 0)), 1)

    payload = struct.pack("!4I", MAGIC, 1 + index * copies & 0xffffffff, 0, 0)
    payload += bytes(data - len(payload))
    source = field("src", "0.0.0.0", address)
    target = field("dst", "0.0.0.0", address)
    ports = struct.pack("!2H", field("udp_src", 9), field("udp_dst", 9))
    udp = ports + struct.pack("!2H", UDP + data, 0) + payload
    if "UDPCSUM" in flags:
        pseudo = struct.pack("!2I2H", source, target, socket.IPPROTO_UDP, UDP + data)
        udp = udp[:6] + struct.pack("!H", checksum(pseudo + udp) or 0xffff) + udp[8:]
    ip = struct.pack("!2B3H2BH2I", 0x45, 0, IP + UDP + data, index & 0xffff, 0, TTL,
                     socket.IPPROTO_UDP, 0, source, target)
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    macs = [bytes.fromhex(settings[m].replace(":", "")) for m in ("dst_mac", "src_mac")]
    return b"".join(macs) + b"\x08\x00" + ip + udp


def main():
    settings, flags = {}, set()
    for line in sys.argv[1:]:
        name, value = line.split()
        if name == "flag":
            flags.add(value)
        elif name == "pkt_size":
            settings["min_pkt_size"] = settings["max_pkt_size"] = value
        else:
            settings[name] = value
    count = int(settings["count"])
    copies = max(int(settings.get("clone_skb", 0)), 1)
    sent = 0
    for index in range(-(-count // copies)):
        text = packet(index, settings, flags).hex()
        for _ in range(min(copies, count - sent)):
            print(text)
            sent += 1


if __name__ == "__main__":
    main()

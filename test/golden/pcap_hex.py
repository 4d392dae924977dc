#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the bytes of each packet of a pcap file, one line of hex digits each.

With --times the line begins with the packet's time in nanoseconds, with --names
with the file's name. A file that is cut off, or a packet that was not captured
whole, is an error.
"""

import struct
import sys

# The four magic numbers of the pcap format: byte order and unit of the fraction.
FORMATS = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000), b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1), b"\xa1\xb2\x3c\x4d": (">", 1),
}


def packets(path):
    """Yield (time in ns, bytes) of each packet."""
    with open(path, "rb") as file:
        header = file.read(24)
        if len(header) != 24 or header[:4] not in FORMATS:
            raise ValueError("%s: not a pcap file" % path)
        order, unit = FORMATS[header[:4]]
        if struct.unpack(order + "I", header[20:])[0] != 1:
            raise ValueError("%s: not of Ethernet frames" % path)
        while True:
            record = file.read(16)
            if not record:
                return
            if len(record) != 16:
                raise ValueError("%s: cut off in a header" % path)
            seconds, fraction, kept, length = struct.unpack(order + "4I", record)
            data = file.read(kept)
            if kept != length or len(data) != kept:
                raise ValueError("%s: a packet is not whole" % path)
            yield seconds * 10**9 + fraction * unit, data


def main():
    options = {word for word in sys.argv[1:] if word.startswith("--")}
    for path in sys.argv[1:]:
        if path in options:
            continue
        for when, data in packets(path):
            words = [data.hex()]
            if "--times" in options:
                words.insert(0, str(when))
            if "--names" in options:
                words.insert(0, path)
            print(" ".join(words))


if __name__ == "__main__":
    main()

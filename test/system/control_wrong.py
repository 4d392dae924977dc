# SPDX-License-Identifier: BSD-3-Clause
"""control_wrong.py DIR DEVICE N: N writes that are no command; each has to fail and change nothing.

Words are random bytes that no command starts with, or commands with an argument that
the kernel refuses."""

import errno
import os
import random
import sys

ctl, device, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
REFUSED = [
    (device, "rate 0", errno.EINVAL), (device, "ratep 0", errno.EINVAL),
    (device, "imix_weights", errno.EINVAL), (device, "imix_weights 0,", errno.EINVAL),
    (device, "Count 5", errno.EINVAL),
    ("pgctrl", " start", errno.EINVAL), ("pgctrl", "start\n\n", errno.EINVAL),
    ("pgctrl", "START", errno.EINVAL), ("pgctrl", "seed x", errno.EINVAL),
    ("pgctrl", "compat windows", errno.EINVAL), ("pgctrl", "attach nosuch0", None),
    ("kpktgend_0", "add_device nosuch0", errno.ENODEV),
    ("kpktgend_0", "add_device", None), ("kpktgend_0", "rem_device", errno.EINVAL),
    ("kpktgend_0", "add_device " + device, errno.EBUSY),
]
rng = random.Random(1)


def noise():
    size = rng.choice((1, 2, 15, 16, 17, 40, 127, 128, 129, 1000, 60000))
    return bytes([rng.choice(b"ABXYZ.#[]%/\\{}\x01\x7f\xff")]) + rng.randbytes(size - 1)


for i in range(n):
    if i % 2:
        target, data, want = rng.choice(("pgctrl", "kpktgend_0", "kpktgend_1", device)), noise(), errno.EINVAL
    else:
        target, data, want = REFUSED[i // 2 % len(REFUSED)]
        data = data.encode() + b"\n"
    fd = os.open(os.path.join(ctl, target), os.O_WRONLY)
    try:
        os.write(fd, data)
        sys.exit("no error from %r > %s" % (data[:60], target))
    except OSError as e:
        if want not in (None, e.errno):
            sys.exit("%s, not %s, from %r > %s" % (e.strerror, os.strerror(want), data[:60], target))
    finally:
        os.close(fd)
print("%d writes refused" % n)

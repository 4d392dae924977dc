# SPDX-License-Identifier: BSD-3-Clause
"""control_churn.py DIR CYCLES: add and remove a device, while four processes read everything."""

import errno
import os
import sys

ctl, cycles = sys.argv[1], int(sys.argv[2])
GONE = (errno.ENOENT, errno.ENODEV)  # between the name and the file the device may have gone


def write(name, text):
    fd = os.open(os.path.join(ctl, name), os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(fd, text.encode() + b"\n")
    finally:
        os.close(fd)


def read(name):
    with open(os.path.join(ctl, name), "rb", buffering=0) as f:
        return f.read().decode()


def reader():
    """Until the file `stop` is there; the number of texts read."""
    seen = 0
    while os.getppid() == parent and not os.path.exists(stop):
        for name in os.listdir(ctl):
            try:
                text = read(name)
            except OSError as e:
                if e.errno not in GONE:
                    raise
                continue
            if name != "pgctrl" and "Result: " not in text:
                print("%s reads %r" % (name, text), flush=True)
                os._exit(1)
            seen += 1
    return seen


parent = os.getpid()
stop = os.path.join(os.path.dirname(ctl), "stop")
readers = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if reader() > 0 else 1)
    readers.append(pid)

fault = None
for i in range(cycles):
    name = "net_null%d@%d" % (i % 3, i)
    thread = "kpktgend_%d" % (i % 2)
    write(thread, "add_device " + name)
    if name not in os.listdir(ctl) or "Params: count 1000 " not in read(name):
        fault = "no file of %s after add_device" % name
        break
    write(name, "count %d" % i)
    if "Params: count %d " % i not in read(name):
        fault = "%s does not have what was written" % name
        break
    write("pgctrl" if i % 10 == 0 else thread, "reset" if i % 10 == 0 else "rem_device_all")
    try:
        read(name)
        fault = "%s can be read after it was removed" % name
        break
    except FileNotFoundError:
        pass
    if name in os.listdir(ctl):
        fault = "%s is listed after it was removed" % name
        break

with open(stop, "w", encoding="ascii"):
    pass
for pid in readers:
    if os.waitpid(pid, 0)[1] != 0:
        fault = fault or "a reader failed"
if fault:
    sys.exit(fault)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What tests do at the doors for machines.

usage: doors.py PATH ask REQUEST...          print each reply, as it came
       doors.py PATH malformed               200 wrong lines and more: each must be an error
       doors.py PATH pmdgen-set SCRIPT PREFIX  the same through pmdgen-set
       doors.py PORT malformed-http          200 requests that are no page
       doors.py PATH read PORT SECONDS       all that can be read, ten times a second

PATH is the telemetry socket.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import random
import socket
import sys
import time
import urllib.request

LINES = 210


class Telemetry:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.greeting = json.loads(self.socket.recv(1024))

    def ask(self, request):
        self.socket.send(request if isinstance(request, bytes) else request.encode())
        return self.socket.recv(self.greeting["max_output_len"]).decode()


def malformed():
    """Lines that no reading of the language makes right; the same each time."""
    rng = random.Random(6)
    letters = "abcdefgxyzABC0123456789_-+.:/!~()<>$%&'"

    def word(low=1, high=20):
        return "".join(rng.choice(letters) for _ in range(rng.randint(low, high)))

    kinds = [
        lambda: "none" + word(),
        lambda: "none%s count 5" % word(),
        lambda: "[none%s]" % word(),
        lambda: "net_null0 none%s 5" % word(),
        lambda: "net_null0 count x" + word(),
        lambda: "net_null0 count",
        lambda: "net_null0",
        lambda: "net_null0 count 5 " + word(),
        lambda: "net_null0 count " + str(rng.randint(2**64, 2**80)),
        lambda: "net_null0 count -%d" % rng.randint(1, 9999),
        lambda: "net_null0 dst 1.2.3.%d" % rng.randint(256, 9999),
        lambda: "net_null0 dst_mac 90:e2:ba:ff:ff:" + rng.choice(["g", "100", "", "-1"]),
        lambda: "net_null0 flag NO_SUCH_%s" % word(),
        lambda: "net_null0 xmit_mode x" + word(),
        lambda: "net_null0 imix_weights %d" % rng.randint(1, 9),
        lambda: "kpktgend_%d add_device net_null0" % rng.randint(500, 99999),
        lambda: "kpktgend_0 add_device net_null0",
        lambda: "kpktgend_0 add_device " + "n" * rng.randint(64, 500),
        lambda: "pgctrl seed x" + word(),
        lambda: "pgctrl show none" + word(),
        lambda: "pgctrl none" + word(),
        lambda: "net_null0 src_min " + "9" * rng.randint(100, 900),
        lambda: "x" * rng.randint(100, 1000),
        lambda: "\x01\x02\x7f\x1b[31m %s" % word(),
        lambda: "[net_null0",
        lambda: "[net_null0] count 5",
    ]
    return [kinds[i % len(kinds)]() for i in range(LINES)]


def refuse(line, what):
    sys.exit("not refused as it should be: %r: %r" % (line, what))


def send_malformed(path):
    client = Telemetry(path)
    for line in malformed():
        text = json.loads(client.ask("/pmdgen/command," + line))["/pmdgen/command"]
        code, _, message = text.partition("\n")
        if int(code) <= 0 or not message.startswith("command:1:"):
            refuse(line, text)
    for request in ("/pmdgen/command", "/pmdgen/command,"):
        reply = client.ask(request)
        if json.loads(reply)["/pmdgen/command"].startswith("0"):
            refuse(request, reply)


def through_pmdgen_set(script, prefix):
    loader = importlib.machinery.SourceFileLoader("pmdgen_set", script)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("pmdgen_set", loader))
    loader.exec_module(module)
    for line in malformed():
        if line == "net_null0":
            continue  # shows it
        sys.argv = ["pmdgen-set", "-p", prefix, *line.split(" ")]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = module.main()
        if status != 2 or out.getvalue() or not err.getvalue().startswith("pmdgen-set:1:"):
            refuse(line, (status, out.getvalue(), err.getvalue()))


def malformed_http(port):
    rng = random.Random(6)
    for i in range(LINES):
        noise = bytes(rng.randrange(256) for _ in range(rng.randint(1, 3000)))
        request = [noise, b"GET /%d HTTP/1.1\r\n\r\n" % i, b"POST /metrics HTTP/1.0\r\n\r\n",
                   b"GET /metrics HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 3000 + b"\r\n",
                   b"GET " + b"/x" * 20000 + b" HTTP/1.0\r\n\r\n", b"GET /metrics\r\n\r\n",
                   b"GET /../metrics HTTP/1.0\r\n\r\n"][i % 7]
        with socket.create_connection(("127.0.0.1", port), timeout=20) as s:
            reply = b""
            with contextlib.suppress(OSError):
                s.sendall(request)
                reply = s.recv(4096)
        if b" 200 " in reply.split(b"\r\n")[0]:
            refuse(request[:60], reply[:200])


def read_all(path, port, seconds):
    """The longest that any answer took, and how many there were."""
    client = Telemetry(path)
    names = [d["name"] for d in json.loads(client.ask("/pmdgen/devices"))["/pmdgen/devices"]]
    requests = ["/pmdgen/devices", "/pmdgen/threads", "/pmdgen/command,pgctrl show"]
    requests += ["/pmdgen/%s,%s" % (what, name) for what in ("device", "graph") for name in names]
    slowest, count, sent = 0, 0, []
    start = due = time.monotonic()
    while due < start + seconds:
        before = time.monotonic()
        for request in requests:
            json.loads(client.ask(request))
        page = urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=30).read()
        if not page.endswith(b"# EOF\n"):
            refuse("/metrics", page[-100:])
        device = json.loads(client.ask("/pmdgen/device," + names[0]))["/pmdgen/device"]
        sent.append(device["sent"])
        slowest = max(slowest, time.monotonic() - before)
        count += 1
        due += 0.1
        time.sleep(max(0, due - time.monotonic()))
    print(json.dumps({"readings": count, "slowest_s": slowest, "sent": sent}))


def main():
    where, what, *rest = sys.argv[1:]
    if what == "ask":
        client = Telemetry(where)
        for request in rest:
            print(client.ask(request))
    elif what == "malformed":
        send_malformed(where)
    elif what == "pmdgen-set":
        through_pmdgen_set(*rest)
    elif what == "malformed-http":
        malformed_http(int(where))
    elif what == "read":
        read_all(where, int(rest[0]), float(rest[1]))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/bench and scripts/sweep, scripts/ingress-sweep draw with gnuplot."""

import os
import shutil
import subprocess
import tempfile

ABSENT = "no plot: gnuplot is not installed; it comes with the package gnuplot-nox"


def quoted(text):
    return '"%s"' % str(text).replace("\\", "").replace('"', "").replace("_", "\\\\_")


def block(name, rows):
    """A table in the script itself; None is a gap."""
    lines = [" ".join("NaN" if v is None else v if isinstance(v, str) else "%.6g" % v
                      for v in row) for row in rows]
    return "$%s << EOD\n%s\nEOD\n" % (name, "\n".join(lines))


def draw(path, size, body):
    """Run gnuplot on a script; returns what became of it, as a note."""
    if shutil.which("gnuplot") is None:
        return ABSENT
    with tempfile.TemporaryDirectory(prefix="pgplot") as folder:
        script = os.path.join(folder, "plot.gp")
        with open(script, "w", encoding="utf-8") as f:
            f.write("set terminal pngcairo size %d,%d font 'sans,10'\nset output %s\n"
                    % (*size, "'%s'" % path.replace("'", "''")))
            f.write(body)
        p = subprocess.run(["gnuplot", script], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, errors="replace", check=False)
    if p.returncode != 0:
        words = (p.stderr or p.stdout).strip().splitlines()
        return "no plot: gnuplot: " + (words[-1] if words else "no message")
    return "the plot is in " + path


def label(p):
    text = p.title
    if p.burst != 32:
        text += ", burst %d" % p.burst
    if p.frame != 60:
        text += ", %d bytes" % p.frame
    return text


def rate(hz, figure):
    return hz / figure["median"] / 1e6 if figure else None


BARS = """
set title "million packets a second, one lcore, net\\\\_null: median of the rounds"
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.9 border -1
set xtics rotate by -40 left noenhanced scale 0
set grid ytics
set key top right horizontal
set yrange [0:*]
set lmargin 8
set rmargin 14
plot $bars using 2:xtic(1) title "pmdgen" lc rgb "#1b6ca8", \\
 '' using 3 title "bare loop" lc rgb "#b0b0b0", \\
 '' using 4 title "testpmd txonly" lc rgb "#e0a030", \\
 '' using 5 title "testpmd flowgen" lc rgb "#a04030"
"""

BURSTS = """
set title "cycles a packet by burst, 60 bytes: median, fastest and slowest"
unset style
set style data linespoints
set logscale x 2
set xtics norotate autofreq
set xlabel "burst"
set yrange [0:*]
set key top right vertical
set rmargin 4
plot $fixed using 1:2:3:4 with yerrorlines title "fixed" lc rgb "#1b6ca8" pt 7, \\
 $fields using 1:2:3:4 with yerrorlines title "all fields" lc rgb "#208040" pt 5, \\
 $bare using 1:2:3:4 with yerrorlines title "bare loop" lc rgb "#909090" pt 9
"""


def series(points, title, which):
    """burst, median, fastest, slowest of the points of this title and 60 bytes."""
    out = []
    for p, results in points:
        f = results[0][which]
        if p.title.startswith(title) and p.frame == 60 and f:
            out.append((p.burst, f["median"], f["best"], f["max"]))
    return sorted(out)


def plot_points(path, points, hz):
    """scripts/bench: rates of every row, and cycles over the burst."""
    if not points or not hz:
        return "no plot: the table by settings, burst and size was not measured"
    bars = [(quoted(label(p)), rate(hz, r[0]["product"]), *(rate(hz, one["base"]) for one in r))
            for p, r in points]
    body = block("bars", bars)
    body += block("fixed", series(points, "fixed", "product"))
    body += block("fields", series(points, "all fields", "product"))
    body += block("bare", series(points, "fixed", "base"))
    body += "set multiplot\nset size 1,0.62\nset origin 0,0.38\n" + BARS
    body += "set size 1,0.38\nset origin 0,0\n" + BURSTS + "unset multiplot\n"
    return draw(path, (1900, 1200), body)


DEVICES = """
set title "cycles a packet, devices that share a lcore: median, fastest and slowest"
set style data linespoints
set logscale x 10
set xlabel "devices"
set yrange [0:*]
set grid
set key top left
plot $free using 1:2:3:4 with yerrorlines title "no rate" lc rgb "#1b6ca8" pt 7, \\
 $rated using 1:2:3:4 with yerrorlines title "a rate each, more than a core sends" lc rgb "#208040" pt 5, \\
 $calm using 1:2:3:4 with yerrorlines title "a low rate each, a packet a call" lc rgb "#a04030" pt 9
"""


def beside(path, word):
    """b.png -> b-devices.png"""
    stem, dot, ext = path.rpartition(".")
    return "%s-%s%s%s" % (stem, word, dot, ext) if dot else "%s-%s" % (path, word)


def plot_devices(path, results):
    """scripts/bench: cycles over the number of devices."""
    body = ""
    for name, title in (("free", "one device"), ("rated", "one device without"),
                        ("calm", "one device with their sum")):
        rows = [(int(r["case"].split(",")[0]), f["median"], f["best"], f["max"])
                for r in results if r["against"] == title and (f := r["product"])]
        body += block(name, rows or [(1, None, None, None)])
    return draw(path, (1000, 600), body + DEVICES)


COLOURS = ["#1b6ca8", "#208040", "#e0a030", "#a04030", "#7050a0", "#404040", "#30a0a0", "#c060a0"]
PANEL = """
set title %s
set style data linespoints
set logscale x %d
set xlabel %s
set ylabel %s
set yrange [%s]
set grid
set key outside right center title %s
"""


def panel(title, x, other, figures, name, of=lambda f: [
        f["pps"][k] / 1e6 for k in ("median", "min", "max")],
          label="million packets a second", yrange="0:*", base=2):
    """One line for each value of `other`, over x: three figures, the middle, lowest, highest."""
    body, lines = "", []
    for i, value in enumerate(sorted({f[other] for f in figures})):
        mine = sorted((f for f in figures if f[other] == value), key=lambda f: f[x])
        table = "%s%d" % (name, i)
        body += block(table, [(f[x], *of(f)) for f in mine])
        lines.append("$%s using 1:2:3:4 with yerrorlines title \"%s\" lc rgb \"%s\" pt %d"
                     % (table, value, COLOURS[i % len(COLOURS)], 4 + i % 9))
    return body, PANEL % (quoted(title), base, quoted(x), quoted(label), yrange,
                         quoted(other)) + "plot " + ", ".join(lines)


def plot_sweep(path, device, figures):
    """scripts/sweep: the rate over burst for each clone_skb, and the other way round."""
    data1, over_burst = panel(device + ", by burst: median, slowest and fastest", "burst",
                              "clone_skb", figures, "b")
    data2, over_clones = panel(device + ", by clone_skb", "clone_skb", "burst", figures, "c")
    return draw(path, (1200, 1100), data1 + data2 + "set multiplot layout 2,1\n" + over_burst +
                "\n" + over_clones + "\nunset multiplot\n")


def plot_ingress(path, axes):
    """scripts/ingress-sweep: cycles a packet over each axis, for each kind of buffers. axes: pairs
    of a title and figures, each with an x of its own."""
    data, panels = "", "set logscale y 10\n"
    for i, (title, x, figures) in enumerate(axes):
        more, lines = panel(title, x, "buffers", figures, "axis%d_" % i,
                            of=lambda f: [f["gross"][k] for k in ("median", "best", "max")],
                            label="cycles a packet", yrange="1:*", base=2 if x == "burst" else 10)
        data += more
        panels += lines + "\n"
    return draw(path, (1200, 450 * len(axes)),
                data + "set multiplot layout %d,1\n%sunset multiplot\n" % (len(axes), panels))

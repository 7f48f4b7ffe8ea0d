#!/usr/bin/env python3
"""Draws 11-alpha-beta.svg: all-reduce times of two GPUs over the size, and the alpha-beta model.

alpha_beta.py [SWEEPS] [SVG]. The sweeps are the output of tests/hardware/collectives/run.sh. The
model of each kernel is t = t0 + steps * alpha + bytes * beta; t0 (launches and events) and alpha
are one constant here, since one run cannot tell them apart. Fitted by least squares of relative
errors.
"""
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLOURS = {"NCCL": "#8a8f98", "ring": "#c4622d", "one-shot": "#2f7d4f", "two-shot": "#2b6cb0"}


def read(path):
    """{name: [(bytes, us)]} of the first float32 table."""
    lines = path.read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("bytes") and "float32" in line)
    names = re.split(r"\s{2,}", lines[head].replace("us, float32", "").strip())[1:]
    table = {name: [] for name in names}
    for line in lines[head + 1:]:
        cells = line.split()
        if len(cells) != len(names) + 1 or not cells[0].isdigit():
            break
        for name, cell in zip(names, cells[1:]):
            if cell != "-":
                table[name].append((int(cells[0]), float(cell.rstrip("X"))))
    table["NCCL"] = [(size, min(a, b)) for (size, a), (_, b) in zip(table["nccl-g"], table["nccl-s"])]
    return table


def fit(points):
    """Constant in us and rate in GB/s, by least squares of relative errors."""
    s = [0.0] * 5
    for size, us in points:
        x, y, w = size, us, 1 / us**2
        for i, term in enumerate((w, w * x, w * x * x, w * y, w * x * y)):
            s[i] += term
    determinant = s[0] * s[2] - s[1] ** 2
    constant = (s[3] * s[2] - s[1] * s[4]) / determinant
    slope = (s[0] * s[4] - s[1] * s[3]) / determinant
    return constant, 1 / slope / 1e3


def draw(table):
    width, height, left, bottom, top, right = 900, 480, 70, 60, 30, 170
    x = lambda size: left + (math.log2(size) - 10) / 20 * (width - left - right)
    low, high = math.log10(5), math.log10(5000)
    y = lambda us: height - bottom - (math.log10(us) - low) / (high - low) * (height - bottom - top)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           'font-size="13">', f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for us in (10, 100, 1000):
        out.append(f'<path d="M{left} {y(us):.1f}H{width - right}" stroke="#dddddd"/>'
                   f'<text x="{left - 8}" y="{y(us) + 4:.1f}" text-anchor="end">{us} us</text>')
    for power, label in ((10, "1 KB"), (15, "32 KB"), (20, "1 MB"), (25, "32 MB"), (30, "1 GB")):
        out.append(f'<path d="M{x(2**power):.1f} {top}V{height - bottom}" stroke="#eeeeee"/>'
                   f'<text x="{x(2**power):.1f}" y="{height - bottom + 20}" text-anchor="middle">{label}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 14}" text-anchor="middle">'
               "bytes of the message, float32</text>")
    for row, (name, colour) in enumerate(COLOURS.items()):
        points = table[name]
        constant, rate = fit(points)
        line = " ".join(f"{x(size):.1f},{y(constant + size / rate / 1e3):.1f}" for size, _ in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out += [f'<circle cx="{x(size):.1f}" cy="{y(us):.1f}" r="3" fill="{colour}"/>' for size, us in points]
        at = top + 20 + 44 * row
        out.append(f'<circle cx="{width - right + 18}" cy="{at - 4}" r="4" fill="{colour}"/>'
                   f'<text x="{width - right + 30}" y="{at}">{name}</text>'
                   f'<text x="{width - right + 30}" y="{at + 17}" fill="#666666">'
                   f"{constant:.1f} us, {rate:.0f} GB/s</text>")
    return "\n".join(out + ["</svg>"]) + "\n"


if __name__ == "__main__":
    sweeps = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          ROOT / "course/measured/nvidia-h100/11-collectives.sweeps.txt")
    target = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "course/figures/11-alpha-beta.svg")
    measured = read(sweeps)
    for kernel in COLOURS:
        print("{}: {:.1f} us + bytes / {:.0f} GB/s".format(kernel, *fit(measured[kernel])))
    target.write_text(draw(measured))

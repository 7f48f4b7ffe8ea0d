"""Drawings of the work for the concept pages: rooflines with measured points, tiles, number formats, occupancy."""
import json
import math
import statistics
import tomllib
from pathlib import Path

from svg import Drawing

ROOT = Path(__file__).resolve().parent.parent.parent
TERA = 1e12


def device(key):
    return tomllib.loads((ROOT / "warp_model/devices/h200.toml").read_text())[key]["value"]


def measured_tflops(lab):
    """{rung number: median of the committed runs, in 10^12 operations per second}"""
    runs = {}
    for file in (ROOT / "course/measured/nvidia-h200").glob(f"{lab}.run*.json"):
        for result in json.loads(file.read_text())["results"]:
            if result.get("measured"):
                number = int(result["rung"].split("/")[1].split("-")[0])
                runs.setdefault(number, []).append(result["measured"]["gigaflops"] / 1000)
    return {number: statistics.median(values) for number, values in runs.items()}


class Plot:
    """Two logarithmic axes: operations per byte, and 10^12 operations per second."""

    def __init__(self, title, most):
        self.d = Drawing(860, 470, title)
        self.left, self.right, self.top, self.bottom = 70, 840, 20, 410
        self.x_range, self.y_range = (0.05, 2000), (0.3, most)
        for decade in (0.1, 1, 10, 100, 1000):
            self.d.path([(self.x(decade), self.top), (self.x(decade), self.bottom)], "grid")
            self.d.text(self.x(decade), self.bottom + 20, f"{decade:g}", 12, "middle", "dim")
        for rate in (1, 10, 100):
            self.d.path([(self.left, self.y(rate)), (self.right, self.y(rate))], "grid")
            self.d.text(self.left - 8, self.y(rate) + 4, f"{rate}", 12, "end", "dim")
        self.d.path([(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)])
        self.d.text(455, self.bottom + 44, "operations per byte", 13, "middle")
        self.d.text(self.left + 8, self.top + 14, "TFLOP/s, measured", 13)

    def x(self, value):
        low, high = map(math.log10, self.x_range)
        return self.left + (math.log10(value) - low) / (high - low) * (self.right - self.left)

    def y(self, value):
        low, high = map(math.log10, self.y_range)
        return self.bottom - (math.log10(value) - low) / (high - low) * (self.bottom - self.top)

    def slope(self, tera_bytes_per_s, peak, name, at, above):
        start = max(self.x_range[0], self.y_range[0] / tera_bytes_per_s)
        ridge = peak / tera_bytes_per_s
        self.d.path([(self.x(start), self.y(start * tera_bytes_per_s)), (self.x(ridge), self.y(peak))], "roof")
        # The name is left of the line and above it, or right of it and below.
        self.d.text(self.x(at), self.y(at * tera_bytes_per_s) + (-8 if above else 16), name, 12,
                    "end" if above else "start")
        return ridge

    def flat(self, ridge, peak, name):
        self.d.path([(self.x(ridge), self.y(peak)), (self.right, self.y(peak))], "roof")
        self.d.text(self.right - 4, self.y(peak) - 8, name, 12, "end")


def gemm_intensity(n):
    """Of an n x n x n product in float32 whose three matrices pass once."""
    return 2 * n**3 / (3 * 4 * n**2)


def roofline():
    plot = Plot("Roofline of an H200 for float32: all kernels of lab 05 have the same intensity against HBM and "
                "differ in speed only", 150)
    peak, hbm = device("fp32_tflops"), device("memory_gb_per_s") / 1000
    plot.flat(plot.slope(hbm, peak, "HBM 4.8 TB/s", 3, True), peak, f"float32 peak, {peak:g} TFLOP/s")
    plot.d.text(plot.x(peak / hbm), plot.y(peak) - 8, f"ridge: {peak / hbm:.0f}", 12, "middle")
    x = gemm_intensity(4096)
    free = {"end": 1e9, "start": 1e9}  # the y of the last label on each side, from the bottom upwards
    for number, tflops in sorted(measured_tflops("05-gemm-float32").items(), key=lambda entry: entry[1]):
        plot.d.point(plot.x(x), plot.y(tflops))
        side = max(free, key=free.get)
        y = free[side] = min(plot.y(tflops) + 4, free[side] - 12)
        plot.d.text(plot.x(x) + (-10 if side == "end" else 10), y, f"05/{number}: {tflops:.1f}", 11, side)
    add = measured_tflops("01-kernel-basics")[4]
    plot.d.point(plot.x(1 / 12), plot.y(add))
    plot.d.text(plot.x(1 / 12) + 10, plot.y(add) + 5, f"01/4 vector add: {add:.2f}", 11)
    return plot.d


# Operations per byte that pass from L2 to an SM, and per byte of shared-memory wavefronts (128 bytes each),
# counted by the virtual GPU from the machine code: `ridge profile RUNG --solution`.
COUNTED = {3: ("05/3", 8.0, 0.381), 7: ("05/7", 32.0, 2.46), 10: ("05/10", 42.7, 4.64)}


def hierarchical_roofline():
    plot = Plot("Hierarchical roofline: kernels 05/3, 05/7 and 05/10 at their intensity against shared memory, "
                "L2 and HBM", 150)
    peak = device("fp32_tflops")
    shared = device("multiprocessors") * 128 * device("sm_clock_mhz") * 1e6 / TERA
    ridges = [plot.slope(rate, peak, f"{name} {rate:.1f} TB/s", at, above)
              for name, rate, at, above in (("shared memory", shared, 0.9, True),
                                            ("L2", device("l2_gb_per_s") / 1000, 0.22, True),
                                            ("HBM", device("memory_gb_per_s") / 1000, 0.35, False))]
    plot.flat(min(ridges), peak, f"float32 peak, {peak:g} TFLOP/s")
    tflops = measured_tflops("05-gemm-float32")
    for number, (name, l2, of_shared) in COUNTED.items():
        y = plot.y(tflops[number])
        places = [plot.x(v) for v in (of_shared, l2, gemm_intensity(4096))]
        plot.d.path([(places[0], y), (places[2], y)])
        for x, level in zip(places, ("shared", "L2", "HBM")):
            plot.d.point(x, y)
            # The fastest kernel's names are above its line: those of the next one are below.
            plot.d.text(x, y + (-7 if number == max(COUNTED) else 18), level, 11, "middle", "dim")
        plot.d.text(places[2] + 10, y + 4, f"{name}: {tflops[number]:.1f}", 11)
    return plot.d


def gemm_tiles():
    d = Drawing(860, 330, "Tiles of a matrix product: the block's tile of C with its strips of A and B, the k-step in "
                          "shared memory, the warp's tile, the thread's accumulators in registers")
    d.text(20, 26, "device memory, L2", 14, weight="bold")
    d.box(20, 110, 110, 180, "e")
    d.box(20, 170, 110, 44, "a")
    d.text(30, 308, "A")
    d.box(140, 40, 140, 60, "e")
    d.box(190, 40, 40, 60, "b")
    d.text(262, 60, "B")
    d.box(140, 110, 140, 180, "e")
    d.box(190, 170, 40, 44, "c")
    d.text(262, 308, "C")
    d.text(150, 250, "tile of a block", 12)
    d.arrow(285, 192, 320, 192)
    d.text(330, 26, "shared memory: one k-step", 14, weight="bold")
    d.box(330, 150, 40, 120, "a")
    d.box(380, 100, 140, 40, "b")
    d.box(380, 150, 140, 120, "c")
    for i in range(1, 4):
        d.path([(380 + 35 * i, 150), (380 + 35 * i, 270)], "grid")
    d.path([(380, 210), (520, 210)], "grid")
    d.box(415, 150, 35, 60, "d")
    d.text(380, 292, "8 warps, 1 tile each", 12)
    d.arrow(525, 192, 560, 192)
    d.text(570, 26, "registers of one thread", 14, weight="bold")
    for i in range(4):
        d.box(590, 150 + 28 * i, 22, 22, "a", 2)
        d.box(622 + 28 * i, 118, 22, 22, "b", 2)
        for j in range(4):
            d.box(622 + 28 * j, 150 + 28 * i, 22, 22, "c", 2)
    d.text(570, 292, "4 + 4 loads, 16 multiply-adds per k", 12)
    d.text(570, 310, "(drawn 4 x 4; lab 05 ends at 16 x 8)", 12, kind="dim")
    return d


def formats():
    kinds = [("float32", 8, 23), ("TF32", 8, 10), ("bf16", 8, 7), ("fp16", 5, 10), ("fp8 e4m3", 4, 3),
             ("fp8 e5m2", 5, 2), ("fp4 e2m1", 2, 1)]
    d = Drawing(860, 270, "Bits of the formats: sign, exponent, mantissa")
    for row, (name, exponent, mantissa) in enumerate(kinds):
        y = 40 + 32 * row
        d.text(16, y + 17, name, 14)
        for bit in range(1 + exponent + mantissa):
            kind = "b" if bit == 0 else "a" if bit <= exponent else "c"
            d.box(120 + 18 * bit, y, 16, 22, kind, 2)
        d.text(130 + 18 * (1 + exponent + mantissa), y + 17, f"1 + {exponent} + {mantissa}", 12, kind="dim")
    d.text(120, 26, "sign (1), exponent: range, mantissa: precision", 13)
    return d


def drawings():
    return {"concept-roofline": roofline(), "concept-hierarchical-roofline": hierarchical_roofline(),
            "concept-gemm-tiles": gemm_tiles(), "concept-formats": formats()}

"""What the figures of the course's texts come from; course/tie_figures.py compares them.

A source is a path, for a figure that is in that file as a number, or an expression:

  h200("05/3").us          medians of the runs in course/measured/DEVICE/LAB.run*.json, and
                           h100("10/7", 4) of run 4. The medians are without the results that
                           course/measured/superseded.toml names. Fields: percent, ms, us, baseline_ms,
                           baseline_us, gb_per_s, tb_per_s, gflops, tflops, registers, roof, and
                           times (as fast as the second baseline)
  count("05/3", "loads")   an expression of the counts in course/measured/virtual-gpu
  device("h200", "l2_bytes")   a figure of warp_model/devices
  fact("pcie_5")           a figure of course/measured/facts.toml, which has the source
  cell(FILE, "4096", 2)    a number of the line of a file that begins so; cell(..., 1): of the next
  fit("ring")              the model of course/figures/alpha_beta.py: constant in us, rate in GB/s
  cost("launch_us")        course/measured/nvidia-h200/call_costs.json
  latency("l1_cycles")     course/measured/nvidia-h100/trials/latencies.json
  59.2 - 56.2  # FILE      arithmetic. Its inputs with a decimal point are on the page, or in FILE

or one word for a figure that nothing can support, because the text itself sets it (see SET).
"""
import json
import re
import statistics
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "course"))
from tie_counts import ARITHMETIC, Records, written  # noqa: E402

NUMBER = re.compile(r"(?<![\w.^-])\d+(?:,\d{3})*(?:\.\d+)?")
TOKEN = re.compile(r"(?<![\d.])\d+(?:,\d{3})*(?:\.\d+)?")  # also in "x1.26" and "0.69us"

# What a paragraph or its heading must say for a figure that the text sets.
SET = {
    "assumed": r"assum|round number|suppose|on paper",
    "hypothesis": r"hypothes|predict|expect",
    "exercise": r"exercise|predict|check your understanding|answers?\b|by hand|\?",
    "quoted": r"[\"\u201c]",
    "required": r"at least|full points|target|pass|the bar",
    "task": r"\bWrite\b|Speed: |Suppose|Which change|\bcompare\b",
    "size": r"\b(?:for|of|with|at) {figure} [KMG]i?B\b|\| [^|]*\b{figure} [KMG]i?B *\|",
    "scale": r"percent|%",
    "named": "",  # the same number elsewhere in the paragraph: 32 copies need 32 times the memory
}


class Wrong(Exception):
    """A source that cannot be read: it says why."""


class Runs:
    """The medians of a rung's runs on one device."""

    def __init__(self, results):
        self.results = results

    def median(self, name, scale=1.0):
        return scale * statistics.median(r["measured"][name] for r in self.results)

    percent = property(lambda self: self.median("percent"))
    ms = property(lambda self: self.median("time_ms"))
    us = property(lambda self: self.median("time_ms", 1000))
    baseline_ms = property(lambda self: self.median("baseline_ms"))
    baseline_us = property(lambda self: self.median("baseline_ms", 1000))
    gb_per_s = property(lambda self: self.median("gigabytes_per_second"))
    tb_per_s = property(lambda self: self.median("gigabytes_per_second", 0.001))
    gflops = property(lambda self: self.median("gigaflops"))
    tflops = property(lambda self: self.median("gigaflops", 0.001))
    registers = property(lambda self: statistics.median(r["registers"] for r in self.results))
    times = property(
        lambda self: statistics.median(r["measured"]["second"]["times"] for r in self.results))
    roof = property(
        lambda self: statistics.median(r["measured"]["roof"]["percent"] for r in self.results))


class Sources:
    def __init__(self, root=ROOT):
        self.root, self.texts, self.runs = root, {}, {}
        self.records = Records(root / "course/measured/virtual-gpu")
        self.devices = {p.stem: tomllib.loads(p.read_text())
                        for p in (root / "warp_model/devices").glob("*.toml")}
        self.facts = tomllib.loads((root / "course/measured/facts.toml").read_text())
        self.costs = json.loads((root / "course/measured/nvidia-h200/call_costs.json").read_text())
        latencies = root / "course/measured/nvidia-h100/trials/latencies.json"
        self.latencies = json.loads(latencies.read_text())
        for device in ("nvidia-h200", "nvidia-h100"):
            for path in sorted((root / "course/measured" / device).glob("*.json")):
                match = re.search(r"\.(run\d+|stages)\.json$", path.name)
                if match:
                    self.read_runs(device[-4:], match[1].removeprefix("run"), path)
        self.used_facts = set()
        self.names = {
            "__builtins__": {},
            "h200": lambda rung, run=None: self.of("h200", rung, run),
            "h100": lambda rung, run=None: self.of("h100", rung, run),
            "count": lambda key, what: self.records.of(key).value(what),
            "device": lambda name, key: self.devices[name][key]["value"],
            "fact": self.fact, "cost": lambda key: self.costs[key],
            "latency": lambda key: self.latencies[key],
            "cell": self.cell, "fit": self.fit, "sum": sum, "range": range, **ARITHMETIC,
        }

    def read_runs(self, device, run, path):
        listed = tomllib.loads((self.root / "course/measured/superseded.toml").read_text())
        old = {(group["rung"], result) for group in listed["superseded"]
               for result in group["results"]}
        for result in json.loads(path.read_text())["results"]:
            if result.get("measured") and result["source"] == "solution":
                short = re.match(r"(\d\d)-[^/]*/(\d+)", result["rung"])
                name = f"{path.parent.name}/{path.name} {result['measured']['percent']:.1f}"
                self.runs.setdefault((device, f"{short[1]}/{short[2]}"), []).append(
                    (run, (result["rung"], name) in old, result))

    def of(self, device, rung, run):
        there = [result for name, is_old, result in self.runs.get((device, rung), [])
                 if (name == str(run) if run else name != "stages" and not is_old)]
        if not there:
            raise Wrong(f"{rung} has no {f'run {run}' if run else 'runs'} on an {device.upper()}")
        return Runs(there)

    def fact(self, name):
        if name not in self.facts:
            raise Wrong(f"course/measured/facts.toml has no {name}")
        self.used_facts.add(name)
        return self.facts[name]["value"]

    def text(self, path):
        if path not in self.texts:
            file = self.root / path
            if not file.is_file():
                raise Wrong(f"there is no file {path}")
            self.texts[path] = file.read_text()
        return self.texts[path]

    def value(self, expression):
        try:
            return eval(expression, self.names)  # the project's own file
        except Wrong:
            raise
        except Exception as error:  # a typing mistake in a source: said with the source
            raise Wrong(f"{expression}: {error}") from error

    def cell(self, path, start, column, line=0):
        """A number of the line (the first of those) of a file that begins with `start`."""
        lines = [one for one in self.text(path).split("\n") if one.strip().startswith(start)]
        if len(lines) <= line:
            raise Wrong(f"{path} has no line {line} that begins with {start}")
        return float(TOKEN.findall(lines[line])[column].replace(",", ""))

    def fit(self, kernel):
        """(constant in us, rate in GB/s) of the alpha-beta model: course/figures/alpha_beta.py."""
        from figures.alpha_beta import fit, read
        sweeps = self.root / "course/measured/nvidia-h100/11-collectives.sweeps.txt"
        return fit(read(sweeps)[kernel])

    def stands_in(self, figure, path, context=""):
        """Whether a number of the file, in a line with `context`, is or rounds to `figure`."""
        bare = figure.replace(",", "")
        lines = [line for line in self.text(path).split("\n") if context in line]
        tokens = [token.replace(",", "") for line in lines for token in TOKEN.findall(line)]
        return bare in tokens or any(
            len(t.partition(".")[2]) > len(bare.partition(".")[2])
            and written(float(t), figure, "") is None for t in tokens)

    def fault(self, figure, source, paragraph, page=""):
        """"" or why `source` does not give `figure` (a number), which is in `paragraph`."""
        if source == "?":
            return "has no source"
        if source in SET:
            return self.unsaid(figure, source, paragraph)
        path, _, context = source.partition(": ")
        if re.fullmatch(r"[\w./-]+\.[a-z]+", path):
            try:
                there = self.stands_in(figure, path, context)
            except Wrong as error:
                return str(error)
            return "" if there else f"is not in {source}"
        try:
            value = self.value(source)
            self.check_inputs(source, paragraph + page)
        except Wrong as error:
            return str(error)
        rough = re.search(rf"\b(?:about|nearly|over|some) {re.escape(figure)}\b", paragraph)
        right = written(abs(value), figure, "about" if rough else "")
        return "" if right is None else f"is {right} by {source}"

    def unsaid(self, figure, source, paragraph):
        """"" or that the text does not set the figure."""
        if source == "named":
            same = rf"(?<![\d.]){re.escape(figure)}(?![\d.]\d|\d)"
            return "" if len(re.findall(same, paragraph)) > 1 else "is named once only"
        pattern = SET[source].replace("{figure}", re.escape(figure))
        fits = re.search(pattern, paragraph, re.IGNORECASE)
        return "" if fits else f"\"{source}\", but the text does not say so ({SET[source]})"

    def check_inputs(self, source, text):
        """An arithmetic source is of several numbers, which the page or its file has."""
        expression, _, path = source.partition("  # ")
        if re.search(r"[a-z]\w*\(", expression):
            return
        if re.fullmatch(r"[\d.]+( [*/] 1)?", expression):
            raise Wrong(f"{source} is not a source")
        for number in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", expression):
            if number not in text and not (path and self.stands_in(number, path)):
                raise Wrong(f"{source}: {number} is neither on the page nor in a FILE (  # FILE)")

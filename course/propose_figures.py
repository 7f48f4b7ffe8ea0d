"""Looks for the source of a figure that course/tie_figures.py does not have in its lists yet.

A proposal is a guess: a person reads it before it is committed.
"""
import re
import tomllib

from figure_sources import Wrong
from tie_counts import written

MEASURED = re.compile(r"\(?(?:\.\./)*(?:course/)?(measured/[\w./-]+\.(?:md|txt|json))")
SIGNS = {"×": "*", "·": "*", "²": "**2", "³": "**3", "⁹": "", "^": "**",
         "–": "-", " x ": " * "}
TERM = r"\(?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?: ?(?:[KMGT]?B/s|[KMGT]i?B|[nmµ]s|B|s|GHz))?[²³]?\)?"
ARITHMETIC = re.compile(rf"({TERM}(?: ?[×·*/+-] ?{TERM})+) (?:=|are|is|is about) (?:about )?$")
# The labs of files in course/measured whose names do not begin with them.
TRIALS = {"attention-trials.md": "10", "backward.md": "10", "decode.md": "10",
          "convolution-trials.md": "09", "gemm-trials.md": "05 06", "launch-trials.md": "08 12",
          "transfer-trials.md": "13", "trials.md": "03 04 05 06 10"}
DEVICE = {"TB/s": [("memory_gb_per_s", " / 1000")], "GHz": [("sm_clock_mhz", " / 1000")],
          "GB/s": [("link_gb_per_s", "")], "cycles": [("dram_latency_cycles", "")],
          "TFLOP/s": [("fp32_tflops", ""), ("bf16_tensor_tflops", "")],
          "registers": [("registers_per_sm", ""), ("max_registers_per_thread", "")]}


def same(value, figure):
    try:
        return written(abs(value), figure, "") is None
    except (OverflowError, ValueError):
        return False


class Proposals:
    def __init__(self, course):
        self.course, self.sources = course, course.sources
        self.ties = tomllib.loads(
            (course.folder / "measured/virtual-gpu/tables.toml").read_text())["table"]

    def of(self, page, figure):
        """The sources of a figure: one, or one per number."""
        _, numbers, context, match = figure
        found = [self.one(page, number, context, match) for number in numbers]
        return found[:1] if len(set(found)) == 1 else found

    def one(self, page, number, context, match):
        unit = match["unit"] if match else ""
        for source in self.candidates(page, number, unit, context, match):
            return source
        return "?"

    def candidates(self, page, number, unit, context, match):
        if match:
            before = match.string[:match.start()]
            worked = ARITHMETIC.search(before)
            if worked:
                yield from self.arithmetic(worked[1], number, unit)
        said = self.raw_context(page, context, match) + context
        for path in dict.fromkeys(MEASURED.findall(said)):
            path = "course/" + path
            if not (self.course.root / path).is_file():
                continue
            if path.endswith(".json"):
                continue
            if self.sources.stands_in(number, path):
                yield path
        yield from self.run(page, number, unit, context)
        if unit in ("registers", "%"):
            yield from self.counted(page, number, unit)
        yield from self.device(page, number, unit, context)
        yield from self.anywhere(page, number)

    def anywhere(self, page, number):
        """Another measured file of the page's lab that has a figure of at least three digits."""
        lab = re.search(r"(?:chapters|worklogs)/(\d\d)-", page)
        if not lab or len(number.replace(".", "")) < 3:
            return
        for path in sorted((self.course.folder / "measured").glob("nvidia-*/**/*")):
            of_lab = TRIALS.get(path.name, path.name[:2])
            if path.suffix in (".md", ".txt") and lab[1] in of_lab:
                name = path.relative_to(self.course.root).as_posix()
                if self.sources.stands_in(number, name):
                    yield name

    def device(self, page, number, unit, context):
        """A figure of the device that the text names."""
        name = "h100" if "H100" in context and "H200" not in context else "h200"
        for key, scale in DEVICE.get(unit, []):
            source = f'device("{name}", "{key}"){scale}'
            if same(self.sources.value(source), number):
                yield source

    def raw_context(self, page, context, match):
        """The paragraph as it is in the file, with the links that the figure's context lacks."""
        if not match:
            return ""
        text = (self.course.folder / page).read_text()
        start = match.string.split("\0")[0][:40]
        for part in re.split(r"\n\n|\n(?=\|)", text):
            joined = " ".join(line.strip() for line in part.split("\n"))
            if start and start in joined and match[0] in joined:
                return joined
        return ""

    def arithmetic(self, text, number, unit):
        text = re.sub(r" ?(?:[KMGT]?B/s|[KMGT]i?B|[nmµ]s|B|s|GHz)(?![\w])", "", text)
        for sign, right in SIGNS.items():
            text = text.replace(sign, right)
        text = re.sub(r"(?<=\d),(?=\d)", "", text).strip()
        if text.count("(") != text.count(")"):
            text = text.strip("()") if text.count("(") + text.count(")") == 1 else text
        try:
            value = self.sources.value(text)
        except (Wrong, SyntaxError):
            return
        for scale in ("", " * 100", " / 1000", " * 1000", " / 10**6", " * 10**6", " / 10**9",
                      " * 10**9", " / 10**12", " / 1024", " / 2**20", " / 2**30"):
            if (scale != " * 100" or unit == "%") and same(eval(f"{value}{scale}"), number):
                yield (f"({text}){scale}" if scale else text)

    def run(self, page, number, unit, context):
        rung = re.search(r"(?:worklogs)/(\d\d)-[^/]*/(\d+)-", page)
        lab = re.search(r"(?:chapters|worklogs)/(\d\d)-", page)
        if not lab:
            return
        named = [f"{lab[1]}/{n}" for n in re.findall(r"[Rr]ungs? (\d+)", context)]
        rungs = dict.fromkeys(([f"{lab[1]}/{rung[2]}"] if rung else []) + named)
        fields = {"%": ["percent", "roof"], "ms": ["ms", "baseline_ms"],
                  "µs": ["us", "baseline_us"], "times": ["times"], "TB/s": ["tb_per_s"],
                  "GB/s": ["gb_per_s"],
                  "TFLOP/s": ["tflops"], "GFLOP/s": ["gflops"], "registers": ["registers"]}
        devices = ("h100", "h200") if "H100" in context else ("h200", "h100")
        for field in fields.get(unit, []):
            for device in devices:
                for short in rungs:
                    for run in self.runs_of(device, short):
                        source = f'{device}("{short}"{run}).{field}'
                        try:
                            if "." in number or unit in ("registers", "µs"):
                                if same(self.sources.value(source), number):
                                    yield source
                        except Wrong:
                            pass

    def runs_of(self, device, rung):
        there = [run for run, _, _ in self.sources.runs.get((device, rung), [])]
        named = [f', {run}' if run.isdigit() else f', "{run}"' for run in dict.fromkeys(there)]
        return [""] + named if any(run != "stages" for run in there) else named

    def counted(self, page, number, unit):
        """A cell of a counted table of this lab with the same figure."""
        lab = page.split("/")[-1][:2] if page.startswith("chapters") else page.split("/")[1][:2]
        for tie in self.ties:
            if f"/{lab}-" not in tie["page"]:
                continue
            for row in tie["rows"]:
                if isinstance(row, dict):
                    cells = zip([row["file"]] * 99, row.get("cells", tie["columns"]))
                else:
                    cells = zip(tie["columns"], row if isinstance(row, list) else [row] * 99)
                for key, cell in cells:
                    for part in (cell or "").split(";"):
                        wanted = "registers" if unit == "registers" else "occupancy"
                        part = part.strip()
                        if not key or wanted not in part:
                            continue
                        scale = " * 100" if unit == "%" else ""
                        source = f'count("{key}", "{part}"){scale}'
                        try:
                            if same(self.sources.value(source), number):
                                yield source
                        except Exception:  # a key that is not recorded
                            pass

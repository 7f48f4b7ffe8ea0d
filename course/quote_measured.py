#!/usr/bin/env python3
"""Puts the measured percentages into the course's texts.

  course/quote_measured.py            print, for every rung, what was measured and which place quotes it
  course/quote_measured.py --write    write the figures there

The figures are the medians of the runs in course/measured/nvidia-h200/LAB.runN.json, and those of
LAB.RUNG.sizes.json (`ridge bench`), for the page's paragraph **By size**. The places: a worklog page's
**Won** paragraph, the rung's row in the lab's chapter (a table without such a column gets one, with
the ladder's chart below it), the line "Measured on an H200" in the solution's heading comment, and
the rung's gold in lab.toml: the worst of the runs x 0.98. Where a target has figures of another
device, their gold follows in the same way from all of that device's results in course/measured that
superseded.toml does not name. Paragraphs wrap at 100 columns. ctest
compares all of them (tests/course/figures_test.cpp). A paragraph "**Won.** On paper. ..." is left
alone. Afterwards redraw the charts: build/release/bin/ridge-ladders
(a lab without results of an H200 gets a chart of the device that measured most of it)
"""
import json
import math
import re
import statistics
import sys
import textwrap
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / "course/measured/nvidia-h200"
NOT_MEASURED = re.compile(r"not measured(?: on an H200)?(?: yet)?\.?", re.IGNORECASE)
FIGURE = r"\*\*\d+\.\d%\*\* of [^.;]*? on an H200(?:; rung \d+ had \d+\.\d%)?\."
HEADING = re.compile(r"^// Measured on an H200: .*$", re.MULTILINE)
WIDTH = 100


def gold_of(worst):
    digits = 1 if 0.98 * worst >= 10 else 2
    return math.floor(0.98 * worst * 10**digits) / 10**digits


class Rung:
    def __init__(self, name, problem, results):
        self.name, self.problem = name, problem
        self.number = name.split("-")[0]
        self.runs = len(results)
        self.percent = statistics.median(r["measured"]["percent"] for r in results)
        self.gold = gold_of(min(r["measured"]["percent"] for r in results))
        self.words = results[0]["measured"]["baseline"].split(", ")[0]  # "device copy, 4198 GB/s"

    def of(self):
        named = self.words.lower().startswith(("cu", "the "))
        return self.words if named else "the " + self.words

    def figure(self, before):
        text = f"**{self.percent:.1f}%** of {self.of()} on an H200"
        if before and (before.words, before.problem) == (self.words, self.problem):
            text += f"; rung {before.number} had {before.percent:.1f}%"
        return text + "."


def measured_labs():
    """{lab: [Rung]} in the order of lab.toml; a rung without measurements is None."""
    results = {}
    for file in sorted(MEASURED.glob("*.run*.json")):
        for result in json.loads(file.read_text())["results"]:
            if result.get("measured") and result["source"] == "solution":
                results.setdefault(result["rung"], []).append(result)
    labs = {}
    for file in sorted((ROOT / "labs").glob("*/lab.toml")):
        lab = file.parent.name
        rungs = [(r["name"], Rung(r["name"], r["problem"], results[f"{lab}/{r['name']}"])
                  if f"{lab}/{r['name']}" in results else None)
                 for r in tomllib.loads(file.read_text())["rung"]]
        if any(rung for _, rung in rungs):
            labs[lab] = rungs
    return labs


def page_of(lab, rung):
    """course/worklogs/05-gemm-ladder for lab 05-gemm-float32: folders are known by their numbers."""
    for folder in (ROOT / "course/worklogs").glob(lab.split("-")[0] + "-*"):
        if (folder / f"{rung}.md").exists():
            return folder / f"{rung}.md"
    return None


def paragraph(text, start):
    """The match of the paragraph that begins with the regular expression `start`, or None."""
    return re.search(rf"^{start}.*(?:\n(?!\n).+)*", text, re.MULTILINE)


def wrapped(line):
    return "\n".join(textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False))


def with_won(text, figure):
    won = paragraph(text, r"\*\*Won[.:]\*\*")
    if won:
        line = " ".join(won.group().split("\n"))
        if "On paper" in line:
            return text
        if re.search(FIGURE, line):
            line = re.sub(FIGURE, figure, line, count=1)
        elif NOT_MEASURED.search(line):
            line = NOT_MEASURED.sub(figure, line, count=1)
        else:
            line = re.sub(r"^\*\*Won[.:]\*\*", lambda m: f"{m.group()} {figure}", line)
        return text[:won.start()] + wrapped(line) + text[won.end():]
    place = re.search(r"^\*\*(What did not work|Next)", text, re.MULTILINE)
    at = place.start() if place else len(text)
    return text[:at] + wrapped(f"**Won.** {figure}") + "\n\n" + text[at:]


def with_sizes(text, lab, rung):
    """The page's paragraph of other sizes, after **Won**; nothing if there is no such file."""
    file = MEASURED / f"{lab}.{rung}.sizes.json"
    if not file.exists():
        return text
    figures = [f"{' x '.join(re.findall(r'[0-9]+', row['size']))} {row['measured']['percent']:.1f}%"
               for row in json.loads(file.read_text())["rows"]]
    line = wrapped(f"**By size** (`./ridge bench {lab[:2]}/{rung.split('-')[0]} --solution`): "
                   f"{', '.join(figures)}.")
    there = paragraph(text, r"\*\*By size\*\*")
    if there:
        return text[:there.start()] + line + text[there.end():]
    won = re.search(r"^\*\*Won[.:]\*\*", text, re.MULTILINE)
    end = text.index("\n\n", won.start()) if "\n\n" in text[won.start():] else len(text.rstrip())
    return text[:end] + "\n\n" + line + text[end:]


def with_rows(text, lab, rungs):
    """The chapter's table of rungs, and below it the chart that ridge-ladders draws."""
    lines = text.split("\n")
    rows = {name: i for name, _ in rungs for i, line in enumerate(lines)
            if line.startswith(f"| `{name}` |")}
    if not rows:
        return text
    top = min(rows.values())
    has_column = "on an H200" in lines[top - 2]
    words = {rung.of() for _, rung in rungs if rung}
    if not has_column:
        of = words.pop() if len(words) == 1 else "its baseline"
        lines[top - 2] += f" our solution on an H200, of {of} |"
        lines[top - 1] += "---|"
    for name, rung in rungs:
        if name not in rows or (has_column and not rung):  # the text says why a cell has no figure
            continue
        cell = f" {rung.percent:.1f}% |" if rung else " |"
        line = lines[rows[name]]
        lines[rows[name]] = re.sub(r" [^|]*\|$", cell, line) if has_column else line + cell
    chart = f"../figures/ladder-{lab}.svg"
    if chart not in text:
        bottom = max(rows.values()) + 1
        caption = "The rungs of this lab in percent of the library, measured on an H200"
        lines[bottom:bottom] = ["", f"![{caption}]({chart})"]
    return "\n".join(lines)


def with_heading(text, rung):
    line = f"// Measured on an H200: {rung.percent:.1f}% of {rung.of()} (course/measured/nvidia-h200)."
    if HEADING.search(text):
        return HEADING.sub(line, text)
    lines = text.split("\n")
    code = next(i for i, one in enumerate(lines) if not one.startswith("//"))
    return "\n".join(lines[:code] + [line] + lines[code:])


def with_gold(text, name, rung):
    at = text.index(f'name = "{name}"')
    return text[:at] + re.sub(r"(\bgold = )[0-9.]+", lambda m: f"{m.group(1)}{rung.gold:g}", text[at:], count=1)


def worst_on(device):
    """{LAB/RUNG: percent}: the worst result on a device, "nvidia-h100", without superseded ones."""
    listed = tomllib.loads((ROOT / "course/measured/superseded.toml").read_text())["superseded"]
    old = {(group["rung"], result) for group in listed for result in group["results"]}
    worst = {}
    for file in (ROOT / "course/measured" / device).rglob("*.json"):
        document = json.loads(file.read_text())
        for result in document.get("results", []) if isinstance(document, dict) else []:
            if not result.get("measured") or result.get("source") != "solution":
                continue
            rung, percent = result["rung"], result["measured"]["percent"]
            name = f"{file.relative_to(ROOT / 'course/measured')} {percent:.1f}"
            if (rung, name) not in old:
                worst[rung] = min(percent, worst.get(rung, percent))
    return worst


def with_own_golds(text, lab):
    """The gold of every `nvidia-X = { pass = P, gold = G }` of a lab.toml."""
    name, lines = None, text.split("\n")
    for i, line in enumerate(lines):
        name = line.split('"')[1] if line.startswith('name = "') else name
        if line.startswith("target = "):
            lines[i] = re.sub(
                r"(nvidia-\w+)( = \{ pass = [0-9.]+, gold = )[0-9.]+",
                lambda m: f"{m[1]}{m[2]}{gold_of(worst_on(m[1])[f'{lab}/{name}']):g}", line)
    return "\n".join(lines)


def main():
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    write = sys.argv[1:] == ["--write"]
    changed = {}

    def change(file, make):
        before = changed.get(file, file.read_text())
        after = make(before)
        if after != before:
            changed[file] = after
        return "" if after == before else " *"

    for lab, rungs in measured_labs().items():
        before = None
        print(f"{lab}  (* is not what stands there)")
        for name, rung in rungs:
            if not rung:
                print(f"  {name}: not measured")
                continue
            figure = rung.figure(before)
            page, solution = page_of(lab, name), ROOT / "solutions" / lab / f"{name}.cu"
            places = [f"solution{change(solution, lambda t: with_heading(t, rung))}",
                      f"gold {rung.gold:g}"
                      f"{change(ROOT / 'labs' / lab / 'lab.toml', lambda t: with_gold(t, name, rung))}"]
            if page:
                mark = change(page, lambda t: with_sizes(with_won(t, figure), lab, name))
                places.insert(0, f"{page.relative_to(ROOT)}{mark}")
            print(f"  {name}: {figure}  [{rung.runs} runs]  -> {', '.join(places)}")
            if not (page and "On paper" in page.read_text()):
                before = rung
        chapter = ROOT / "course/chapters" / f"{lab}.md"
        print(f"  {chapter.relative_to(ROOT)}{change(chapter, lambda t: with_rows(t, lab, rungs))}")
        for i, line in enumerate(chapter.read_text().split("\n"), 1):
            if re.search(r"(No percentages stand here|Percentages of the library are missing|"
                         r"been measured on an H200)", line):
                print(f"    line {i} says that nothing was measured: take it out by hand")
    for file in sorted((ROOT / "labs").glob("*/lab.toml")):
        if mark := change(file, lambda t: with_own_golds(t, file.parent.name)):
            print(f"{file.relative_to(ROOT)}: gold of devices{mark}")
    if write:
        for file, text in changed.items():
            file.write_text(text)
    print(f"{len(changed)} files {'written' if write else 'would change: --write'}")


main()

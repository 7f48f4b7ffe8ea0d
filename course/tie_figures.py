#!/usr/bin/env python3
"""Compares the figures in the course's texts with what they come from.

  course/tie_figures.py             compare; list each figure without a source or with another value
  course/tie_figures.py --write     bring the lists up to date; a new figure gets a source if one is
                                    found, or "?", which is to be replaced by hand
  course/tie_figures.py --count     how many figures there are, by kind of source

A figure is a number with a unit of time, rate, ratio (%, times), clock or registers, outside of
code; in a table of measured or hardware figures it is every number. The lists are
course/measured/figures/NN.toml: the figures of each page in their order, with the source of each
(course/figure_sources.py says what that is).
The texts of quizzes and of the exam count as pages.
What other tests compare is not listed: tables of counts (tie_counts.py), a percentage or rate with
its rung, "**71.0%** of cublasSgemm on an H200" (tests/course).
"""
import json
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "course"))
from figure_sources import NUMBER, SET, Sources  # noqa: E402
from tie_counts import cells_of, tables_of  # noqa: E402

UNIT = (r"(?:%(?! \d)|(?:percentage points?|percent|[nmµ]s|(?<= )s|seconds?|minutes?|"
        r"(?:micro|milli|nano)seconds?|[GM]Hz|(?:clock )?cycles?|registers?|times|T?FLOPS|"
        r"[KMGTP]?B/s|[GTMP]?FLOP/s|FLOP/byte|Gbit/s|"
        r"(?:bytes|operations|instructions|wavefronts|FMAs) per (?:cycle|second|"
        r"clock|byte|operation|element))\b)")
ONE = NUMBER.pattern.removeprefix(r"(?<![\w.^-])")
FIGURE = re.compile(rf"(?<![\w.^/-])(?<!- )((?:\d[\d,]*\.\d+(?:, | and | or ))*"
                    rf"(?:{ONE}(?: to |–))?{ONE})[ -]?(?P<unit>{UNIT})")
# What tests/course compares already.
QUOTED = re.compile(r"\d+(?:\.\d)?(?:%| GFLOP/s) \(`\d\d/\d+`\)")
ON_H200 = re.compile(r"\*\*\d+\.\d%\*\* of [^.;]*? on an H200(?:; rung \d+ had \d+\.\d%)?\.")
BY_SIZE = re.compile(r"^\*\*By size\*\* \(`.*?\n\n", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`|\$\$.*?\$\$|<!--.*?-->", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\([^)\s]*\)")
# Numbers in a cell that are names.
NAMES = re.compile(r"\b(?:labs?|rungs?) \d+|\b\d+\^\d+|\b\d+[²³¹⁰-⁹]+|\([^()]*\)\[")
# An exception of tables.toml whose table has figures of these kinds.
FIGURES = re.compile(r"measured(?! percentages)|fitted|data sheets|limits of the hardware|"
                     r"sizes and latencies|latencies|rates of|properties of the hardware")


def blank(pattern, text):
    return pattern.sub(lambda m: re.sub(r"[^\n]", "\0", m[0]), text)


class Page:
    """The figures of a page, in order: [(figure as it is written, its numbers, paragraph)]."""

    def __init__(self, name, text, ties, exceptions):
        self.name, self.text, self.figures, rows = name, text, [], {}
        for first, table in tables_of(text):
            head = table[0]
            tied = any(t["page"] == name and t["header"] == head for t in ties)
            excused = [e for e in exceptions if Path(name).match(e["page"]) and e["header"] in head]
            whole = any(FIGURES.match(e["reason"]) for e in excused)
            for at, line in enumerate(table):
                named = any("percentages" in e["reason"] for e in excused)
                rows[first + at] = None if tied or at < 2 or named else (whole, head, excused)
        for pattern in (QUOTED, ON_H200, BY_SIZE, CODE, LINK):
            text = blank(pattern, text)
        self.read(text.split("\n"), rows)

    def read(self, lines, rows):
        paragraph, heading = [], ""
        for number, line in enumerate(lines + [""]):
            in_table = number in rows
            if in_table or not line.strip() or line.startswith("#"):
                self.add(" ".join(paragraph), heading)
                paragraph = []
                if line.startswith("#"):
                    heading = line
                elif in_table and rows[number]:
                    self.add_row(line, *rows[number])
            else:
                paragraph.append(line.strip())

    def add(self, text, heading):
        for match in FIGURE.finditer(text):
            self.figures.append((match[0], NUMBER.findall(match[1]), heading + " " + text, match))

    def add_row(self, line, whole, head, excused):
        context = head + " " + line + " " + " ".join(e["reason"] for e in excused)
        if not whole:
            return self.add(line, head + " " + context)
        numbers = [n for n in NUMBER.findall(NAMES.sub(" ", " ".join(cells_of(line)[1:])))
                   if n not in ("0", "1")]
        if numbers:
            self.figures.append((" ".join(numbers), numbers, context, None))


DRAWN = ("choices", "table", "picture", "source")


def quiz_text(value, key=""):
    """The texts of a quiz, without its choices: most of them are meant to be wrong."""
    if isinstance(value, dict):
        parts = [quiz_text(part, name) for name, part in value.items() if name not in DRAWN]
        return "\n\n".join(part for part in parts if part)
    if isinstance(value, list):
        return "\n\n".join(part for part in (quiz_text(one, key) for one in value) if part)
    return f"# Exercise\n\n{value}" if isinstance(value, str) and " " in value else ""


class Course:
    def __init__(self, root=ROOT):
        self.root, self.folder = root, root / "course"
        ties, exceptions = self.tables(self.folder)
        self.pages = {}
        for path in sorted(self.folder.rglob("*.md")):
            name = path.relative_to(self.folder).as_posix()
            if not name.startswith("measured/"):
                self.pages[name] = Page(name, path.read_text(), ties, exceptions)
        for path in [*sorted(self.folder.glob("quizzes/*.toml")), self.folder / "kit/exam.toml"]:
            if path.exists():
                name = path.relative_to(self.folder).as_posix()
                self.pages[name] = Page(name, quiz_text(tomllib.loads(path.read_text())), [], [])
        self.listed = {}
        for path in sorted((self.folder / "measured/figures").glob("*.toml")):
            self.listed |= tomllib.loads(path.read_text())
        self.sources = Sources(root)

    @staticmethod
    def tables(folder):
        toml = tomllib.loads((folder / "measured/virtual-gpu/tables.toml").read_text())
        return toml["table"], toml["exception"]

    def check(self):
        """What differs, in words."""
        wrong = [f"{name} is listed and is not a page" for name in self.listed.keys() - self.pages]
        for name, page in self.pages.items():
            there, listed = page.figures, self.listed.get(name, {}).get("figures", [])
            for figure, entry in zip(there, listed):
                if figure[0] != entry[0]:
                    wrong.append(f"{name}: \"{figure[0]}\" in the text, \"{entry[0]}\" in the list")
                    break
                faults = [self.sources.fault(n, s, figure[2], page.text)
                          for n, s in zip(figure[1], sources_of(entry, len(figure[1])))]
                wrong += [f"{name}: \"{figure[0]}\" {fault}" for fault in faults if fault]
            else:
                if len(there) != len(listed):
                    wrong.append(f"{name} has {len(there)} figures, its list {len(listed)}")
        unused = self.sources.facts.keys() - self.sources.used_facts - self.facts_of_quantities()
        return wrong + [f"facts.toml: nothing uses {name}" for name in sorted(unused)]

    def facts_of_quantities(self):
        """The facts that course/tie_quantities.py uses."""
        files = [self.folder / "measured/definitions.toml",
                 *(self.folder / "measured/quantities").glob("*.toml")]
        return {name for path in files
                for name in re.findall(r"fact\(\\?\"(\w+)", path.read_text())}


def sources_of(entry, numbers):
    """One source for all numbers of a figure, or one for each."""
    return entry[1:] * numbers if len(entry) == 2 else entry[1:]


def file_of(name):
    match = re.search(r"(?:chapters|worklogs)/(\d\d)-", name)
    folder = name.split("/")[0]
    return match[1] if match else folder if folder in ("concepts", "quizzes") else "other"


def kind_of(source):
    if source in SET or source == "?":
        return source
    if re.fullmatch(r"[\w./-]+\.[a-z]+(: .*)?", source):
        return "in a measured file" if "measured" in source else "in another file"
    for word in ("h200(", "h100(", "cost(", "latency("):
        if word in source:
            return "run"
    for word in ("count(", "device(", "fact("):
        if word in source:
            return word[:-1]
    return "arithmetic"


def write(course):
    from propose_figures import Proposals
    proposals = Proposals(course)
    files = {}
    for name, page in course.pages.items():
        old = {}
        for entry in course.listed.get(name, {}).get("figures", []):
            old.setdefault(entry[0], []).append(entry)
        entries = []
        for figure in page.figures:
            known = old.get(figure[0], [])
            entry = known.pop(0) if len(known) > 1 else known[0] if known else None
            if not entry or "?" in entry:
                entry = [figure[0], *proposals.of(name, figure)]
            entries.append(entry)
        if entries:
            lines = [f'  [{", ".join(json.dumps(part, ensure_ascii=False) for part in entry)}],'
                     for entry in entries]
            files.setdefault(file_of(name), []).append(
                f'["{name}"]\nfigures = [\n' + "\n".join(lines) + "\n]\n")
    folder = course.folder / "measured/figures"
    folder.mkdir(exist_ok=True)
    for name, parts in files.items():
        (folder / f"{name}.toml").write_text("\n".join(parts))


def main(arguments):
    course = Course()
    if arguments == ["--write"]:
        write(course)
        course = Course()
    kinds = Counter(kind_of(source) for page in course.listed.values() for entry in page["figures"]
                    for source in sources_of(entry, len(NUMBER.findall(entry[0]))))
    if arguments == ["--count"]:
        for kind, count in kinds.most_common():
            print(f"{count:5} {kind}")
        return 0
    complaints = course.check()
    for complaint in complaints:
        print(complaint)
    print(f"{kinds.total()} figures: {len(complaints) or 'no'} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

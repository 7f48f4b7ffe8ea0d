#!/usr/bin/env python3
"""Compares the quantities in the course's texts, those of bytes and of work, with their sources.

  course/tie_quantities.py           compare; list each that has no source or another value
  course/tie_quantities.py --count   how many there are, by kind of source
  course/tie_quantities.py --open    the quantities without a source, with their sentences

course/quantities.py says what a quantity is and what proves one without a list. The rest is listed
in course/measured/quantities/NN.toml: for each page, quantity = source. A source that is a list
belongs to a quantity that the page has in several meanings; each one must fit one of them. The
forms of a source: course/figure_sources.py.
Number words that state a measured ratio, "three times rung 3", are listed in the same files
(course/number_words.py).
Besides pages, quizzes and the exam, these texts count: hints, ideas, reasons of gates and captions
in labs/*/lab.toml, comments in the files of labs/ and solutions/, labels of
course/figures/concept_*, the README, the site's own pages. Of labs/, solutions/, labels and README
numbers with a unit of time, rate or ratio count as well.
"""
import json
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "course"))
from figure_sources import SET, Sources, Wrong  # noqa: E402
from number_words import words_of  # noqa: E402
from quantities import Lab, Proofs, quantities_of, rates_of  # noqa: E402
from tie_counts import tables_of  # noqa: E402
from tie_figures import FIGURE, FIGURES, Course as Figures, blank, CODE, LINK  # noqa: E402



def strings_of(value):
    if isinstance(value, dict):
        return [text for name, part in value.items() if name not in ("picture", "source", "read")
                for text in strings_of(part if name != "choices" else right_choice(value))]
    if isinstance(value, list):
        return [text for part in value for text in strings_of(part)]
    return [value] if isinstance(value, str) else []


def right_choice(question):
    """The right choices; the others are wrong on purpose."""
    right = question.get("right", [])
    numbers = right if isinstance(right, list) else [right]
    return [question["choices"][n - 1] for n in numbers]


def sections_of_toml(value):
    """One section for each table of the arrays of tables, and one for the rest."""
    sections, rest = [], {}
    for name, part in value.items():
        if isinstance(part, list) and part and isinstance(part[0], dict):
            sections += ["\n\n".join(strings_of(one)) for one in part]
        else:
            rest[name] = part
    return ["\n\n".join(strings_of(rest)), *sections]


class Text:
    """A text that readers see: [(section, the section without code)] and its lab, "" or "05"."""

    def __init__(self, name, sections):
        self.name, self.sections = name, sections
        lab = re.search(r"(?:^|/)(\d\d)-(?!\w*\.md$)", name) or re.match(r"chapters/(\d\d)-", name)
        self.lab = lab[1] if lab and not name.startswith("concepts/") else ""


def markdown(name, text, ties, exceptions):
    """Sections from heading to heading, without rows that tie_counts and tie_figures compare."""
    lines = text.split("\n")
    for first, table in tables_of(text):
        head = table[0]
        excused = [e for e in exceptions if Path(name).match(e["page"]) and e["header"] in head]
        if (any(t["page"] == name and t["header"] == head for t in ties)
                or any(FIGURES.match(e["reason"]) for e in excused)):
            for number in range(first + 2, first + len(table)):
                lines[number] = re.sub(r"[^|]", "\0", lines[number])
    parts = re.split(r"(?m)^(?=#+ )", "\n".join(lines))
    return Text(name, [(part, blank(LINK, blank(CODE, part))) for part in parts])


def code(name, text):
    """The comments of a file; its code proves them."""
    lines, blanked = [], []
    for line in text.split("\n"):
        comment = line.strip()[2:].strip() if line.strip().startswith("//") else None
        at = len(line) if comment is None else 0
        if comment is None and " // " in line:
            at = line.index(" // ") + 4
        lines.append(line if comment is None else comment)
        blanked.append("\0" * at + lines[-1][at:])
    return Text(name, [("\n".join(lines), "\n".join(blanked))])


def drawing(name, text):
    """The strings of a program that draws: its labels."""
    blanked = re.sub(r"[^\n]", "\0", text)
    for match in re.finditer(r'"([^"\n]*)"', text):
        blanked = blanked[:match.start(1)] + match[1] + blanked[match.end(1):]
    return Text(name, [(text, blanked)])


class Course:
    def __init__(self, root=ROOT):
        self.root, self.folder = root, root / "course"
        self.texts = list(self.read())
        self.listed = {}
        for path in sorted((self.folder / "measured/quantities").glob("*.toml")):
            self.listed |= tomllib.loads(path.read_text())
        self.sources = Sources(root)
        definitions = tomllib.loads((self.folder / "measured/definitions.toml").read_text())
        self.definitions = definitions["definition"]
        self.proofs = Proofs(self.sources, self.definitions)

    def read(self):
        ties, exceptions = Figures.tables(self.folder)
        for path in [*sorted(self.folder.rglob("*.md"))]:
            name = path.relative_to(self.folder).as_posix()
            if not name.startswith("measured/") and "node_modules" not in name:
                yield markdown(name, path.read_text(), ties, exceptions)
        for path in [*sorted(self.folder.glob("quizzes/*.toml")), self.folder / "kit/exam.toml",
                     *sorted(self.root.glob("labs/*/lab.toml"))]:
            parts = sections_of_toml(tomllib.loads(path.read_text()))
            parts = [(part, blank(CODE, part)) for part in parts]
            base = self.root if "labs" in path.parts else self.folder
            yield Text(path.relative_to(base).as_posix(), parts)
        for folder in ("labs", "solutions"):
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in (".cu", ".h", ".cuh"):
                    yield code(path.relative_to(self.root).as_posix(), path.read_text())

        for path in sorted((self.folder / "figures").glob("concept_*.py")):
            yield drawing(path.relative_to(self.folder).as_posix(), path.read_text())
        yield markdown("README.md", (self.root / "README.md").read_text(), ties, exceptions)

    def counts(self):
        """Counts by lab, under "" those of all: of the course's tables, and recorded totals."""
        ties, _ = Figures.tables(self.folder)
        found = {"": set()}
        for tie in ties:
            for row in tie["rows"]:
                if isinstance(row, dict):
                    cells = [(row["file"], cell) for cell in row.get("cells", tie["columns"])]
                else:
                    cells = zip(tie["columns"], [row] * 99 if isinstance(row, str) else row)
                for key, cell in cells:
                    for part in (cell or "").split(";"):
                        if key and part.strip() not in ("", "_"):
                            value = self.sources.records.of(key).value(part.strip())
                            found.setdefault(key[:2], set()).add(value)
                            found[""].add(value)
        for path in (self.folder / "measured/virtual-gpu").glob("*.json"):
            for key, record in json.loads(path.read_text())["files"].items():
                totals = {v for v in record["counts"].values() if v >= 1000 and v == int(v)}
                found.setdefault(key[:2], set()).update(totals)
        return found

    def states(self):
        """(text, quantity, what proves it or what is wrong with it, whether it is wrong)."""
        labs, counts = {}, self.counts()
        for text in self.texts:
            if text.lab not in labs:
                labs[text.lab] = Lab(self.root, text.lab, counts.get(text.lab, set()),
                                     self.sources)
            rows = self.listed.get(text.name, {})
            for section, blanked in text.sections:
                for q in self.of_section(text, section, blanked):
                    if q.text in rows:
                        yield text, q, *self.listed_state(text, q, rows[q.text])
                        continue
                    proof = self.proofs.of(q, labs[text.lab])
                    yield text, q, proof or "has no source", not proof
                for word in words_of(section, blanked):
                    fault = self.word_fault(text, word, rows.get(word.text))
                    yield text, word, fault or "number word", bool(fault)

    def listed_state(self, text, q, sources):
        faults = []
        for source in sources if isinstance(sources, list) else [sources]:
            around = self.words_around(text, q)
            fault = self.sources.fault(q.number, source, around, q.section)
            if not fault:
                return "listed", False
            faults.append(fault)
        return "; ".join(faults), True

    @staticmethod
    def of_section(text, section, blanked):
        """Rates and times of pages and quizzes are listed by course/tie_figures.py."""
        of_code = text.name.startswith(("labs/", "solutions/", "figures/", "README"))
        rates = rates_of(section, blanked, FIGURE) if of_code else []
        return quantities_of(section, blanked) + rates

    def word_fault(self, text, word, source):
        """"" or why a row does not support a number word."""
        if source is None:
            return "has no source"
        if source in SET:
            return self.sources.unsaid(word.word, source, self.words_around(text, word))
        try:
            fault = word.differs(self.sources.value(source.partition("  # ")[0]))
            return f"{fault} {source}" if fault else ""
        except Wrong as error:
            return str(error)

    @staticmethod
    def words_around(text, q):
        """What has to say that the text sets a figure itself."""
        heading = q.section.lstrip().split("\n")[0]
        return f"{heading} {q.paragraph}" if text.name.endswith(".md") else q.section

    def check(self):
        wrong, seen = [], {}
        for text, q, state, bad in self.states():
            seen.setdefault(text.name, set()).add(q.text)
            if bad:
                wrong.append(f"{text.name}: \"{q.text}\" {state}")
        for name, rows in self.listed.items():
            wrong += [f"{name}: \"{key}\" is listed and not in the text"
                      for key in rows if key not in seen.get(name, set())]
        wrong += [f"definitions.toml: nothing uses {row['source']} of \"{row['says']}\""
                  for number, row in enumerate(self.definitions) if number not in self.proofs.used]
        return wrong


def main(arguments):
    course = Course()
    if arguments == ["--open"]:
        for text, q, state, bad in course.states():
            if bad:
                print(f"{text.name} [{q.text}] {' '.join(q.paragraph.split())[:230]}")
        return 0
    kinds = Counter("no source" if bad else state for _, _, state, bad in course.states())
    if arguments == ["--count"]:
        for kind, count in kinds.most_common():
            print(f"{count:5} {kind}")
        return 0
    complaints = course.check()
    print("\n".join(complaints))
    print(f"{kinds.total()} quantities: {len(complaints) or 'no'} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

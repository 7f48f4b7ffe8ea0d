#!/usr/bin/env python3
"""Compares the counts in the course's tables with what the virtual GPU counted.

  course/tie_counts.py             compare; list each figure that is not the recorded count
  course/tie_counts.py --write     write the recorded counts into the tables instead
  course/tie_counts.py --missing   list the tables with figures that tables.toml does not know

course/measured/virtual-gpu/tables.toml says what each cell of a table is: a column is a file graded
as a rung, a row is an expression of its counts. course/record_counts.py grades these files and
writes the counts to LAB.json beside it. A table that is not counted is an exception, with a reason.
ctest runs the comparison, and grades a drawn sample of the files anew.
"""
import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
PAGES = ("chapters/*.md", "concepts/*.md", "worklogs/*/*.md")
NOTHING = {"no access": 1e12, "none": 0, "–": 0}  # words for a count, at the beginning of a cell


class Wrong(Exception):
    """A mistake in tables.toml: it says what and where."""


def sectors_at_stride(stride, first=0):
    """Sectors of a request whose lane k accesses the float at byte first + 4 x stride x k."""
    return len({(first + 4 * stride * lane) // 32 for lane in range(32)})


def wavefronts_at_stride(stride, banks=32):
    """Wavefronts of `banks` lanes, of which lane k accesses word stride x k."""
    words = {stride * lane for lane in range(banks)}
    return max(sum(word % banks == bank for word in words) for bank in range(banks))


ARITHMETIC = {"sectors_at_stride": sectors_at_stride, "wavefronts_at_stride": wavefronts_at_stride,
              "min": min}


class Counts:
    """What was recorded of one file: counts by name, and sums over its lines."""

    def __init__(self, record):
        self.record = record

    def lines(self, field, what, text):
        return sum(line[field] for line in self.record["lines"]
                   if line["what"].startswith(what) and text in line["text"] + line["what"])

    def names(self):
        def sums(field):
            return lambda what="", text="": self.lines(field, what, text)

        names = {field: sums(field) for field in
                 ("requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")}
        return names | ARITHMETIC | {"occupancy": self.occupancy} | self.record["counts"]

    def occupancy(self, threads):
        """Part of the 64 warps of an SM of an H200 that blocks of so many threads fill."""
        counts = self.record["counts"]
        warps = (threads + 31) // 32
        registers = warps * ((counts["registers"] * 32 + 255) // 256 * 256)
        shared = counts.get("shared_bytes", 0) + 1024  # 1 KB of each block is the system's
        return min(64 // warps, 65536 // registers, 233472 // shared, 32) * warps / 64

    def value(self, expression):
        names = self.names()
        used = set(re.findall(r"[a-z_][a-z_0-9]*", re.sub(r"'[^']*'", "", expression)))
        zeros = {name: 0 for name in used - names.keys() if name in COUNT_NAMES}
        try:
            return eval(expression, {"__builtins__": {}}, names | zeros)  # the project's own file
        except (NameError, ZeroDivisionError) as error:
            raise Wrong(f"{expression}: {error}") from error


COUNT_NAMES = set(re.findall(r'\{"([a-z_0-9]+)",',
                             "".join(path.read_text() for path in
                                     (ROOT / "harness/measure").glob("*.cpp"))))


def lab_of(rung):
    return next((ROOT / "labs").glob(rung.split("/")[0] + "-*")).name


def source_of(key):
    """The rung and the file of a key; a rung alone is its solution."""
    rung, _, file = key.partition(" ")
    if not file:
        file = next((ROOT / "solutions" / lab_of(rung)).glob(rung.split("/")[1] + "-*.cu"))
    return rung, ROOT / file


def code_of(file):
    """Changes when the file's code does; its comments and white space do not count."""
    code = re.sub(r"//[^\n]*|\s+", "", file.read_text())
    return hashlib.sha256(code.encode()).hexdigest()[:12]


class Records:
    """The recorded files by key: "02/5", or "02/1 tests/.../file.cu" graded as that rung.

    The key "=" is for arithmetic without a file."""

    def __init__(self, folder):
        self.files = {}
        for path in sorted(folder.glob("*.json")):
            self.files |= json.loads(path.read_text())["files"]

    def of(self, key):
        if key == "=":
            return Counts({"counts": {}, "lines": []})
        if key not in self.files:
            raise Wrong(f"{key} is not recorded: course/record_counts.py {key!r}")
        return Counts(self.files[key])


def written(value, figure, words):
    """`value` in the form of `figure` (its decimals, its commas), or None if it is that value.

    `words` is what precedes the figure: "about" allows the rounding that its zeros show."""
    digits = figure.replace(",", "")
    decimals = len(digits.partition(".")[2])
    unit = 10.0 ** -decimals
    if words.rstrip().endswith("about") and not decimals:
        unit = 10.0 ** (len(digits) - len(digits.rstrip("0")))
    if abs(value - float(digits)) <= 0.5 * unit * (1 + 1e-9):
        return None
    rounded = round(value / unit) * unit
    text = f"{rounded:,.{decimals}f}"
    return text if "," in figure or rounded < 10000 else text.replace(",", "")


def tied_cell(cell, expressions, counts):
    """[(figure, right figure)] of a cell, and the cell with the right figures."""
    bare = cell.strip()
    for word, value in NOTHING.items():
        if bare.startswith(word):
            if expressions[0] == "_":
                return [], cell
            got = counts.value(expressions[0])
            if (got < value if value else got != 0):
                return [(word, f"{got:g}")], cell
            return [], cell
    wrong, out, end = [], "", 0
    figures = list(NUMBER.finditer(cell))
    if figures and len(figures) != len(expressions):
        raise Wrong(f"the cell \"{bare}\" has {len(figures)} figures and {len(expressions)} "
                    "expressions")
    for match, expression in zip(figures, expressions):
        right = None
        if expression != "_":
            percent = 100 if cell[match.end():].startswith("%") else 1
            right = written(percent * counts.value(expression), match[0], cell[:match.start()])
        if right is not None:
            wrong.append((match[0], right))
        out += cell[end:match.start()] + (right or match[0])
        end = match.end()
    return wrong, out + cell[end:]


def tables_of(text):
    """(first line, [lines]) of each table of a page, outside of code."""
    lines, tables, code = text.split("\n"), [], False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            code = not code
        if code or not line.startswith("|") or (number and lines[number - 1].startswith("|")):
            continue
        end = number
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        tables.append((number, lines[number:end]))
    return tables


def cells_of(line):
    return re.split(r"(?<!\\)\|", line)[1:-1]


def has_figures(table):
    return any(NUMBER.search(cell) for line in table[2:] for cell in cells_of(line)[1:]) or any(
        NUMBER.search(cells_of(line)[0]) for line in table[2:])


def row_expressions(row, column, columns):
    """A row is one string for all columns or a list of one per column."""
    if isinstance(row, str):
        return row
    if len(row) != columns:
        raise Wrong(f"a row has {len(row)} expressions and its table {columns} columns")
    return row[column]


def tie_table(lines, tie, records, complain):
    """The table's lines with the recorded counts; `complain` is told of each that differs."""
    out, rows = list(lines[:2]), tie["rows"]
    if len(rows) != len(lines) - 2:
        raise Wrong(f"the table has {len(lines) - 2} rows, tables.toml {len(rows)}")
    for number, (line, row) in enumerate(zip(lines[2:], rows)):
        cells = cells_of(line)
        if isinstance(row, dict):  # each row is a file; the columns are expressions
            expressions = row.get("cells", tie["columns"])
            keys = [row["file"]] * len(expressions)
        else:
            keys = tie["columns"]
            expressions = [row_expressions(row, c, len(keys)) for c in range(len(keys))]
        if len(keys) != len(cells) - 1:
            raise Wrong(f"row {number + 1} has {len(cells) - 1} columns, tables.toml {len(keys)}")
        for column, (key, expression) in enumerate(zip(keys, expressions)):
            if not key or not expression or not cells[column + 1].strip():
                continue
            parts = [part.strip() for part in expression.split(";")]
            try:
                wrong, cells[column + 1] = tied_cell(cells[column + 1], parts, records.of(key))
            except Wrong as error:
                raise Wrong(f"row {number + 1}, column {column + 1}: {error}") from error
            for figure, right in wrong:
                complain(f"{cells[0].strip()}, column {column + 1} ({key}): {figure} is {right}")
        out.append("|" + "|".join(cells) + "|")
    return out


class Course:
    """The pages below `folder` (the course's), and what tables.toml says of their tables."""

    def __init__(self, folder):
        self.folder = folder
        toml = tomllib.loads((folder / "measured/virtual-gpu/tables.toml").read_text())
        self.ties, self.exceptions = toml.get("table", []), toml.get("exception", [])
        self.records = Records(folder / "measured/virtual-gpu")

    def keys(self):
        """Every file that a table names, in order."""
        keys = {}
        for tie in self.ties:
            rows = [row["file"] for row in tie["rows"] if isinstance(row, dict)]
            keys |= dict.fromkeys(rows or tie["columns"])
        return [key for key in keys if key not in ("", "=")]

    def check(self, write=False):
        """What is not as recorded, in words; with `write` it is written into the pages."""
        complaints, used = [], set()
        for pattern in PAGES:
            for page in sorted(self.folder.glob(pattern)):
                complaints += self.check_page(page, used, write)
        known = [("table", tie) for tie in self.ties] + [("exception", e) for e in self.exceptions]
        complaints += [f"tables.toml: no table fits the {kind} {entry['page']}: {entry['header']}"
                       for kind, entry in known if id(entry) not in used]
        complaints += [f"{key} was recorded with other code: course/record_counts.py {key!r}"
                       for key, record in self.records.files.items()
                       if "code" in record and record["code"] != code_of(source_of(key)[1])]
        complaints += [f"tables.toml: {e['page']}: an exception without a reason"
                       for e in self.exceptions if len(e.get("reason", "").split()) < 3]
        return complaints

    def check_page(self, page, used, write):
        name = page.relative_to(self.folder).as_posix()
        text = page.read_text()
        lines, complaints = text.split("\n"), []
        for number, table in tables_of(text):
            def complain(what):
                complaints.append(f"{name}:{number + 1}: {what}")

            fits = [tie for tie in self.ties if tie["page"] == name and tie["header"] == table[0]]
            excused = [e for e in self.exceptions
                       if Path(name).match(e["page"]) and e["header"] in table[0]]
            used.update(map(id, fits + excused))
            if not fits and not excused and has_figures(table):
                complain(f"a table that tables.toml does not know: {table[0]}")
            for tie in fits:
                try:
                    table = tie_table(table, tie, self.records, complain)
                except Wrong as error:
                    complain(str(error))
                lines[number:number + len(table)] = table
        if write:
            page.write_text("\n".join(lines))
        return complaints


def main(arguments):
    course = Course(ROOT / "course")
    complaints = course.check(write="--write" in arguments)
    if "--missing" in arguments:
        complaints = [c for c in complaints if "does not know" in c]
    for complaint in complaints:
        print(complaint)
    print(f"{len(course.ties)} tables of {len(course.keys())} files, "
          f"{len(course.exceptions)} exceptions: {len(complaints) or 'no'} complaints")
    return 1 if complaints and "--write" not in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Finds the quantities of the course's texts, and proves as many as follow from the text itself.

A quantity is a number with a unit of memory (bytes, KB, MB, ...), of work (sectors, wavefronts,
requests, loads, stores, instructions, ...) or of residence (warps per SM), or a multiple ("2.6x").
It has to be one of these; course/tie_quantities.py asks, in this order:

  type         bytes or bits of a type that the paragraph names, 4 bytes of a float, or of the
               elements and vectors that the lab's code has
  definition   a row of course/measured/definitions.toml, whose words are in the paragraph and whose
               source gives the number
  run          a percentage with a decimal: the median of a rung of the lab on an H200 or H100
  counted      a count of the lab's files that a table of the course has (tables.toml)
  arithmetic   the value of an expression in the section, "64 bytes × 2048 threads", of a shape
               times the bytes of a type, "4096 × 4096 floats", or of a number with a unit of
               memory in another unit
  input        a size from which an expression of the section computes something
  parameter    bytes of a constant of the lab's code or of a size in its lab.toml
  listed       a row of course/measured/quantities/NN.toml with its source

Sizes (rows, columns, threads, elements, blocks of a launch) are not quantities: a text sets them.
"""
import math
import re

from figure_sources import NUMBER, Wrong
from tie_counts import written

ONE = NUMBER.pattern.removeprefix(r"(?<![\w.^-])")
UNIT = (r"(?:[KMGT]i?B(?!/s)|bytes?(?! per (?:second|cycle))|bits?|sectors?|wavefronts?|"
        r"(?:warp )?instructions?|requests?|(?:shared )?loads|stores|atomics|(?:warp )?FMAs|"
        r"operations(?! on)|(?:blocks|warps|threads) per SM|bank conflicts|W)\b")
QUANTITY = re.compile(rf"(?<![\w.^/#-])(?<!- )(?<!/ )(?P<list>(?:{ONE}(?:, | and | or | to |–))*)"
                      rf"(?P<last>{ONE})(?P<unit>[ -]{UNIT}|(?<=\.\d)x\b|(?<=\.\d\d)x\b)")
# A number that counts something else: "rung 3 loads", "lane 0 stores", "version 12.0".
NAMED = re.compile(r"(?:[Rr]ungs?|[Ll]anes?|[Ll]abs?|[Tt]hreads?|[Bb]locks?|[Ww]arps?|[Vv]ersions?|"
                   r"[Bb]anks?|[Dd]evices?|[Ss]tages?|GPU|[Ll]aunch|[Ll]ine|tiles? of \d+ [x×])"
                   r"(?: \d+(?:,| and| or| to))* ?$")
SCALE = {"KB": 2**10, "KiB": 2**10, "MB": 2**20, "MiB": 2**20, "GB": 2**30, "GiB": 2**30,
         "TB": 2**40}
DECIMAL = {"MB": 10**6, "GB": 10**9, "TB": 10**12}
TYPES = {1: r"\bbytes? each|fp8|FP8|uint8|int8|\bchars?\b|e4m3|e5m2|\bbools?\b",
         2: r"bf16|BF16|bfloat16|\bhalf\b|__half|FP16|fp16|16-bit|uint16|two-byte",
         4: r"\bfloats?\b|\bints?\b|\bunsigned\b|float32|FP32|\bwords?\b|\bu?int32|32-bit|TF32|"
            r"\bkeys?\b|\bindex\b|\bindices\b|bf16x2|bfloat162|\bf32\b|\bfields?\b",
         8: r"double|float2|int64|uint64|long long|64-bit|mbarriers?|\bpairs?\b|uint2|pointers?|"
            r"address|doubles",
         16: r"float4|uint4|int4|16-byte|vectors?|ldmatrix|cp\.async|pieces?|copies|copy|\bwide\b|"
             r"per lane|__m128|core matri"}
CODE_TYPES = {2: r"__nv_bfloat16", 4: r"\bfloat\b", 16: r"float4|uint4|int4"}
SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "sixteen": 16}
TERM = r"\(*-?\d+(?:\.\d+)?(?:e-?\d+)?(?:\*\*\d+)?\)*"
NOUNS = r"(?: ?[A-Za-z%µ-]+(?:/s)?){0,3}?"
CHAIN = re.compile(rf"{TERM}(?:{NOUNS}(?: ?[*] ?| [/+-] ){TERM})+")
BARE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def plain(text):
    """The text with its operators as Python writes them and its numbers without commas."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(r"([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "**" + m[0].translate(SUPER), text)
    text = re.sub(r"(?<=\d)\^(?=\d)", "**", text)
    text = text.replace("×", "*").replace("·", "*").replace("–", "-").replace("\n", " ")
    text = re.sub(r"(?<=[\d)a-z]) (?:x|times|of|by) (?=\(?\d)", " * ", text)
    text = text.replace(" over ", " / ").replace(" against ", " / ")
    text = re.sub(r"(\d+(?:\.\d+)?) \* 10\*\*(\d+)", r"\1e\2", text)
    text = re.sub(rf"\b({'|'.join(WORDS)})\b", lambda m: str(WORDS[m[0]]), text)
    return text


def value_of(chain):
    bare = re.sub(r"(?<![\d.])[A-Za-z%µ]+(?:/s)?|(?<=\d)(?!e-?\d)[A-Za-z%µ]+|-(?=[A-Za-z])", "",
                  chain)
    bare = bare.strip()
    if bare.count("(") != bare.count(")"):
        bare = bare.replace("(", "").replace(")", "")
    if not re.fullmatch(r"[\d.()*/+ e-]+", bare) or re.search(r"\*\*\s*\d{3,}", bare):
        return None
    try:
        return float(eval(bare, {"__builtins__": {}}))  # digits and operators only
    except (SyntaxError, ZeroDivisionError, OverflowError, TypeError, ValueError):
        return None


def values_in(text):
    """The values of all expressions in a text, and of their parts."""
    found = set()
    for match in CHAIN.finditer(plain(text)):
        parts = re.split(r"(?<=[\d)\w]) ?(?=[*/+-](?!\*))(?<!\*)", match[0])
        for first in range(len(parts)):
            for last in range(first + 2, len(parts) + 1):
                part = "".join(parts[first:last])
                value = value_of(part.lstrip("*/+- ") if first else part)
                if value is not None and math.isfinite(value):
                    found.add(value)
    return found


class Quantity:
    def __init__(self, number, unit, section, at):
        self.text = number + "x" if unit == "x" else f"{number} {unit}"
        self.number, self.unit, self.section, self.at = number, unit, section, at
        self.sentence = between(section, at, (". ", "? ", "\n\n", "|\n", ".\n"), (": ",))
        self.paragraph = " ".join(between(section, at, ("\n\n", "|\n")).split())

    def bytes_of(self):
        """What the number is multiplied by: 1, or the bytes of its unit. A KB has 1024 bytes."""
        return {SCALE.get(self.unit, 1), DECIMAL.get(self.unit, 1), 1}

    def in_memory(self):
        return self.unit in SCALE or self.unit.rstrip("s") in ("byte", "bit")

    def equals(self, value):
        """Whether a value in bytes, or a count, is this quantity in its own decimals."""
        rough = "about" if re.search(rf"\b(?:about|nearly|over|some) {re.escape(self.number)}",
                                     self.sentence) else ""
        return any(written(abs(value) / scale, self.number, rough) is None
                   for scale in self.bytes_of())


def between(text, at, marks, begins=()):
    """What lies around a place between marks; `begins` are marks before it only."""
    before = max(text.rfind(mark, 0, at) for mark in (*marks, *begins))
    ends = [e for e in (text.find(mark, at) for mark in marks) if e >= 0]
    return text[before + 1:min(ends, default=len(text))]


def rates_of(section, blanked, pattern):
    """Numbers with a unit of time, rate or ratio, which `pattern` finds, in a text of labs/ or
    solutions/; those of "Measured on an H200: ..." are compared by tests/course."""
    found = []
    for match in pattern.finditer(re.sub(r"[\n\0]", " ", blanked)):
        if re.search(r"easured on an H\d00: $", blanked[max(0, match.start() - 40):match.start()]):
            continue
        unit = match["unit"]
        before = blanked[max(0, match.start() - 12):match.start()]
        if (unit == "s" and before.endswith("+ ")) or (unit == "times" and NAMED.search(before)):
            continue  # an index 4 s; "rung 4 times"
        for number in NUMBER.finditer(match[1]):
            quantity = Quantity(number[0], unit, section, match.start() + number.start())
            quantity.text = number[0] + ("" if unit == "%" else " ") + unit
            found.append(quantity)
    return found


def quantities_of(section, blanked):
    """The quantities of one section; `blanked` is the section without its code and links."""
    found = []
    for match in QUANTITY.finditer(blanked):
        before = blanked[max(0, match.start() - 40):match.start()].replace("\n", " ")
        unit = match["unit"].strip(" -")
        if NAMED.search(before) and unit in ("loads", "stores", "request"):
            continue
        numbers = [(n[0], match.start() + n.start())
                   for n in NUMBER.finditer(match["list"] + match["last"])]
        if before.endswith("tride "):  # "stride 8, 32 sectors"
            numbers = numbers[1:]
        if before.endswith("per ") and numbers[0][0] in ("100", "1000"):  # a unit: per 100 FMAs
            continue
        found += [Quantity(number, unit, section, at) for number, at in numbers]
    return found


class Lab:
    """What the code of a lab says: constants and sizes, sizes of types, counts."""

    def __init__(self, root, number, counts, sources=None):
        self.parameters, self.types, self.counts = set(), set(), counts
        self.percents = set()  # the medians of its rungs, with one decimal
        for device, rung in sources.runs if sources and number else ():
            if rung.startswith(number):
                for run in (None, "stages"):
                    try:
                        self.percents.add(f"{sources.of(device, rung, run).percent:.1f}")
                    except Wrong:  # there is no such run
                        pass
        for path in root.glob(f"*/{number}-*/*") if number else []:
            text = path.read_text() if path.suffix in (".cu", ".h", ".cuh", ".toml") else ""
            for line in re.findall(r"constexpr[^;]*;|(?:gpu|virtual)_size = .*", text):
                self.parameters |= {int(n) for n in re.findall(r"(?<![\w.])\d+(?![\w.])", line)}
            self.types |= {size for size, names in CODE_TYPES.items() if re.search(names, text)}


class Proofs:
    """Which quantities follow from their section, from definitions or from the lab's code."""

    def __init__(self, sources, definitions):
        self.sources, self.definitions = sources, definitions
        self.used = set()

    def of(self, quantity, lab):
        """The name of a proof, or ""."""
        if self.is_type(quantity, lab.types):
            return "type"
        for name, proof in (("definition", self.is_definition), ("arithmetic", self.is_arithmetic),
                            ("input", self.is_input)):
            if proof(quantity):
                return name
        if quantity.unit == "%" and quantity.number in lab.percents:
            return "run"
        digits = len(quantity.number.replace(",", "").replace(".", "").lstrip("0"))
        if digits >= 3 and any(written(c, quantity.number, "") is None for c in lab.counts):
            return "counted"
        return "parameter" if self.is_parameter(quantity, lab.parameters) else ""

    @staticmethod
    def is_parameter(q, parameters):
        number = float(q.number.replace(",", ""))
        named = [size for size, names in TYPES.items() if re.search(names, q.section)]
        sizes = {p * size for p in parameters for size in {1, *named} if p >= 16}
        scale = SCALE.get(q.unit, 1)
        return q.in_memory() and number * scale >= 64 and number * scale in sizes

    @staticmethod
    def is_type(q, of_lab):
        unit = q.unit.rstrip("s")
        size = float(q.number.replace(",", "")) / (8 if unit == "bit" else 1)
        named = size in TYPES and re.search(TYPES[size], q.paragraph)
        return unit in ("byte", "bit") and bool(named or (unit == "byte" and size in of_lab))

    def is_definition(self, q):
        for number, row in enumerate(self.definitions):
            if (row["unit"] == q.unit.rstrip("s") and re.search(row["says"], q.paragraph) and
                    q.equals(self.sources.value(row["source"]))):
                self.used.add(number)
                return True
        return False

    def is_arithmetic(self, q):
        small = float(q.number.replace(",", "")) <= 32
        if not float(q.number.replace(",", "")):
            return False
        text = q.sentence if small else q.section
        values = values_in(text)
        if q.in_memory():
            sizes = [size for size, names in TYPES.items() if re.search(names, q.section)]
            bare = {float(n) for n in BARE.findall(plain(q.sentence))}
            own = float(q.number.replace(",", ""))
            values |= {v * size for v in values | (bare - {own}) for size in sizes}
            for other in QUANTITY.finditer(q.sentence):
                unit = other["unit"].strip(" -")
                if unit in SCALE and (unit, other["last"]) != (q.unit, q.number):
                    value = float(other["last"].replace(",", ""))
                    values |= {value * SCALE[unit], value * DECIMAL.get(unit, SCALE[unit])}
        if q.unit.rstrip("s") == "bit":
            values = {8 * v for v in values} | values
        return any(q.equals(value) for value in values)

    @staticmethod
    def is_input(q):
        number = q.number.replace(",", "")
        if not q.in_memory() or number == "0":
            return False
        text = plain(q.section)
        for match in CHAIN.finditer(text):
            operands, value = BARE.findall(match[0]), value_of(match[0])
            if number in operands and value:
                rest = BARE.findall(text[:match.start()] + " " + text[match.end():])
                if any(same(value, other) for other in rest if float(other) > 32):
                    return True
        return False


def same(value, figure):
    """Whether a number of a text is this value, also in thousands, KB, percent and the like."""
    scales = [1, 100, *(10.0**-n for n in (3, 6, 9, 12)), *(2.0**-n for n in (10, 20, 30))]
    return any(written(value * scale, figure, "") is None for scale in scales)

"""Finds the number words of the course's texts that state a measured ratio: "three times rung 3".

A word counts if its sentence speaks of time, speed, a rate or a percentage (MEASURED). Elsewhere
"half" and "twice" count parts and events, which the text itself shows: "half of the lanes", "each
element is loaded twice". A row of course/measured/quantities/NN.toml whose key is the word and the
two words after it has the source of the ratio; course/tie_quantities.py compares them.
"""
import re

from quantities import between

NAMES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
         "ten": 10, "twelve": 12, "sixteen": 16, "twenty": 20, "fifty": 50, "hundred": 100,
         "thousand": 1000, "twice": 2, "half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4,
         "fifth": 1 / 5, "sixth": 1 / 6, "eighth": 1 / 8, "tenth": 1 / 10, "thirds": 1 / 3,
         "quarters": 1 / 4, "fifths": 1 / 5, "doubles": 2, "doubled": 2, "halves": 1 / 2,
         "halved": 1 / 2}
MANY = "two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|twenty|fifty|hundred|thousand"
NO_PART = r"(?! \w*(?:group|kernel|consumer|question|time\b))"  # a third kernel
WORD = re.compile(rf"\b(?:(?:{MANY})[ -]times|twice|doubles|doubled|halves|halved|half|"
                  rf"a (?:third|quarter|fifth|sixth|eighth|tenth){NO_PART}|"
                  rf"(?:two|three) (?:thirds|quarters|fifths))\b", re.IGNORECASE)
MEASURED = re.compile(r"\bspeed\b|\bas (?:fast|long)\b|\bfaster\b|\bslower\b|\bworth\b|\d%|"
                      r"\d (?:[mµ]s|us)\b|\bbandwidth\b|\brate of\b|Measured|\btime of\b|"
                      r"'s time\b|\btimes? is\b|of (?:its|the) (?:time|hypothesis)\b|reaches")
# What precedes the word, and by how much the ratio may differ then: least and most.
QUALIFIED = ((r"[Ll]ess than|under|below", 0.5, 1.0), (r"[Mm]ore than|over", 1.0, 2.0),
             (r"nearly|almost", 0.8, 1.05), (r"at most", 0.0, 1.0), (r"at least", 1.0, 9.0))
ROUNDED = (0.88, 1.12)


def value_of(word):
    """The number that a word means: 0.67 of "two thirds", 3 of "three times"."""
    first, *rest = [part for part in re.split(r"[ -]", word.lower()) if part not in ("a", "times")]
    value = NAMES[first]
    return value * NAMES[rest[0]] if rest else value


class NumberWord:
    """A word in a sentence about what was measured; `text` is the key of its row."""

    def __init__(self, match, section, blanked):
        self.word, self.section = match[0], section
        after = blanked[match.end():match.end() + 60].replace("\0", "")
        self.text = " ".join([self.word.lower(), *re.findall(r"[\w'-]+", after)[:2]])
        self.before = " ".join(blanked[max(0, match.start() - 24):match.start()].split())
        self.paragraph = " ".join(between(section, match.start(), ("\n\n", "|\n")).split())

    def differs(self, ratio):
        """"" or why a ratio is not what the word says."""
        least, most = next((bounds[1:] for bounds in QUALIFIED if re.search(
            rf"(?:{bounds[0]})$", self.before)), ROUNDED)
        right = least <= ratio / value_of(self.word) <= most
        return "" if right else f"is {ratio:.3g} by"


def words_of(section, blanked):
    found = []
    for match in WORD.finditer(blanked):
        marks = (". ", "? ", "\n\n", "|\n", ".\n", "; ")
        sentence = between(blanked, match.start(), marks).replace("\0", "")
        if MEASURED.search(" ".join(sentence.split())):
            found.append(NumberWord(match, section, blanked))
    return found

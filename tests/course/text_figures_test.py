#!/usr/bin/env python3
"""Tests of course/tie_figures.py: a figure that is changed by hand is found, wherever it is.

--seed N draws the changes of the course's own pages anew.
"""
import random
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "course"))
from figure_sources import SET, Sources  # noqa: E402
from tie_figures import Course, Page  # noqa: E402

SEED = 2700


def figures(text, ties=(), exceptions=()):
    return [figure[0] for figure in Page("chapters/01-x.md", text, ties, exceptions).figures]


def changed(number):
    """The same number with another last digit."""
    digit = str((int(number[-1]) + random.randint(2, 8)) % 10)
    return number[:-1] + digit


class Figures(unittest.TestCase):
    def test_numbers_with_a_unit_of_time_rate_ratio_or_registers_are_figures(self):
        for text in ("4.8 TB/s", "650 cycles", "1.3 times", "63%", "255 registers", "0.212 ms",
                     "15 to 20%", "4.06 and 2.93 TB/s", "0.25 operations per byte", "2 µs"):
            self.assertEqual(figures(f"It has {text} here."), [text])

    def test_names_code_and_quoted_medians_are_no_figures(self):
        for text in ("rung 5", "2^27 times", "k % 8", "13 % 8", "`4.8 TB/s`", "lab 12",
                     "104.7% (`05/11`)", "967 GFLOP/s (`05/1`)", "N - 1 times", "4 x 128 rows",
                     "**71.0%** of cublasSgemm on an H200.", "330e-9 s"):
            self.assertEqual(figures(f"It has {text} here."), [], text)

    def test_a_row_of_a_measured_table_is_a_figure_and_one_of_a_counted_table_is_none(self):
        table = "| a | b |\n|---|---|\n| x | 3 of 4.5 |\n"
        measured = [{"page": "chapters/*.md", "header": "| a | b |", "reason": "measured: there"}]
        by_hand = [{"page": "chapters/*.md", "header": "| a | b |", "reason": "an example"}]
        counted = [{"page": "chapters/01-x.md", "header": "| a | b |"}]
        self.assertEqual(figures(table, [], measured), ["3 4.5"])
        self.assertEqual(figures(table, [], by_hand), [])
        self.assertEqual(figures(table, counted), [])


class Faults(unittest.TestCase):
    sources = Sources()

    def fault(self, figure, source, text=""):
        return self.sources.fault(figure, source, text)

    def test_a_figure_is_what_its_source_gives_in_its_own_decimals(self):
        path = "warp_model/devices/h200.toml"
        for figure, source in (("4.8", 'device("h200", "memory_gb_per_s") / 1000'),
                               ("67", "133.8 / 2"), ("475", path), ("475", path + ": l2_latency"), ("16", "32 / 2"),
                               ("3.6", '10**6 / fact("pytorch_tiny_operations_per_s")')):
            self.assertEqual(self.fault(figure, source, "133.8"), "")
        for figure, source, says in (("4.9", 'device("h200", "memory_gb_per_s") / 1000', "is 4.8"),
                                     ("476", path, "is not in"), ("475", path + ": l1_", "is not"),
                                     ("3", "no_such_name", "no_such_name"), ("3", "?", "no source"),
                                     ("3", "course/no_such.md", "no file"),
                                     ("3", 'h100("01/99").ms', "has no runs"),
                                     ("3", 'fact("no_such")', "has no no_such")):
            self.assertIn(says, self.fault(figure, source))

    def test_the_inputs_of_arithmetic_are_on_the_page_or_in_a_file(self):
        page = "It takes 59.2 instead of 56.2 µs: 3.0 µs less."
        self.assertEqual(self.fault("3.0", "59.2 - 56.2", page), "")
        self.assertIn("neither", self.fault("3.1", "59.3 - 56.2", page))
        self.assertIn("not a source", self.fault("3.0", "3.0", page))
        file = "course/measured/nvidia-h100/trials/launch-trials.md"
        self.assertEqual(self.fault("3.0", f"59.2 - 56.2  # {file}"), "")
        self.assertIn("neither", self.fault("3.0", f"59.29 - 56.29  # {file}"))

    def test_a_figure_that_the_text_sets_needs_a_text_that_says_so(self):
        said = {"assumed": "Assume 2 ms.", "hypothesis": "The hypothesis was 2%.",
                "exercise": "## Exercises 2 ms", "quoted": '"2 times"', "required": "at least 2%",
                "scale": "2 percent", "task": "Write a kernel for 2 MB.",
                "size": "For 2 MB it is slower.", "named": "2 copies need 2 times as much"}
        self.assertEqual(said.keys(), SET.keys())
        for word, text in said.items():
            self.assertEqual(self.fault("2", word, text), "")
            self.assertNotEqual(self.fault("2", word, "We measured 2 times."), "")


class TheCourse(unittest.TestCase):
    def copy(self):
        """The parts of the tree that the comparison reads."""
        root = Path(self.folder.name) / "tree"
        for part in ("course", "warp_model/devices", "labs", "solutions"):
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("*.svg"))
        return root

    def with_change(self, page, text, figure):
        """The text with another last digit in `figure`, at its first place that counts as one."""
        for place in re.finditer(r"\s+".join(map(re.escape, figure.split())), text):
            number = re.search(r"\d[\d.,]*\d|\d", place[0])
            wrong = (text[:place.start() + number.start()] + changed(number[0]) +
                     text[place.start() + number.end():])
            there = [f[0] for f in Page(page.name, wrong, *Course.tables(ROOT / "course")).figures]
            if there != [f[0] for f in page.figures]:
                return wrong
        self.fail(f"{figure} is not found")

    def test_ten_figures_drawn_by_chance_and_changed_are_found(self):
        random.seed(SEED)
        self.folder = tempfile.TemporaryDirectory()
        root = self.copy()
        course = Course(root)
        pages = [(name, figure) for name, page in course.pages.items()
                 for figure in page.figures if figure[3]]
        for name, (figure, *_) in random.sample(pages, 10):
            path = root / "course" / name
            text = path.read_text()
            with self.subTest(f"{name}: {figure}"):
                wrong = self.with_change(course.pages[name], text, figure)
                path.write_text(wrong)
                complaints = [c for c in Course(root).check() if c.startswith(name)]
                self.assertTrue(complaints)
                print(complaints[0])
                path.write_text(text)
        self.folder.cleanup()

    def test_a_figure_changed_in_text_and_list_is_found_too(self):
        random.seed(SEED)
        course = Course()
        seen = 0
        for name, entries in course.listed.items():
            for entry, figure in zip(entries["figures"], course.pages[name].figures):
                source = entry[1]
                rough = re.search(rf"(?:about|nearly|over|some) {figure[1][0]}", figure[2])
                if len(entry) == 2 and len(figure[1]) == 1 and "(" in source and not rough:
                    wrong = changed(figure[1][0])
                    self.assertNotEqual(course.sources.fault(wrong, source, figure[2]), "",
                                        f"{name}: {wrong} for {figure[0]} by {source}")
                    seen += 1
        self.assertGreater(seen, 150)


if __name__ == "__main__":
    if "--seed" in sys.argv:
        at = sys.argv.index("--seed")
        SEED = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main()

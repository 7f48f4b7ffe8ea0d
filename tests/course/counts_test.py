#!/usr/bin/env python3
"""Tests of course/tie_counts.py and course/record_counts.py on a course of one page."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "course"))
from record_counts import differences, joined  # noqa: E402
from tie_counts import (Course, code_of, sectors_at_stride, source_of,  # noqa: E402
                        wavefronts_at_stride, written)

TABLES = """
[[table]]
page = "chapters/02-x.md"
header = "| | one | two |"
columns = ["02/1", "02/2"]
rows = [
  "blocks",
  "load_traffic",
  ["requests('global load'); sectors('global load', 'in[') / requests('global load')", ""],
  "bulk_share",
  "bank_conflicts",
]

[[table]]
page = "chapters/02-x.md"
header = "| file | blocks |"
columns = ["blocks"]
rows = [{ file = "02/2" }, { file = "=", cells = ["sectors_at_stride(2)"] }]

[[exception]]
page = "chapters/*.md"
header = "| rung |"
reason = "numbers of rungs"
"""
PAGE = """# A page

| | one | two |
|---|---|---|
| blocks | 4,100 | about 12,000 |
| bytes | 1.3 | 2.00 |
| loads | 128 at 4.0 | |
| by the engine | none | 97% |
| conflicts | 0 | – |

| file | blocks |
|---|---|
| two | 12,345 |
| a stride of 2 | 8 |

| rung | name |
|---|---|
| 1 | x |
"""
LOAD = {"what": "global load", "requests": 128, "sectors": 512, "ideal_sectors": 512,
        "wavefronts": 0, "ideal_wavefronts": 0, "text": "x = in[i];"}
FILES = {"02/1": {"size": "n = 8", "counts": {"blocks": 4100, "load_traffic": 1.26},
                  "lines": [LOAD], "varies": {}},
         "02/2": {"size": "n = 8", "counts": {"blocks": 12345, "load_traffic": 2,
                                              "bulk_share": 0.9712}, "lines": [], "varies": {}}}


class SmallCourse:
    def __init__(self, page=PAGE, tables=TABLES):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.page = self.write("chapters/02-x.md", page)
        self.write("measured/virtual-gpu/tables.toml", tables)
        self.write("measured/virtual-gpu/02-x.json",
                   json.dumps({"toolkit": "13.0", "files": FILES}))

    def __del__(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def complaints(self, write=False):
        return Course(self.root).check(write)


class Ties(unittest.TestCase):
    def test_tables_with_the_recorded_counts_have_no_complaint(self):
        self.assertEqual(SmallCourse().complaints(), [])

    def test_each_figure_that_is_not_the_recorded_count_is_named(self):
        for right, wrong, says in [("4,100", "4,101", "4,101 is 4,100"), ("1.3", "1.2", "1.2 is 1.3"),
                                   ("about 12,000", "about 13,000", "13,000 is 12,000"),
                                   ("about 12,000", "12,000", "12,000 is 12,345"),
                                   ("at 4.0", "at 5.0", "5.0 is 4.0"), ("97%", "98%", "98 is 97"),
                                   ("| 2.00 |", "| 2.01 |", "2.01 is 2.00"),
                                   ("| 0 | – |", "| 1 | – |", "1 is 0"),
                                   ("| none | 97% |", "| none | none |", "none is 0.9712"),
                                   ("| 12,345 |", "| 12,346 |", "12,346 is 12,345"),
                                   ("2 | 8 |", "2 | 9 |", "9 is 8")]:
            with self.subTest(wrong):
                self.assertEqual(PAGE.count(right), 1)
                complaints = SmallCourse(PAGE.replace(right, wrong)).complaints()
                self.assertEqual(len(complaints), 1)
                self.assertIn(says, complaints[0])

    def test_writing_puts_the_recorded_counts_into_the_page(self):
        wrong = PAGE.replace("4,100", "5").replace("1.3", "9.9").replace("97%", "1%")
        course = SmallCourse(wrong)
        self.assertEqual(len(course.complaints(write=True)), 3)
        self.assertEqual(course.page.read_text(), PAGE)

    def test_a_table_that_nobody_ties_is_an_error(self):
        new = PAGE + "\n| count | here |\n|---|---|\n| loads | 3 |\n"
        self.assertIn("does not know", SmallCourse(new).complaints()[0])
        words = PAGE + "\n| count | here |\n|---|---|\n| loads | few |\n"
        self.assertEqual(SmallCourse(words).complaints(), [])

    def test_an_entry_that_fits_nothing_or_says_nothing_is_an_error(self):
        for old, new, says in [("| file | blocks |", "| file | grids |", "no table fits"),
                               ("numbers of rungs", "x", "without a reason"),
                               ('"02/1", "02/2"', '"02/1", "02/3"', "is not recorded"),
                               ('"bulk_share"', '"no_such_count"', "no_such_count"),
                               ('"blocks",', '"blocks; blocks",', "2 expressions"),
                               ('  "bank_conflicts",\n', "", "5 rows, tables.toml 4")]:
            with self.subTest(new):
                self.assertEqual(TABLES.count(old), 1)
                complaints = SmallCourse(tables=TABLES.replace(old, new)).complaints()
                self.assertTrue(any(says in c for c in complaints), complaints)

    def test_a_file_whose_code_has_changed_must_be_recorded_again(self):
        course = SmallCourse()
        for code, complaints in [(code_of(source_of("02/1")[1]), 0), ("0123456789ab", 1)]:
            files = FILES | {"02/1": FILES["02/1"] | {"code": code}}
            course.write("measured/virtual-gpu/02-x.json",
                         json.dumps({"toolkit": "13.0", "files": files}))
            self.assertEqual(len(course.complaints()), complaints)

    def test_comments_and_white_space_are_no_code(self):
        course = SmallCourse()
        codes = [code_of(course.write("x.cu", text)) for text in
                 ("int a;  // one\n", "// two\nint  a;", "int b;")]
        self.assertEqual(codes[0], codes[1])
        self.assertNotEqual(codes[0], codes[2])

    def test_figures_are_compared_in_the_form_in_which_they_are_written(self):
        self.assertIsNone(written(1234.4, "1,234", ""))
        self.assertEqual(written(1234.6, "1,234", ""), "1,235")
        self.assertIsNone(written(0.0349, "0.03", ""))
        self.assertEqual(written(0.0351, "0.03", ""), "0.04")
        self.assertIsNone(written(596_400, "596,000", "about "))
        self.assertEqual(written(596_400, "596,000", ""), "596,400")

    def test_sectors_and_wavefronts_follow_from_the_addresses(self):
        self.assertEqual([sectors_at_stride(s) for s in (0, 1, 2, 3, 8, 9)], [1, 4, 8, 12, 32, 32])
        self.assertEqual(sectors_at_stride(1, 4), 5)
        self.assertEqual([wavefronts_at_stride(s) for s in (0, 1, 2, 32, 33)], [1, 1, 2, 32, 1])


class Records(unittest.TestCase):
    def record(self, **counts):
        return {"size": "n = 8", "names": ["barriers", "blocks", "loads"], "counts": counts,
                "lines": []}

    def test_a_count_that_two_gradings_agree_on_must_be_equal(self):
        recorded = joined(self.record(blocks=4), self.record(blocks=4))
        self.assertEqual(recorded["varies"], {})
        self.assertEqual(differences(recorded, self.record(blocks=4)), [])
        self.assertEqual(len(differences(recorded, self.record(blocks=5))), 1)
        self.assertEqual(len(differences(recorded, self.record(blocks=4, barriers=1))), 1)
        self.assertEqual(len(differences(recorded, self.record())), 1)
        self.assertEqual(differences(recorded, self.record(blocks=4, a_new_count=7)), [])

    def test_a_count_that_two_gradings_differ_in_is_recorded_as_such(self):
        recorded = joined(self.record(loads=1000), self.record(loads=1001))
        self.assertEqual(recorded["varies"], {"loads": [1000, 1001]})

    def test_another_size_is_a_difference(self):
        recorded = joined(self.record(), self.record())
        self.assertEqual(len(differences(recorded, self.record() | {"size": "n = 9"})), 1)


if __name__ == "__main__":
    unittest.main()

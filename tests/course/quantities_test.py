#!/usr/bin/env python3
"""Tests of course/tie_quantities.py: what is a quantity, what proves it; a changed one is found.

--seed N draws the changed digits anew.
"""
import random
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "course"))
from figure_sources import Sources  # noqa: E402
from number_words import words_of  # noqa: E402
from quantities import Lab, Proofs, quantities_of, rates_of, values_in  # noqa: E402
from tie_figures import FIGURE  # noqa: E402
from tie_quantities import Course, Text, code, drawing, sections_of_toml  # noqa: E402

SEED = 2800
FOUND_AT_LEAST = 0.9  # of all quantities of the course, with another last digit


def names(text):
    return [q.text for q in quantities_of(text, text)]


class Quantities(unittest.TestCase):
    def test_numbers_with_a_unit_of_memory_work_or_residence_are_quantities(self):
        for text, there in (("512 KB", ["512 KB"]), ("16-byte", ["16 byte"]), ("2.6x", ["2.6x"]),
                            ("4 or 8 sectors", ["4 sectors", "8 sectors"]),
                            ("65,536 loads", ["65,536 loads"]),
                            ("1.5 wavefronts", ["1.5 wavefronts"]),
                            ("16 warps per SM", ["16 warps per SM"])):
            self.assertEqual(names(f"It has {text} here."), there)

    def test_sizes_rates_and_numbers_of_rungs_are_none(self):
        for text in ("4.8 TB/s", "32 threads", "rung 3 loads", "lane 0 stores", "16 x 16",
                     "a tile of 8 x 8 loads", "columns 8x to", "4 bytes per cycle",
                     "per 100 FMAs", "version 2.0"):
            self.assertEqual(names(f"It has {text} here."), [], text)

    def test_comments_of_code_are_text_and_its_code_is_none(self):
        lines = "// 8 KB are read.\nint x = 3 * y;  // 9 KB\n// 4 bytes\nauto s = \"7 KB\";"
        section, blanked = code("labs/x.cu", lines).sections[0]
        self.assertEqual([q.text for q in quantities_of(section, blanked)],
                         ["8 KB", "9 KB", "4 bytes"])

    def test_the_strings_of_a_drawing_are_text_and_its_code_is_none(self):
        section, blanked = drawing("figures/x.py", 'd.label(4, 8, "L2, 60 MB")  # 9 KB').sections[0]
        self.assertEqual([q.text for q in quantities_of(section, blanked)], ["60 MB"])

    def test_the_right_choice_of_a_question_is_read_and_the_wrong_ones_are_not(self):
        question = {"text": "How many?", "choices": ["7 KB", "8 KB"], "right": 2,
                    "why": "It is 8 KB."}
        parts = sections_of_toml({"title": "T", "question": [question]})
        self.assertEqual(names(parts[1]), ["8 KB", "8 KB"])


class WhatProvesThem(unittest.TestCase):
    sources = Sources()
    definitions = [{"unit": "byte", "says": "sector", "source": 'fact("sector_bytes")'}]

    def proof(self, text, lab=None):
        lab = lab or Lab(ROOT, "", set())
        proofs = Proofs(self.sources, self.definitions)
        return [proofs.of(q, lab) for q in quantities_of(text, text)][-1]

    def test_each_proof_proves_a_text_and_not_the_same_text_with_another_number(self):
        for kind, right, wrong in (
                ("type", "A float has 4 bytes.", "A float has 5 bytes."),
                ("type", "A float4 of 16 bytes.", "A float4 of 12 bytes."),
                ("definition", "A sector has 32 bytes.", "A sector has 33 bytes."),
                ("arithmetic", "64 bytes × 2048 threads = 128 KB",
                 "64 bytes × 2048 threads = 129 KB"),
                ("arithmetic", "A tile of 128 x 64 floats has 32 KB.",
                 "A tile of 128 x 64 floats has 33 KB."),
                ("arithmetic", "989e12 / 3.35e12 = 295 operations",
                 "989e12 / 3.35e12 = 296 operations"),
                ("input", "The ring sends 96: 3 × 32 MB.", "The ring sends 96: 3 × 33 MB.")):
            self.assertEqual(self.proof(right), kind, right)
            self.assertEqual(self.proof(wrong), "", wrong)

    def test_a_lab_proves_its_element_types_its_constants_and_its_counts(self):
        lab = Lab(ROOT, "05", {442368})
        self.assertEqual(self.proof("Each lane asks for 4 bytes.", lab), "type")
        self.assertEqual(self.proof("There are 442,368 loads.", lab), "counted")
        self.assertEqual(self.proof("There are 442,369 loads.", lab), "")
        self.assertEqual(self.proof("Each lane asks for 2 bytes.", lab), "")

    def test_an_expression_may_name_its_operands(self):
        self.assertIn(131072, values_in("32 warps * 2 groups * 8 rows * 256 bytes"))
        self.assertIn(192, values_in("3 × 64 MB"))
        self.assertEqual(values_in("rung 5-block-tile-2d and 1/2"), set())


class NumberWords(unittest.TestCase):
    def test_a_word_in_a_sentence_about_time_or_speed_counts_and_one_about_parts_does_not(self):
        for text, there in (("39.5%: three times rung 3.", ["three times rung 3"]),
                            ("It has twice the speed of it.", ["twice the speed"]),
                            ("It reaches two thirds of that.", ["two thirds of that"]),
                            ("Half of the lanes add. It has 9%.", []),
                            ("a third kernel reaches 9%", [])):
            self.assertEqual([w.text for w in words_of(text, text)], there)

    def test_rates_in_comments_count_and_measured_lines_do_not(self):
        for text, there in (("It needs 2 ns, 8 times as long.", ["2 ns", "8 times"]),
                            ("It has 45.6% of it.", ["45.6%"]),
                            ("Measured on an H200: 71.0% of it.", []), ("piece (q + 4 s)", [])):
            found = rates_of(text, text, FIGURE)
            self.assertEqual([q.text for q in found], there)

    def test_a_ratio_is_compared_with_the_word_and_what_stands_before_it(self):
        for text, right, wrong in (("It is twice as fast.", 2.1, 2.4),
                                   ("It is less than twice as fast.", 1.64, 2.02),
                                   ("It has nearly four times the speed.", 3.8, 4.6),
                                   ("It takes two thirds of the time.", 0.65, 0.5),
                                   ("More than half of its time is lost.", 0.7, 0.4)):
            word = words_of(text, text)[0]
            self.assertEqual(word.differs(right), "", text)
            self.assertNotEqual(word.differs(wrong), "", text)


class TheCourse(unittest.TestCase):
    course = Course()

    def test_a_number_word_without_a_row_fails(self):
        text = Text("chapters/01-x.md", [("", "")])
        word = words_of("It is twice as fast.", "It is twice as fast.")[0]
        self.assertEqual(self.course.word_fault(text, word, None), "has no source")
        self.assertIn("is 3 by", self.course.word_fault(text, word, "9 / 3"))
        self.assertEqual(self.course.word_fault(text, word, "6 / 3"), "")

    def test_a_quantity_of_no_class_fails(self):
        text = "The kernel keeps 37 KB there."
        quantity = quantities_of(text, text)[0]
        self.assertEqual(self.course.proofs.of(quantity, Lab(ROOT, "", set())), "")

    def test_nearly_all_changed_quantities_are_found(self):
        random.seed(SEED)
        counts, labs, found, seen = self.course.counts(), {}, 0, 0
        for text in self.course.texts:
            lab = labs.setdefault(text.lab, Lab(ROOT, text.lab, counts.get(text.lab, set()),
                                                self.course.sources))
            rows = self.course.listed.get(text.name, {})
            for section, blanked in text.sections:
                for q in self.course.of_section(text, section, blanked):
                    digit = str((int(q.number[-1]) + random.randint(2, 8)) % 10)
                    end = q.at + len(q.number)
                    changed = [part[:end - 1] + digit + part[end:] for part in (section, blanked)]
                    same = [c for c in self.course.of_section(text, *changed) if c.at == q.at]
                    seen += 1
                    found += not same or self.fails(text, same[0], rows, lab)
        print(f"{found} of {seen} changed quantities are found")
        self.assertGreater(seen, 1400)
        self.assertGreater(found / seen, FOUND_AT_LEAST)

    def fails(self, text, q, rows, lab):
        if q.text in rows:
            return self.course.listed_state(text, q, rows[q.text])[1]
        return not self.course.proofs.of(q, lab)


if __name__ == "__main__":
    if "--seed" in sys.argv:
        at = sys.argv.index("--seed")
        SEED = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main()

#!/usr/bin/env python3
"""Draws the figures of the concept pages: course/figures/concept-*.svg.

  course/figures/draw_concepts.py            write them
  course/figures/draw_concepts.py --check    say which ones are not what this program draws; exit status 1

The points of the rooflines come from course/measured, the roofs from warp_model/devices/h200.toml.
"""
import sys
from pathlib import Path

import concept_classes
import concept_machine
import concept_work

FOLDER = Path(__file__).resolve().parent


def main():
    check = sys.argv[1:] == ["--check"]
    stale = []
    everything = concept_machine.drawings() | concept_work.drawings() | concept_classes.drawings()
    for name, drawing in everything.items():
        file = FOLDER / f"{name}.svg"
        if check and (not file.exists() or file.read_text() != drawing.svg()):
            stale.append(file.name)
        if not check:
            file.write_text(drawing.svg())
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; run course/figures/draw_concepts.py")


main()

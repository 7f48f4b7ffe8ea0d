#!/usr/bin/env python3
"""compile_times.py RIDGE [LABS OR RUNGS...] [--record]
compile_times.py --check

The CPU seconds (user and system, with all processes that the compiler starts) that nvcc and clang take to compile each
solution, each with an empty cache, one after the other. Where they differ by less than a fifth, the smallest of three runs each.
Ends with the rungs for which clang takes longer; there must be none. --record keeps the seconds in compile_times.tsv.
--check compiles nothing: the table must have every solution, and clang must take longer for none.
"""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

RUNS = 3
CLEAR = 0.8  # of nvcc's time
CLONE = pathlib.Path(__file__).resolve().parents[3]
TABLE = pathlib.Path(__file__).with_suffix(".tsv")


def cpu_seconds(ridge, root, rung, compiler):
    """Of one compilation."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    shutil.rmtree(root / ".ridge", ignore_errors=True)
    before = used()
    subprocess.run([ridge, "build", rung, "--solution", "--with", compiler], stdout=subprocess.DEVNULL,
                   check=True, env={**os.environ, "RIDGE_ROOT": str(root)})
    return used() - before


def fewest_seconds(ridge, root, rung):
    fewest = {"nvcc": float("inf"), "clang": float("inf")}
    for _ in range(RUNS):
        for compiler, least in fewest.items():
            fewest[compiler] = min(least, cpu_seconds(ridge, root, rung, compiler))
        if fewest["clang"] < CLEAR * fewest["nvcc"]:
            break
    return fewest


def read_table():
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()]
    return {rung: (float(nvcc), float(clang)) for rung, nvcc, clang in rows if "/" in rung}


def place(rung):
    """By which rungs are sorted: the numbers of the lab and the rung."""
    return [int(number) for number in re.findall(r"(?:^|/)(\d+)-", rung)]


def row_of(rung, seconds):
    return f"{rung}\t{seconds[0]:.2f}\t{seconds[1]:.2f}"


def write_table(rows):
    order = sorted(rows, key=place)
    sums = [sum(row[i] for row in rows.values()) for i in range(2)]
    lines = [row_of(rung, rows[rung]) for rung in order] + [row_of("all", sums)]
    TABLE.write_text("\n".join(["rung\tnvcc\tclang"] + lines) + "\n")


def measured(ridge, rungs):
    """Seconds of (nvcc, clang) by rung; each is printed when it is known."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for part in ("labs", "solutions"):
            shutil.copytree(CLONE / part, root / part)
        shutil.copy(CLONE / "CMakeLists.txt", root)  # by which ridge knows a clone
        for rung in rungs:
            times = fewest_seconds(ridge, root, rung)
            rows[rung] = (times["nvcc"], times["clang"])
            print(row_of(rung, rows[rung]), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ridge", nargs="?")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    words = parser.parse_args()
    solutions = {str(file.relative_to(CLONE / "solutions").with_suffix("")) for file in CLONE.glob("solutions/*/*.cu")}
    missing = set()
    if words.check:
        rows = read_table()
        missing = solutions ^ set(rows)
        print("in the table or among the solutions, and not in both: " + (", ".join(sorted(missing)) or "none"))
    else:
        rows = measured(words.ridge, sorted((rung for rung in solutions if not words.names or rung in words.names or
                                             rung[:2] in words.names), key=place))
        if words.record:
            kept = {rung: row for rung, row in read_table().items() if rung in solutions}
            write_table({**kept, **rows})
    slower = [rung for rung, (nvcc, clang) in rows.items() if clang > nvcc]
    print("clang takes longer: " + (", ".join(slower) or "none"))
    return 1 if slower or missing else 0


sys.exit(main())

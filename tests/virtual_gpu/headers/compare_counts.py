#!/usr/bin/env python3
"""compare_counts.py RIDGE TABLE [RUNGS...] [--draw N] [--record]

Compares the verdicts and memory counts of solutions between the builds of nvcc and clang. TABLE lists where they
differ and why; a difference that it does not list, or one that is no more, is an error. Without RUNGS all labs are
compared; with --draw so many rungs, drawn by chance. --record writes the table anew and keeps the reasons of the rows
that it had.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys

CLONE = pathlib.Path(__file__).resolve().parents[3]
ENVIRONMENT = {**os.environ, "RIDGE_ROOT": str(CLONE)}

# What the accesses and the launches decide. Instructions differ: each compiler makes its own of the same work. The inputs
# are the same for both (--seed).
COUNTS = [
    "verdict",
    "sectors_per_request", "load_sectors_per_request", "store_sectors_per_request", "global_load_ratio",
    "global_store_ratio", "load_bytes_per_request", "store_bytes_per_request", "global_load_requests", "global_load_bytes",
    "shared_requests", "shared_wavefronts", "bank_conflicts", "async_copies", "barriers", "blocks", "threads",
    "launches",
]
ANY = ("*", "*")  # in the table: the values depend on the time that warps take
HEAD = ("# Counts of solutions that differ between nvcc's build and clang's: rung, count, nvcc, clang, why. Written by\n"
        "#   tests/virtual_gpu/headers/compare_counts.py build/release/bin/ridge THIS_FILE --record\n")


def counts_by(ridge, compiler, rungs):
    found = {}
    for rung in rungs or [""]:
        words = [ridge, "check"] + ([rung] if rung else []) + ["--solutions", "--counts", "--seed", "1", "--with", compiler]
        output = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, env=ENVIRONMENT).stdout
        for line in output.splitlines():
            fields = line.split("\t")
            if len(fields) == 5 and fields[1] == "solution":
                found.setdefault(fields[0], {"verdict": fields[2]})[fields[3]] = fields[4]
    return found


def read_table(name):
    rows = {}
    try:
        with open(name) as file:
            for line in file:
                if not line.startswith("#") and line.strip():
                    rung, count, nvcc, clang, why = line.rstrip("\n").split("\t")
                    rows[rung, count] = (nvcc, clang, why)
    except FileNotFoundError:
        pass
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ridge")
    parser.add_argument("table")
    parser.add_argument("rungs", nargs="*")
    parser.add_argument("--draw", type=int)
    parser.add_argument("--record", action="store_true")
    words = parser.parse_args()
    ridge, table, rungs = words.ridge, words.table, words.rungs
    if words.draw:
        files = sorted(CLONE.glob("solutions/*/*.cu"))
        rungs = [str(file.relative_to(CLONE / "solutions").with_suffix("")) for file in random.sample(files, words.draw)]
        print("drawn: " + " ".join(rungs))
    if subprocess.run([ridge, "nvcc", "--version"], env={**ENVIRONMENT, "RIDGE_COMPILER": "clang"},
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: no clang that compiles CUDA C++: sudo apt-get install clang-19")
        return 0
    by_nvcc, by_clang = counts_by(ridge, "nvcc", rungs), counts_by(ridge, "clang", rungs)
    known, complaints, compared = read_table(table), [], 0
    seen = {}
    for rung, counts in by_nvcc.items():
        other = by_clang.get(rung, {})
        for count in COUNTS:
            compared += 1
            a, b = counts.get(count, "none"), other.get(count, "none")
            if a != b:
                row = known.get((rung, count), ("", "", "?"))
                seen[rung, count] = row if row[:2] == ANY else (a, b, row[2])
    if words.record:
        kept = {key: row for key, row in known.items() if key[0] not in by_nvcc}
        with open(table, "w") as file:
            file.write(HEAD)
            for (rung, count), row in sorted({**kept, **seen}.items()):
                file.write("\t".join((rung, count) + row) + "\n")
    else:
        for (rung, count), (a, b, why) in seen.items():
            if known.get((rung, count), ())[:2] not in ((a, b), ANY) or why == "?":
                complaints.append(f"{rung}: {count} is {a} by nvcc and {b} by clang; the table does not say so, or not why")
        for (rung, count), row in known.items():
            if rung in by_nvcc and (rung, count) not in seen and row[:2] != ANY:
                complaints.append(f"{rung}: {count} is the same by both compilers, and the table says otherwise")
    for complaint in complaints:
        print(complaint)
    print(f"{compared} counts of {len(by_nvcc)} solutions: {compared - len(seen)} are the same")
    return 1 if complaints or not by_nvcc else 0


sys.exit(main())

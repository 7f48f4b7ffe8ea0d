#!/usr/bin/env python3
"""compile_times.py RIDGE [LABS...]

The CPU seconds (user and system, with all processes that the compiler starts) that nvcc and clang take to compile each
solution, each with an empty cache, one after the other. Where they differ by less than a fifth, the smallest of three runs each.
Ends with the rungs for which clang takes longer; there must be none.
"""
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


def main():
    ridge, labs = sys.argv[1], sys.argv[2:]
    rungs = [str(file.relative_to(CLONE / "solutions").with_suffix("")) for file in CLONE.glob("solutions/*/*.cu")]
    rungs.sort(key=lambda name: [int(number) for number in re.findall(r"(?:^|/)(\d+)-", name)])
    slower, sums = [], {"nvcc": 0.0, "clang": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for part in ("labs", "solutions"):
            shutil.copytree(CLONE / part, root / part)
        shutil.copy(CLONE / "CMakeLists.txt", root)  # by which ridge knows a clone
        for rung in rungs:
            if labs and rung[:2] not in labs:
                continue
            times = fewest_seconds(ridge, root, rung)
            for compiler in sums:
                sums[compiler] += times[compiler]
            print(f"{rung}\t{times['nvcc']:.2f}\t{times['clang']:.2f}", flush=True)
            if times["clang"] > times["nvcc"]:
                slower.append(rung)
    print(f"all\t{sums['nvcc']:.2f}\t{sums['clang']:.2f}")
    print("clang takes longer: " + (", ".join(slower) or "none"))
    return 1 if slower else 0


sys.exit(main())

#!/usr/bin/env python3
"""The kernels of everyday/, counted by a GPU and by the virtual GPU: how often the counts agree for unknown kernels.

  everyday_counters.py measure FOLDER [SECONDS]
                                      on a machine with a GPU: runs every program of FOLDER under Nsight Compute, first
                                      once, then per SASS instruction, then twice again while SECONDS (default 170) last,
                                      and writes FOLDER/NAME.1.csv to NAME.3.csv and NAME.sass.csv
  everyday_counters.py write FOLDER CSVS
                                      runs every program of FOLDER on the virtual GPU, pairs the launches with the medians
                                      of the counters in CSVS, writes everyday.json and everyday.md
  everyday_counters.py update FOLDER  the same, with what the GPU counted taken from the everyday.json that is there
  everyday_counters.py check FOLDER   recomputes our side; exit status 1 if fewer launches agree than RATES demand

FOLDER holds the compiled programs (counters_programs.sh NVCC FOLDER everyday). The virtual GPU's library is found by
LD_LIBRARY_PATH. Counters and bounds are those of compare_counters.py.
"""
import csv
import glob
import json
import os
import statistics
import subprocess
import sys
import time

import compare_counters as counters

PROGRAMS = sorted(os.path.basename(path)[:-len(".cu")] for path in glob.glob(os.path.join(counters.HERE, "everyday", "*.cu")))
DOCUMENT = os.path.join(counters.MEASURED, "everyday.json")


def measure(folder, seconds="170"):
    began = time.monotonic()
    metrics = [c[0] for c in counters.COUNTERS.values()] + list(counters.BESIDE.values())
    for run in counters.RUNS:
        for program in PROGRAMS:
            if run > 1 and time.monotonic() - began > float(seconds):
                sys.exit(f"{program} of run {run} and what follows is not measured: {seconds} s have passed")
            wrong = counters.profile(folder, program, f"{program}.{run}.csv", metrics)
            if wrong:
                print(wrong, file=sys.stderr)
        print(f"run {run}: {time.monotonic() - began:.0f} s", flush=True)
        if run == 1:
            for program in PROGRAMS:
                measure_instructions(folder, program)
            print(f"instructions: {time.monotonic() - began:.0f} s", flush=True)


def measure_instructions(folder, program):
    """How often each SASS instruction was issued: FOLDER/NAME.sass.csv."""
    report = os.path.join(folder, f"{program}.ncu-rep")
    for metrics in ("inst_executed,memory_l1_wavefronts_shared,memory_l2_theoretical_sectors_global", "inst_executed"):
        subprocess.run(["ncu", "--clock-control", "none", "--cache-control", "none", "--force-overwrite", "--export", report,
                        "--metrics", metrics, os.path.join(folder, program)], capture_output=True, text=True)
        if os.path.exists(report):
            break
    for options in (["--print-source", "sass"], []):
        done = subprocess.run(["ncu", "--import", report, "--page", "source", "--csv"] + options, capture_output=True, text=True)
        if done.returncode == 0:
            break
    with open(os.path.join(folder, f"{program}.sass.csv"), "w") as file:
        file.write(done.stdout or done.stderr)


if __name__ == "__main__":
    command, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    commands = {"measure": (measure, [1, 2])}
    if command not in commands or len(arguments) not in commands[command][1]:
        sys.exit(__doc__)
    commands[command][0](*arguments)

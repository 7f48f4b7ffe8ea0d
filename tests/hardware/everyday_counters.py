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
  everyday_counters.py check FOLDER   recomputes our side; exit status 1 if the counters agree less often than the
                                      committed everyday.json says (SLACK)

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
# A launch of 192, and a bit: some kernels (hash tables, queues) do what the order of the blocks decides.
SLACK = 0.006
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


def instructions_by_pass(csvs, program):
    """By launch: the instructions that the pass per SASS instruction counted. A launch is listed twice there."""
    path = os.path.join(csvs, f"{program}.sass.csv")
    launches = []
    for row in csv.reader(open(path)) if os.path.exists(path) else []:
        if row and row[0] == "Kernel Name":
            launches.append((row[1], []))
        elif row and row[0].startswith("0x"):
            launches[-1][1].append(int(row[2]))
    return [sum(issued) for _, issued in launches[::2]]


def measured(csvs, program):
    """By launch: its name; the medians of the counters; of those that differ between runs by more than their bound,
    what each run counted."""
    paths = [os.path.join(csvs, f"{program}.{run}.csv") for run in counters.RUNS]
    runs = [counters.read_csv(path) for path in paths if os.path.exists(path)]
    by_pass = instructions_by_pass(csvs, program)
    for number, launches in enumerate(zip(*runs, strict=True)):
        values, repeated = {}, {}
        for name, (metric, _, _, _) in counters.COUNTERS.items():
            of_runs = [int(float(launch[metric].replace(",", ""))) for launch in launches]
            values[name] = int(statistics.median(of_runs))
            if name == "instructions":
                of_runs += by_pass[number:number + 1]
            if not counters.agrees(name, max(of_runs), {**values, name: min(of_runs)}):
                repeated[name] = of_runs
        yield counters.kernel_name(launches[0]["Kernel Name"]), values, repeated


def committed(document, program):
    for kernel in document["kernels"]:
        if kernel["program"] == program:
            yield kernel["kernel"], counters.counted_by_gpu(kernel), kernel["repeated"]


def kernels_with(folder, counted):
    kernels = []
    for program in PROGRAMS:
        launches = counters.run_on_virtual_gpu(os.path.join(folder, program))
        for report, (name, values, repeated) in zip(launches, counted(program), strict=True):
            ours = counters.ours_of(report)
            kernels.append({"program": program, "kernel": name, "repeated": repeated,
                            "counters": {c: {"h200": v, "virtual": ours[c]} for c, v in values.items()}})
    return kernels


def is_repeated(kernel, name):
    """Whether the H200 itself has counted what we count, or more and less, in the runs of a counter that it does not
    repeat."""
    runs = kernel["repeated"].get(name, [])
    return bool(runs) and min(runs) <= kernel["counters"][name]["virtual"] <= max(runs)


def misses_of(kernel):
    return [name for name, pair in kernel["counters"].items()
            if not counters.agrees(name, pair["virtual"], counters.counted_by_gpu(kernel)) and not is_repeated(kernel, name)]


def rates(kernels):
    """Shares of the launches: instructions exact, within 1%; of all other counters: within their bounds."""
    exact = near = right = compared = 0
    for kernel in kernels:
        pair = kernel["counters"]["instructions"]
        exact += pair["h200"] == pair["virtual"]
        near += abs(pair["h200"] - pair["virtual"]) <= 0.01 * pair["h200"] or is_repeated(kernel, "instructions")
        compared += len(kernel["counters"]) - 1
        right += len(kernel["counters"]) - 1 - len([m for m in misses_of(kernel) if m != "instructions"])
    return {"launches": len(kernels), "instructions exact": round(exact / len(kernels), 4),
            "instructions within 1%": round(near / len(kernels), 4), "other counters": round(right / compared, 4)}


def write_with(folder, counted):
    kernels = kernels_with(folder, counted)
    document = {"device": "NVIDIA H200", "cuda": "13.0", "rates": rates(kernels), "kernels": kernels}
    with open(DOCUMENT, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    with open(DOCUMENT.replace(".json", ".md"), "w") as file:
        file.write(table(document))
    print(document["rates"])


def write(folder, csvs):
    write_with(folder, lambda program: measured(csvs, program))


def update(folder):
    document = json.load(open(DOCUMENT))
    write_with(folder, lambda program: committed(document, program))


def table(document):
    shares = ", ".join(f"{name} {share:.1%}" for name, share in document["rates"].items() if name != "launches")
    lines = ["# Everyday kernels: counters of an H200 and of the virtual GPU", "", counters.paragraph(f"""
        `tests/hardware/everyday_counters.py write` writes this file; all numbers are in `everyday.json`. The kernels of
        `tests/hardware/everyday` are written as textbooks and benchmark suites write them. Of
        {document["rates"]["launches"]} launches: {shares}. Bounds are those of [counters.md](counters.md). The rows are the
        counters outside their bounds. The last column has the H200's own runs where they are further apart than the
        bound; the last of three is the pass that counted each SASS instruction. What lies between such runs agrees."""),
             "", "| program | kernel | counter | H200 | virtual | runs of the H200 |", "|---|---|---|---|---|---|"]
    for kernel in document["kernels"]:
        for name in misses_of(kernel):
            pair = kernel["counters"][name]
            note = ", ".join(str(run) for run in kernel["repeated"].get(name, []))
            lines.append(f"| {kernel['program']} | `{kernel['kernel']}` | {name} | {pair['h200']} | {pair['virtual']} | {note} |")
    return "\n".join(lines) + "\n"


def check(folder):
    document = json.load(open(DOCUMENT))
    now = rates(kernels_with(folder, lambda program: committed(document, program)))
    worse = [name for name, share in document["rates"].items() if now[name] < share - SLACK]
    print(now, f"less than committed: {', '.join(worse)}" if worse else "")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    command, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    commands = {"measure": (measure, [1, 2]), "write": (write, [2]), "update": (update, [1]), "check": (check, [1])}
    if command not in commands or len(arguments) not in commands[command][1]:
        sys.exit(__doc__)
    commands[command][0](*arguments)

#!/usr/bin/env python3
"""The micro-kernels of counters/, counted by a GPU and by the virtual GPU.

  compare_counters.py measure FOLDER [PROGRAM...]
                                          on a machine with a GPU: runs every program of FOLDER (or those named) three
                                          times under Nsight Compute and writes FOLDER/NAME.1.csv to NAME.3.csv, and NAME.beside.1.csv to
                                          NAME.beside.3.csv with counters that are shown, not compared
  compare_counters.py write FOLDER CSVS   runs every program of FOLDER on the virtual GPU, pairs the launches with the
                                          medians of the counters in CSVS, writes counters.json and counters.md; of a program
                                          without files in CSVS what the GPU counted stays as it was
  compare_counters.py update FOLDER       the same, with what the GPU counted taken from the counters.json that is there:
                                          after a change of the virtual GPU, where no GPU is at hand
  compare_counters.py check FOLDER        recomputes our side and compares it with the committed counters.json, within
                                          the bounds below; exit status 1 and a line for each counter outside them

FOLDER holds the compiled programs (counters_programs.sh). The virtual GPU's library is found by LD_LIBRARY_PATH.
"""
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap

PROGRAMS = ["global_patterns", "shared_patterns", "atomics", "asynchronous", "tensor_tiles", "instructions",
            "caches"]
# What an H200 does differently from one run to the next, because it is a matter of time: shown, not compared.
TIMED = ["store_joins"]
TIMED_COUNTER = "L2 write sectors"
RUNS = [1, 2, 3]
HERE = os.path.dirname(os.path.abspath(__file__))
MEASURED = os.path.join(HERE, "..", "..", "course", "measured", "nvidia-h200")


def of_memory(report, field, space, kinds, wanted=lambda text: True):
    """Bulk copies are loads and stores in our report, but do not pass the load/store unit that these metrics count."""
    return sum(i[field] for i in report["instructions"]
               if i["space"] == space and i["kind"] in kinds and wanted(i["text"])
               and not (space == "global" and ".bulk" in i["text"]))


def is_matrix(text):
    return "ldmatrix" in text


def is_async(text):
    return "cp.async" in text


def loop_loads(report):
    """Of the loop that ptxas makes of a shared float atomic, the loads are counted as loads."""
    return of_memory(report, "sass_loop_load_wavefronts", "shared", ["atomic", "reduction"])


def conflicts(report, kind):
    rows = [i for i in report["instructions"] if i["space"] == "shared" and i["kind"] == kind and
            not is_async(i["text"])]
    return sum(i["sass_wavefronts"] - i["sass_ideal_wavefronts"] for i in rows)


# name: (Nsight Compute's metric, ours, relative bound, absolute bound below which nothing is compared). L2's sectors are
# those that cross between the SMs and L2, in either direction: that is what a kernel asks for and waits for. How often L2
# looked something up is beside (below): its request coalescer, the LRC of Nsight Compute's tables, looks a sector up once
# for several SMs that ask at the same time.
COUNTERS = {
    "instructions": ("smsp__inst_executed.sum", lambda r: r["sass_instructions"], 0, 0),
    "global load requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                             lambda r: of_memory(r, "requests", "global", ["load"]), 0, 0),
    "global load sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                            lambda r: of_memory(r, "sectors", "global", ["load"]), 0, 0),
    "global store requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                              lambda r: of_memory(r, "requests", "global", ["store"]), 0, 0),
    "global store sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                             lambda r: of_memory(r, "sectors", "global", ["store"]), 0, 0),
    "global atomic sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                              lambda r: of_memory(r, "sectors", "global", ["atomic"]), 0, 0),
    "global reduction sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                                 lambda r: of_memory(r, "sectors", "global", ["reduction"]), 0, 0),
    "shared load wavefronts": ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                               lambda r: of_memory(r, "sass_wavefronts", "shared", ["load"],
                                                   lambda t: not is_matrix(t)) + loop_loads(r), 0, 0),
    "shared store wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                lambda r: of_memory(r, "sass_wavefronts", "shared", ["store"],
                                                    lambda t: not is_async(t)), 0, 0),
    "shared atomic wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
                                 lambda r: of_memory(r, "sass_wavefronts", "shared", ["atomic", "reduction"]) - loop_loads(r),
                                 0, 0),
    "ldmatrix wavefronts": ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
                            lambda r: of_memory(r, "sass_wavefronts", "shared", ["load"], is_matrix), 0, 0),
    "cp.async wavefronts": ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
                            lambda r: of_memory(r, "sass_wavefronts", "shared", ["store"], is_async), 0, 0),
    "shared load conflicts": ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                              lambda r: conflicts(r, "load"), 0, 0),
    "shared store conflicts": ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                               lambda r: conflicts(r, "store"), 0, 0),
    # A relative bound says little of a rate near 0: one point of the hit rate always passes (floor_of()).
    "L1 load hits": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                     lambda r: r["l1_load_hits"], 0.05, 0),
    # Of atomics a sector each comes back.
    "L2 read sectors": ("l1tex__m_xbar2l1tex_read_sectors.sum",
                        lambda r: r["l2_read_sectors"] + of_memory(r, "sectors", "global", ["atomic"]), 0.05, 0),
    "L2 write sectors": ("lts__t_sectors_srcunit_tex_op_write.sum", lambda r: r["l2_write_sectors"], 0.05, 0),
    # The code is fetched once; parameters and what belongs to them take 3 KB more. Writing back what the profiler itself
    # left in L2 takes up to 2.5 MB. Below these bounds nothing can be told.
    "DRAM bytes read": ("dram__bytes_read.sum", lambda r: r["dram_read_bytes"] + r["sass_code_bytes"], 0.10, 8192),
    "DRAM bytes written": ("dram__bytes_write.sum", lambda r: r["dram_write_bytes"], 0.10, 2.5e6),
}

HIT_RATE_POINT = 0.01

# Metrics without a counter of ours. They are printed below the pairs, to help explain them.
BESIDE = {
    "L2 lookups to read": "lts__t_sectors_srcunit_tex_op_read.sum",
    "sectors sent to L2": "l1tex__m_l1tex2xbar_write_sectors.sum",
    "local load sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local load hits": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
    "local store sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "local store hits": "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum",
}

def kernel_name(name):
    name = re.sub(r"^void ", "", name)
    name = re.sub(r"\((int|unsigned int)\)", "", name)
    name = re.sub(r"\([^()]*\)$", "", name)
    return re.sub(r"\s*,\s*", ", ", re.sub(r"(\d)u\b", r"\1", name))


def run_on_virtual_gpu(program):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        # The patterns read rows' gaps, which nobody writes: counts are asked for here, not checks.
        environment = dict(os.environ, RIDGE_REPORT=report, RIDGE_CACHES="cold", RIDGE_DEVICE="H200", RIDGE_CHECKS="bounds")
        done = subprocess.run([program], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program}: exit status {done.returncode}\n{done.stderr}")
        return [json.loads(line) for line in open(report)]


def read_csv(path):
    """One dictionary per launch: metric to text."""
    lines = [line for line in open(path) if not line.startswith("==")]
    rows = list(csv.reader(lines))
    at = next(k for k, row in enumerate(rows) if row and row[0] == "ID")
    return [dict(zip(rows[at], row)) for row in rows[at + 2:]]


def measure(folder, *programs):
    for program in programs or PROGRAMS + TIMED:
        for run in RUNS:
            wrong = profile(folder, program, f"{program}.{run}.csv", [c[0] for c in COUNTERS.values()])
            if wrong:
                sys.exit(wrong)
            wrong = profile(folder, program, f"{program}.beside.{run}.csv", list(BESIDE.values()))
            if wrong:
                print(f"{wrong}\nnot measured: what is shown beside {program}", file=sys.stderr)


def profile(folder, program, csv_name, metrics):
    """Empty, or what went wrong."""
    command = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--metrics",
               ",".join(metrics), os.path.join(folder, program)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    with open(os.path.join(folder, csv_name), "w") as file:
        file.write(done.stdout)
    return ""


def medians(csvs, program, infix, metrics):
    """By launch, its name and its counters, each the median of the runs: what DRAM and L2 see varies by a few percent."""
    runs = [read_csv(os.path.join(csvs, f"{program}{infix}.{run}.csv")) for run in RUNS]
    for launches in zip(*runs, strict=True):
        values = {}
        for counter, metric in metrics.items():
            texts = [launch.get(metric, "").replace(",", "") for launch in launches]
            if all(text.replace(".", "", 1).isdigit() for text in texts):
                values[counter] = int(statistics.median(float(text) for text in texts))
        yield kernel_name(launches[0]["Kernel Name"]), values


def timed_counts(csvs, program):
    """By launch: its name, and TIMED_COUNTER in every run."""
    runs = [read_csv(os.path.join(csvs, f"{program}.{run}.csv")) for run in RUNS]
    for launches in zip(*runs, strict=True):
        yield (kernel_name(launches[0]["Kernel Name"]),
               [int(launch[COUNTERS[TIMED_COUNTER][0]].replace(",", "")) for launch in launches])


def measured_counts(csvs, program):
    """By launch: its name, what is compared, what is shown beside."""
    counted = list(medians(csvs, program, "", {name: c[0] for name, c in COUNTERS.items()}))
    beside = [("", {})] * len(counted)
    if os.path.exists(os.path.join(csvs, f"{program}.beside.{RUNS[-1]}.csv")):
        beside = list(medians(csvs, program, ".beside", BESIDE))
    for (name, values), (_, more) in zip(counted, beside, strict=True):
        yield name, values, more


def floor_of(name, counted):
    """`counted`: what the GPU counted of this launch."""
    if name == "L1 load hits":
        return HIT_RATE_POINT * counted.get("global load sectors", 0)
    return COUNTERS[name][3]


def agrees(name, ours, counted):
    hardware = counted[name]
    return abs(ours - hardware) <= max(COUNTERS[name][2] * hardware, floor_of(name, counted))


def ours_of(report):
    return {name: compute(report) for name, (_, compute, _, _) in COUNTERS.items()}


def committed():
    return json.load(open(os.path.join(MEASURED, "counters.json")))


def committed_counts(document, program):
    """As measured_counts(), from what was written before."""
    for kernel in document["kernels"]:
        if kernel["program"] == program:
            yield kernel["kernel"], counted_by_gpu(kernel), kernel.get("beside", {})


def committed_timed(document, program):
    """As timed_counts(), from what was written before."""
    for kernel in document["timed"]:
        if kernel["program"] == program:
            yield kernel["kernel"], kernel["h200"]


def counted_by_gpu(kernel):
    return {name: pair["h200"] for name, pair in kernel["counters"].items()}


def write(folder, csvs):
    document = committed()

    def newest(of_csvs, of_document):
        def counts_of(program):
            measured = os.path.exists(os.path.join(csvs, f"{program}.{RUNS[-1]}.csv"))
            return of_csvs(csvs, program) if measured else of_document(document, program)
        return counts_of

    write_with(folder, newest(measured_counts, committed_counts), newest(timed_counts, committed_timed))


def update(folder):
    document = committed()
    write_with(folder, lambda program: committed_counts(document, program),
               lambda program: committed_timed(document, program))


def launches_beside(folder, program, counted):
    """The launches of the virtual GPU's run, each with the entry of `counted` (which begins with the kernel's name) beside it."""
    launches = run_on_virtual_gpu(os.path.join(folder, program))
    if len(launches) != len(counted):
        sys.exit(f"{program}: {len(launches)} launches on the virtual GPU, {len(counted)} under Nsight Compute")
    for report, entry in zip(launches, counted):
        if kernel_name(report["kernel"]) != entry[0]:
            sys.exit(f"{program}: {kernel_name(report['kernel'])} here, {entry[0]} there")
        yield report, entry


def write_with(folder, counts_of, timed_of):
    kernels, timed = [], []
    for program in PROGRAMS:
        for report, (name, values, beside) in launches_beside(folder, program, list(counts_of(program))):
            ours = ours_of(report)
            counters = {counter: {"h200": hardware, "virtual": ours[counter]} for counter, hardware in values.items()}
            kernels.append({"program": program, "kernel": name, "counters": counters})
            if beside:
                kernels[-1]["beside"] = beside
    for program in TIMED:
        for report, (name, runs) in launches_beside(folder, program, list(timed_of(program))):
            timed.append({"program": program, "kernel": name, "h200": runs, "virtual": ours_of(report)[TIMED_COUNTER]})
    document = {
        "device": "NVIDIA H200", "cuda": "13.0",
        "command": "tests/hardware/compare_counters.py measure FOLDER (ncu --clock-control none, caches flushed before "
                   "every launch; medians of three runs), then write FOLDER FOLDER",
        "metrics": {name: metric for name, (metric, _, _, _) in COUNTERS.items()}, "beside": BESIDE, "kernels": kernels,
        "timed": timed,
    }
    with open(os.path.join(MEASURED, "counters.json"), "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    with open(os.path.join(MEASURED, "counters.md"), "w") as file:
        file.write(table(document))
    print(f"{len(kernels)} kernels, {sum(len(k['counters']) for k in kernels)} pairs of counters")


def paragraph(text):
    return textwrap.fill(" ".join(text.split()), 100, break_long_words=False, break_on_hyphens=False)


def table(document):
    lines = ["# Counters of an H200 and of the virtual GPU", "",
             paragraph("""
                 `tests/hardware/compare_counters.py write` writes this file; the numbers are in `counters.json`. Every
                 launch starts with empty caches, on the GPU by `ncu`, here by `RIDGE_CACHES=cold`. A row has the
                 counters of a kernel that are not 0: the H200's, and after a slash the virtual GPU's if it differs.
                 All are medians of three runs. L2 sectors are those that cross between the SMs and L2. `beside` are
                 counters of the H200 that are not compared: L2 looks up once what several SMs request at the same
                 time (its request coalescer, LRC in Nsight Compute's tables), and the hits of spills and of local
                 arrays in L1 depend on timing."""), "",
             "| bound | counters |", "|---|---|"]
    bounds = {}
    for name, (_, _, relative, floor) in COUNTERS.items():
        text = "exact" if relative == 0 else f"{relative:.0%}" + (f", or {floor:.0f} bytes" if floor else "")
        if name == "L1 load hits":
            text += f", or {HIT_RATE_POINT:.0%} of the sectors loaded (a point of the hit rate)"
        bounds.setdefault(text, []).append(name)
    lines += [f"| {text} | {', '.join(names)} |" for text, names in bounds.items()] + [""]
    for program in PROGRAMS:
        lines += [f"## {program}", "", "| kernel | counters |", "|---|---|"]
        for kernel in (k for k in document["kernels"] if k["program"] == program):
            parts = []
            for name, pair in kernel["counters"].items():
                if pair["h200"] == 0 and pair["virtual"] == 0:
                    continue
                text = f"{name} {pair['h200']}"
                parts.append(text if pair["h200"] == pair["virtual"] else f"{text} / {pair['virtual']}")
            beside = [f"{name} {value}" for name, value in kernel.get("beside", {}).items() if value]
            if beside:
                parts.append("beside: " + ", ".join(beside))
            lines.append(f"| `{kernel['kernel']}` | {'; '.join(parts) or 'not measured yet'} |")
        lines.append("")
    lines += [f"## Depends on timing: {TIMED_COUNTER}", "",
              paragraph("""
                  L1 sends a store to L2 together with the SM's last one if it begins in the sector in which that one
                  ended and follows soon enough: stores of warps 16 cycles apart are nearly all joined, of warps 96
                  cycles apart none. After loads the H200's count varies from run to run. The virtual GPU has no cycles
                  and joins every such store: for such a kernel its count is the minimum. All three runs of the H200:
                  """), "",
              "| kernel | H200 | virtual |", "|---|---|---|"]
    lines += [f"| `{k['kernel']}` | {', '.join(map(str, k['h200']))} | {k['virtual']} |" for k in document["timed"]]
    return "\n".join(lines) + "\n"


def check(folder):
    document = committed()
    wrong, compared, stale = [], 0, 0
    for program in PROGRAMS:
        launches = run_on_virtual_gpu(os.path.join(folder, program))
        kernels = [k for k in document["kernels"] if k["program"] == program]
        if [kernel_name(r["kernel"]) for r in launches] != [k["kernel"] for k in kernels]:
            sys.exit(f"{program}: its launches are not those of counters.json; measure again")
        for report, kernel in zip(launches, kernels):
            ours = ours_of(report)
            for name, pair in kernel["counters"].items():
                if ours[name] != pair["virtual"]:
                    stale += 1
                compared += 1
                if not agrees(name, ours[name], counted_by_gpu(kernel)):
                    wrong.append(f"{kernel['kernel']}: {name}: H200 {pair['h200']}, virtual GPU {ours[name]}")
    print("\n".join(wrong + [f"{compared - len(wrong)} of {compared} counters agree"]))
    if stale:
        print(f"{stale} of our counters are not those of counters.json any more: compare_counters.py update FOLDER")
    sys.exit(1 if wrong or compared == 0 else 0)


if __name__ == "__main__":
    command, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    # With how many arguments.
    commands = {"measure": (measure, range(1, 2 + len(PROGRAMS + TIMED))), "write": (write, [2]), "update": (update, [1]),
                "check": (check, [1])}
    if command not in commands or len(arguments) not in commands[command][1] or \
            (command == "measure" and not set(arguments[1:]) <= set(PROGRAMS + TIMED)):
        sys.exit(__doc__)
    commands[command][0](*arguments)

#!/usr/bin/env python3
"""Do two gradings of one file agree?  `repeats.py measure RIDGE FILE` grades every solution of labs 01 and 02 five times on this machine's
GPU and writes FILE; `repeats.py check FILE` says how far the median ratios of the five lie apart, and ends with 1 if one rung's
are over 1% apart, or one is missing. Run it on a GPU that does nothing else."""
import json
import subprocess
import sys

LABS = ["01-kernel-basics", "02-coalescing"]
REPEATS = 5
CLAIM_PERCENT = 1.0
KEPT = ["percent", "percent_low", "percent_high", "time_ms", "baseline_ms", "rounds", "discarded", "throttled", "ungated"]


def grade(ridge, lab):
    command = [ridge, "grade", lab, "--solution", "--on", "gpu", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["results"]


def measure(ridge, file):
    record = {"command": "tests/hardware/repeats.py measure RIDGE FILE", "device": None, "rungs": {}}
    for repeat in range(REPEATS):
        for lab in LABS:
            for result in grade(ridge, lab):
                if not result["measured"]:
                    sys.exit(f"{result['rung']}: {result['verdict']}: {result['summary']}")
                record["device"] = result["device"]
                measured = result["measured"]
                row = {key: measured[key] for key in KEPT}
                row["verdict"] = result["verdict"]
                row["seconds"] = round(result["seconds"], 1)
                row["roof_percent"] = measured["roof"]["percent"]
                row["copy_gigabytes_per_second"] = measured["roof"]["gigabytes_per_second"]
                row["sm_mhz"] = measured["gpu"].get("sm_mhz")
                row["power_w"] = measured["gpu"].get("power_w")
                record["rungs"].setdefault(result["rung"], []).append(row)
        with open(file, "w", encoding="utf-8") as out:
            json.dump(record, out, indent=1)
            out.write("\n")
        print(f"repeat {repeat + 1} of {REPEATS} done", flush=True)


def spread_percent(rows):
    """Between the farthest two of the median ratios, relative to the lower one."""
    ratios = [row["percent"] for row in rows]
    return 100 * (max(ratios) - min(ratios)) / min(ratios)


def check(file):
    with open(file, encoding="utf-8") as text:
        record = json.load(text)
    failures = 0
    expected = set(sys.argv[3:]) or set(record["rungs"])
    for rung in sorted(expected):
        rows = record["rungs"].get(rung, [])
        if len(rows) != REPEATS:
            print(f"{rung}: {len(rows)} repeats, and {REPEATS} are claimed")
            failures += 1
            continue
        spread = spread_percent(rows)
        failures += spread > CLAIM_PERCENT
        ratios = " ".join(f"{row['percent']:6.2f}" for row in rows)
        print(f"{rung:44} {ratios}   {spread:.2f}% apart{'' if spread <= CLAIM_PERCENT else '  OVER ' + str(CLAIM_PERCENT) + '%'}")
    print(f"{record['device']}: " + ("every rung's five agree within 1%" if not failures else f"{failures} rungs do not agree"))
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) >= 4 and sys.argv[1] == "measure":
        measure(sys.argv[2], sys.argv[3])
    elif len(sys.argv) >= 3 and sys.argv[1] == "check":
        sys.exit(check(sys.argv[2]))
    else:
        sys.exit(__doc__)

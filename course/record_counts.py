#!/usr/bin/env python3
"""Records what the virtual GPU counts of the files that tables and texts of the course quote.

  course/record_counts.py                 grade all; write course/measured/virtual-gpu/LAB.json
  course/record_counts.py KEY...          these only ("02/5", "02/1 tests/known_wrong/.../file.cu")
  course/record_counts.py --sample N      grade N drawn files; compare with what is recorded
                 --seed S                 draw these again      --ridge FILE   default: ./ridge

Each file is graded twice with the same inputs (--seed 1 of ridge grade). Most counts are equal and
must be so in every sample. "varies" has those that are not: kernels that wait for other blocks,
kernels or devices count each look at a flag, and kernels that change memory by atomics depend on
whose turn it is. No sample is drawn of a file with such a count. The counts are those of nvcc's
code, so a sample needs the recorded version of nvcc.
"""
import argparse
import hashlib
import json
import random
import re
import subprocess
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tie_counts import ROOT, Course, code_of, lab_of, source_of  # noqa: E402

FOLDER = ROOT / "course/measured/virtual-gpu"


def keys_of_text():
    """The files that count(...) names in the lists of figures in the text (figure_sources.py)."""
    lists = sorted((ROOT / "course/measured/figures").glob("*.toml"))
    return [key for path in lists for key in re.findall(r'count\(\\"([^"\\]+)', path.read_text())]


def toolkit():
    """"13.0.88", or "" without nvcc."""
    try:
        text = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout
    except OSError:
        return ""
    found = re.search(r"release [\d.]+, V([\d.]+)", text)
    return found[1] if found else ""


def text_of(line, file):
    """The source line that a count is about; of a header its name as well."""
    header = line["what"].partition(" in ")[2]
    where = file if not header else next(
        (path for folder in (file.parent, ROOT / "labs" / file.parent.name, ROOT / "labs/include")
         for path in folder.glob(header)), None)
    if where is None:
        return header
    lines = where.read_text().split("\n")
    return lines[line["line"] - 1].strip() if line["line"] <= len(lines) else ""


def record_from(document, file):
    result = document["results"][0]
    if "all_counts" not in result:
        raise SystemExit(f"{file}: {result['verdict']}, no counts: {result['summary']}")
    names = sorted(result["all_counts"])
    counts = {name: value for name, value in result["all_counts"].items() if value}
    counts |= {"registers": result["registers"], "shared_bytes": result["shared_bytes"],
               "spill_bytes": result["spill_bytes"]}
    lines = [{key: row[key] for key in row if key != "line"} | {"text": text_of(row, file)}
             for row in result["counts"]]
    return {"size": result["size"], "code": code_of(file), "names": names, "counts": counts,
            "lines": lines}


def grade(key, ridge):
    rung, file = source_of(key)
    run = subprocess.run([*ridge, "grade", rung, "--file", str(file), "--seed", "1", "--on", "virtual",
                          "--json"], capture_output=True, text=True, cwd=ROOT)
    if not run.stdout:
        raise SystemExit(f"{key}: ridge grade printed no result: {run.stderr.strip()}")
    return record_from(json.loads(run.stdout), file)


def joined(first, second):
    """The first record, with the counts that the same inputs do not determine."""
    a, b = first["counts"], second["counts"]
    varies = {name: sorted((a.get(name, 0), b.get(name, 0))) for name in sorted(a.keys() | b.keys())
              if a.get(name, 0) != b.get(name, 0)}
    return first | {"varies": varies}


def differences(recorded, graded):
    """What a grade counted differently from the record, in words.

    A count that did not exist when the file was recorded is left out: "names" has those that did."""
    counts, others = recorded["counts"], graded["counts"]
    found = [] if recorded["size"] == graded["size"] else [f"size {graded['size']}"]
    for name in sorted(counts.keys() | others.keys() & set(recorded["names"])):
        value, other = counts.get(name, 0), others.get(name, 0)
        if abs(other - value) > 1e-9 * abs(value):
            found.append(f"{name}: recorded {value:g}, counted {other:g}")
    return found


def write(records):
    labs = {}
    for key, record in records.items():
        labs.setdefault(lab_of(key), {})[key] = record
    for lab, graded in labs.items():
        path = FOLDER / f"{lab}.json"
        old = json.loads(path.read_text()) if path.exists() else {"names": {}, "files": {}}
        names, files = old["names"], old["files"]
        for key, record in graded.items():  # the list of names is the same for most files
            text = " ".join(record["names"])
            of_list = hashlib.sha256(text.encode()).hexdigest()[:6]
            names[of_list] = text
            files[key] = record | {"names": of_list}
        used = {record["names"] for record in files.values()}
        rows = [f"  {json.dumps(key)}: {json.dumps(record)}" for key, record in sorted(files.items())]
        path.write_text('{"toolkit": "%s", "device": "H200", "names": %s, "files": {\n%s\n}}\n' % (
            toolkit(), json.dumps({key: names[key] for key in sorted(used)}), ",\n".join(rows)))


def sample(count, seed, ridge):
    records = Course(ROOT / "course").records.files
    documents = [json.loads(path.read_text()) for path in FOLDER.glob("*.json")]
    versions = {document["toolkit"] for document in documents}
    names = {key: text for document in documents for key, text in document["names"].items()}
    if versions != {toolkit()}:
        print(f"skipped: recorded with nvcc {', '.join(sorted(versions))}, here is {toolkit()!r}")
        return 0
    print(f"seed {seed}")
    wrong = 0
    fixed = sorted(key for key, record in records.items() if not record["varies"])
    for key in random.Random(seed).sample(fixed, min(count, len(fixed))):
        recorded = records[key] | {"names": names[records[key]["names"]].split()}
        found = differences(recorded, grade(key, ridge))
        print(f"{key}: {'; '.join(found) or 'as recorded'}", flush=True)
        wrong += bool(found)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("keys", nargs="*")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--ridge", default=str(ROOT / "ridge"))
    options = parser.parse_args()
    ridge = [options.ridge]
    if options.sample:
        return sample(options.sample, options.seed, ridge)
    for key in options.keys or dict.fromkeys(Course(ROOT / "course").keys() + keys_of_text()):
        print(key, flush=True)
        write({key: joined(grade(key, ridge), grade(key, ridge))})
    return 0


if __name__ == "__main__":
    sys.exit(main())

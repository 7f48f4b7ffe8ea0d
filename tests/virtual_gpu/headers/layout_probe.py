#!/usr/bin/env python3
"""Writes a C++ program that prints the layout of every type and the value of every constant that our CUDA headers
declare. Compiled once with our headers and once with the toolkit's, it must print the same.

layout_probe.py HEADERS_FOLDER > probe.cpp
"""
import pathlib
import re
import sys

# Names that our headers declare and the toolkit does not, or declares with another meaning.
OURS_ONLY = {"CUlaunchAttribute", "cudaDevAttrMax", "cudaGraphNodeTypeCount", "cudaFuncAttributeMax"}


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def structures(text):
    """Name and fields of each struct; fields of nested unions are left out."""
    for match in re.finditer(r"^(?:typedef )?struct (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        name, body = match.groups()
        flat = re.sub(r"  (?:union|struct) \{.*?^  \}(?: \w+)?;", "", body, flags=re.M | re.S)
        fields = []
        for statement in flat.split(";"):
            statement = re.sub(r"\[[^\]]*\]", "", statement).strip()
            if statement:
                fields += [re.findall(r"\w+", part)[-1] for part in statement.split(",")]
        yield name, [field for field in fields if not field.startswith("reserved") and field != "pad"]


def main():
    folder = pathlib.Path(sys.argv[1]) / "ridge_cuda/host"
    print("#include <cuda.h>\n#include <cuda_runtime_api.h>\n#include <cstddef>\n#include <cstdio>\nint main() {")
    files = [*folder.glob("*types*.h"), *folder.glob("*errors.h"), *folder.glob("device_*.h")]
    for path in sorted(files):
        text = without_comments(path.read_text())
        for name, fields in structures(text):
            if name in OURS_ONLY or name.removesuffix("_st") in OURS_ONLY:
                continue
            print(f'  std::printf("{name} %zu\\n", sizeof({name}));')
            for field in fields:
                print(f'  std::printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
        for body in re.findall(r"enum \w+ \{(.*?)\}", text, re.S):
            for constant in re.findall(r"^\s*(\w+)(?= =|,|$)", body.replace(",", ",\n"), re.M):
                if constant not in OURS_ONLY:
                    print(f'  std::printf("{constant} %lld\\n", static_cast<long long>({constant}));')
        for constant in re.findall(r"^#define ((?:cuda|CU)\w+) [-(0-9]", text, re.M):
            if "*)" not in re.search(rf"#define {constant} (.*)", text).group(1) and "_t)" not in re.search(
                    rf"#define {constant} (.*)", text).group(1):
                print(f'  std::printf("{constant} %lld\\n", static_cast<long long>({constant}));')
    print("}")


main()

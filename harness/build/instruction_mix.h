// The instruction mix of a compiled file: its PTX, which the file contains as text, and its SASS,
// which cuobjdump disassembles where the toolkit has it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/build/toolkit.h"

namespace ridge::build {

struct OpcodeCount {
  std::string opcode;  // "ld.global", "fma.rn.f32"; "LDG.E.128"
  uint64_t count = 0;  // occurrences in the code, not executions
};

// The PTX texts in a file compiled with --compress-mode=none.
std::vector<std::string> ptx_in(const std::filesystem::path& object);
// The opcodes of a PTX text as ptxas reads them, with all modifiers, in order. Comments and blanks
// cannot hide anything, even inside an opcode.
std::vector<std::string> ptx_opcodes(std::string_view ptx);
// The file of each kernel's first line that is not inlined, from -lineinfo; "" when it is unknown.
struct KernelOrigin {
  std::string kernel, file;
};
std::vector<KernelOrigin> kernel_origins(std::string_view ptx);
// Sorted by count, highest first, then by name.
std::vector<OpcodeCount> ptx_mix(std::string_view ptx);
// Parses the output of `cuobjdump -sass`. NOPs, which pad the end of a function, are not counted.
std::vector<OpcodeCount> sass_mix(std::string_view listing);
// No value when cuobjdump is missing or fails.
std::optional<std::string> sass_listing(const Toolkit& toolkit, const std::filesystem::path& object);

}  // namespace ridge::build

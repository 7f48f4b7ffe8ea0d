// What a compiled file is made of, instruction by instruction: its PTX, which lies in it as text, and its
// SASS, by cuobjdump where the toolkit has it.
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
  uint64_t count = 0;  // in the code, not executed
};

// The PTX texts in a file compiled with --compress-mode=none.
std::vector<std::string> ptx_in(const std::filesystem::path& object);
// The opcodes of a PTX text as ptxas reads them, with all modifiers, in their order: comments and blanks, also
// in the middle of an opcode, hide nothing.
std::vector<std::string> ptx_opcodes(std::string_view ptx);
// The file of each kernel's first own line (not of what was inlined into it), by -lineinfo; "" where the text does not say.
struct KernelOrigin {
  std::string kernel, file;
};
std::vector<KernelOrigin> kernel_origins(std::string_view ptx);
// Most frequent first; equals by name.
std::vector<OpcodeCount> ptx_mix(std::string_view ptx);
// Of `cuobjdump -sass`'s output: NOPs, which pad a function's end, are left out.
std::vector<OpcodeCount> sass_mix(std::string_view listing);
// Nothing where there is no cuobjdump, or it fails.
std::optional<std::string> sass_listing(const Toolkit& toolkit, const std::filesystem::path& object);

}  // namespace ridge::build

// What ptxas decided about each kernel, read from the cubin (an ELF file) that lies beside the PTX: PTX has
// as many registers as it likes, a GPU does not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warp_model/sass.h"

namespace ridge::runtime {

struct CubinKernel {
  uint32_t registers_per_thread = 0;  // .nv.info attribute 0x2f
  uint32_t stack_bytes = 0;           // attributes 0x11 (frame) and 0x12 (with its callees), the larger
  uint32_t static_shared_bytes =
      0;  // section .nv.shared.NAME, without what the system reserves in every block
  // What the GPU would execute, in order, each instruction with its PTX line as far as -lineinfo tells;
  // nullptr for architectures whose encoding we do not read.
  std::shared_ptr<const std::vector<warp_model::SassInstruction>> code;
};

// By function: how many lines of PTX stand before its own where several modules were linked.
using LineShifts = std::unordered_map<std::string, uint32_t>;

// By mangled name. A kernel's code is followed by that of the functions it calls. Throws FatbinError when the file
// is damaged; reads nothing outside `elf`.
std::unordered_map<std::string, CubinKernel> read_cubin(std::string_view elf, const LineShifts& shifts = {});

}  // namespace ridge::runtime

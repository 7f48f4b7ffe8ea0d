// Reads what ptxas decided about each kernel from the cubin (an ELF file) that accompanies the PTX.
// PTX has unlimited virtual registers; a GPU does not.
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
  // The larger of attributes 0x11 (frame) and 0x12 (with callees).
  uint32_t stack_bytes = 0;
  uint32_t static_shared_bytes =
      0;  // section .nv.shared.NAME, without the system's part of every block
  // The instructions that a GPU would execute, in order, each with its PTX line if -lineinfo has
  // it; nullptr for architectures whose encoding we cannot read.
  std::shared_ptr<const std::vector<warp_model::SassInstruction>> code;
};

// By function: the number of PTX lines that precede its own module when several were linked.
using LineShifts = std::unordered_map<std::string, uint32_t>;

// sizes: everything but CubinKernel::code, which only reports and traces need.
enum class CubinParts : uint8_t { all, sizes };

// By mangled name. A kernel's code is followed by that of the functions that it calls. Throws
// FatbinError when the file is damaged; never reads outside `elf`.
std::unordered_map<std::string, CubinKernel> read_cubin(std::string_view elf,
                                                        const LineShifts& shifts = {},
                                                        CubinParts parts = CubinParts::all);

}  // namespace ridge::runtime

// Finds loads whose value may turn out not to matter. The compiler moves the load of `a || s[0]`
// before the test of a; `or.pred` then discards the value where a is true.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// A scalar load from shared memory whose value only reaches and.pred, or.pred and selp, through
// unguarded instructions that only compute. The registers on the path are numbered; that of the
// load is 0.
struct MaskableRead {
  struct Step {
    uint32_t at = 0;  // index of the instruction
    std::vector<uint8_t> reads;
    int writes = -1;  // number of the written register; -1: a masking instruction
  };
  uint32_t load = 0;
  std::vector<Step> steps;  // in program order
};

// By index in function.instructions, in the order of the loads.
std::vector<MaskableRead> find_maskable_reads(const ptx::Function& function);

}  // namespace ridge::machine

// Loads whose value may turn out not to matter. The compiler moves the load of `a || s[0]` in front of the test
// of a; `or.pred` then drops what was read where a is true.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// A scalar load from shared memory whose value reaches nothing but and.pred, or.pred and selp, by way of other
// instructions without a guard that only compute. The registers on the way are numbered, that of the load is 0.
struct MaskableRead {
  struct Step {
    uint32_t at = 0;  // instruction
    std::vector<uint8_t> reads;
    int writes = -1;  // -1: it is one of the three
  };
  uint32_t load = 0;
  std::vector<Step> steps;  // in the order of the program
};

// By index in function.instructions, in the order of the loads.
std::vector<MaskableRead> find_maskable_reads(const ptx::Function& function);

}  // namespace ridge::machine

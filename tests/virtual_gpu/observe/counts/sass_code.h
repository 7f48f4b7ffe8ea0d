// SASS and PTX counts for the tests of sass_executions.
#pragma once

#include <cstdint>
#include <vector>

#include "virtual_gpu/observe/counts/sass/sass_executions.h"
#include "warp_model/sass.h"

namespace ridge::observe {

// Instructions at 16 bytes each, from what matters of them.
struct Line {
  warp_model::SassClass sass_class;
  uint32_t ptx_line;
  warp_model::SassFlow flow = warp_model::SassFlow::straight;
  bool guarded = false;
  uint32_t target = 0;  // instruction
  uint8_t lane_bytes = 0;
};

inline std::vector<warp_model::SassInstruction> code_of(const std::vector<Line>& lines) {
  std::vector<warp_model::SassInstruction> code;
  for (const Line& line : lines) {
    warp_model::SassInstruction i;
    i.address = static_cast<uint32_t>(code.size()) * warp_model::kSassBytes;
    i.ptx_line = line.ptx_line;
    i.sass_class = line.sass_class;
    i.flow = line.flow;
    i.guarded = line.guarded;
    i.target = line.target * warp_model::kSassBytes;
    i.lane_bytes = line.lane_bytes;
    code.push_back(i);
  }
  return code;
}

inline PtxLineCounts counted(uint64_t executions,
                             warp_model::SassClass counterpart = warp_model::SassClass::other,
                             uint64_t divergences = 0) {
  PtxLineCounts line;
  line.executions = executions;
  line.counterpart = counterpart;
  line.divergences = divergences;
  return line;
}

}  // namespace ridge::observe

#include "virtual_gpu/observe/counts/sass/spills.h"

#include <algorithm>

namespace ridge::observe {
namespace {

using warp_model::SassClass;
using warp_model::SassInstruction;

bool is_local(SassClass c) {
  return c == SassClass::local_load || c == SassClass::local_store;
}

bool is_global(SassClass c) {
  return c == SassClass::global_load || c == SassClass::global_store || c == SassClass::global_atomic ||
         c == SassClass::async_copy;
}

}  // namespace

bool is_spill(const SassInstruction& instruction, const PtxCounts& ptx) {
  if (!is_local(instruction.sass_class)) return false;
  const auto line = ptx.find(instruction.ptx_line);
  return line == ptx.end() || !is_local(line->second.counterpart);
}

SpillsBehind place_spills(std::span<const SassInstruction> code, const PtxCounts& ptx,
                          std::span<const uint64_t> issued) {
  SpillsBehind behind;
  std::vector<std::pair<SpillAccess, uint64_t>> early;  // with their number of executions
  uint32_t anchor = 0;
  uint64_t anchor_executions = 0;
  const auto add = [&](SpillAccess spill, uint64_t executions) {
    spill.rate = static_cast<double>(executions) / static_cast<double>(anchor_executions);
    behind[anchor].push_back(spill);
  };
  for (size_t k = 0; k < code.size(); ++k) {
    if (issued[k] == 0) continue;
    const SassInstruction& i = code[k];
    if (is_spill(i, ptx)) {
      const SpillAccess spill{i.sass_class == SassClass::local_load, static_cast<uint32_t>(i.offset) / 4,
                              std::max<uint32_t>(1, i.lane_bytes / 4), 0};
      if (anchor_executions == 0)
        early.push_back({spill, issued[k]});
      else
        add(spill, issued[k]);
      continue;
    }
    const auto line = ptx.find(i.ptx_line);
    if (line == ptx.end() || line->second.executions == 0 || !is_global(line->second.counterpart) ||
        !is_global(i.sass_class)) {
      continue;
    }
    anchor = i.ptx_line;
    anchor_executions = line->second.executions;
    for (const auto& [spill, executions] : early)
      add(spill, executions);
    early.clear();
  }
  return behind;
}

}  // namespace ridge::observe

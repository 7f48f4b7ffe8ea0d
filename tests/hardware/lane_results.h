// What the virtual GPU's own operation answers for the recorded operands.
#pragma once

#include "tests/hardware/lane_cases.h"
#include "tests/virtual_gpu/machine/lanes/lane_file.h"

namespace ridge::recorded {

inline std::vector<Result> results_of(const machine::LaneOp& op, const OpcodeKinds& kinds) {
  using namespace ridge::machine;
  std::vector<Result> results;
  // The recording has a subtraction's borrow, as subc sees it; the condition code has the carry, its
  // opposite.
  const uint32_t inverted = op.opcode.starts_with("sub") ? 1 : 0;
  const RowOffset rows[] = {LaneFile::kA, LaneFile::kB, LaneFile::kC, LaneFile::kD};
  const RowType types[] = {op.a, op.b, op.c, op.d};
  for (int first = 0; first < kCases; first += kLanes) {
    LaneFile file;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Operands operands = operands_of(op.opcode, kinds, first + lane);
      for (int i = 0; i < 4; ++i)
        if (kinds.in[i].reg != Register::none) file.set(rows[i], types[i], lane, operands.in[i]);
      file.set(kCarryRow, RowType::pred, lane, operands.carry ^ inverted);
    }
    op.full(file.bytes.data(), LaneFile::operands(), kAllLanes);
    for (int lane = 0; lane < kLanes; ++lane)
      results.push_back(normalised({file.get(LaneFile::kDst, op.dst, lane) & result_mask(kinds.dst.reg),
                                    file.get(LaneFile::kDst2, op.dst2, lane) & result_mask(kinds.dst2.reg),
                                    kinds.writes_carry ? (file.mask(kCarryRow) >> lane & 1) ^ inverted : 0},
                                   op.opcode, kinds));
  }
  return results;
}

}  // namespace ridge::recorded

// A register file with one row for each operand, to run a lane operation on chosen values.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "virtual_gpu/machine/lanes/lane_table.h"

namespace ridge::machine {

inline int bytes_of(RowType type) {
  return type == RowType::b32 ? 4 : type == RowType::b64 ? 8 : type == RowType::b128 ? 16 : 0;
}

struct LaneFile {
  static constexpr RowOffset kRowBytes = 512, kDst = kFirstRow, kDst2 = kDst + kRowBytes,
                             kA = kDst2 + kRowBytes, kB = kA + kRowBytes, kC = kB + kRowBytes,
                             kD = kC + kRowBytes, kEnd = kD + kRowBytes;
  alignas(64) std::array<std::byte, kEnd> bytes{};

  static LaneOperands operands() { return {kDst, kDst2, kA, kB, kC, kD}; }

  uint32_t& mask(RowOffset row) { return *reinterpret_cast<uint32_t*>(&bytes[row]); }
  void set(RowOffset row, RowType type, int lane, uint64_t value) {
    if (type == RowType::pred)
      mask(row) = (mask(row) & ~(1u << lane)) | static_cast<uint32_t>(value & 1) << lane;
    else
      std::memcpy(&bytes[row + lane * bytes_of(type)], &value, std::min(bytes_of(type), 8));
  }
  uint64_t get(RowOffset row, RowType type, int lane) {
    if (type == RowType::pred) return mask(row) >> lane & 1;
    uint64_t value = 0;
    std::memcpy(&value, &bytes[row + lane * bytes_of(type)], std::min(bytes_of(type), 8));
    return value;
  }
};

// One operation on one set of values; `carry` goes into and comes out of the condition code.
struct Outcome {
  uint64_t dst = 0, dst2 = 0;
  bool carry = false;
};
inline Outcome run(const LaneOp& op, std::array<uint64_t, 4> in, bool carry = false) {
  LaneFile file;
  const RowOffset rows[] = {LaneFile::kA, LaneFile::kB, LaneFile::kC, LaneFile::kD};
  const RowType types[] = {op.a, op.b, op.c, op.d};
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i)
      if (types[i] != RowType::none) file.set(rows[i], types[i], lane, in[i]);
  file.mask(kCarryRow) = carry ? kAllLanes : 0;
  op.full(file.bytes.data(), LaneFile::operands(), kAllLanes);
  constexpr int kSomeLane = 21;  // all lanes are the same; the tests of whole rows are in agreement_test.cpp
  return {file.get(LaneFile::kDst, op.dst, kSomeLane), file.get(LaneFile::kDst2, op.dst2, kSomeLane),
          (file.mask(kCarryRow) >> kSomeLane & 1) != 0};
}

inline std::vector<const InstructionSet*> supported_sets() {
  std::vector<const InstructionSet*> sets;
  for (const InstructionSet& set : instruction_sets())
    if (set.is_supported()) sets.push_back(&set);
  return sets;
}

// A row of a test's table: what an opcode gives for some operands, on every instruction set this machine has.
struct Case {
  const char* opcode;
  std::array<uint64_t, 4> in;
  uint64_t expected;
};

}  // namespace ridge::machine

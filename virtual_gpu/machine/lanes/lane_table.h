// The opcode table of one instruction set: rows are added once at start, then looked up by the decoder.
// This class is compiled plainly. The operations, which are compiled with -march flags, only ever call add(),
// so no code that needs AVX can end up in a function that a machine without it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/machine/lanes/lane_op.h"

namespace ridge::machine {

class LaneTable {
 public:
  // The kind of each operand of an operation.
  struct Shape {
    RowType dst = RowType::none, dst2 = RowType::none;
    RowType a = RowType::none, b = RowType::none, c = RowType::none, d = RowType::none;
  };

  LaneTable();
  // The opcode's text is the pieces joined: {"add", ".rn", ".f32"}. Adding an opcode twice is a mistake and
  // throws.
  void add(std::initializer_list<const char*> opcode, LaneFunction full, LaneFunction masked, Shape shape);
  // Call once, after the last add: until then the opcodes' text may still move.
  void seal();

  const LaneOp* find(std::string_view opcode) const;
  std::span<const LaneOp> all() const { return operations_; }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t index_plus_one = 0;  // 0 = empty
  };
  uint32_t slot_of(std::string_view opcode, uint32_t hash) const;
  void grow();
  std::string_view text(uint32_t index) const;

  std::vector<LaneOp> operations_;
  std::vector<uint32_t> text_begin_;  // where each opcode starts in text_
  std::string text_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
};

// One instruction set that the operations can be compiled for.
struct InstructionSet {
  const char* name;        // "x86-64-v4"
  const char* short_name;  // "v4": what RIDGE_ISA takes
  bool (*is_supported)();  // it is part of this program, and this CPU has it
  void (*fill)(LaneTable&);
};

// Best first.
std::span<const InstructionSet> instruction_sets();
// Built on first use. The instruction set must be supported by this CPU for its functions to be called.
const LaneTable& lane_table(const InstructionSet& set);

}  // namespace ridge::machine

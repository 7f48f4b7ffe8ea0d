// The opcode table of one instruction set: rows are added once at start, then looked up by the
// decoder. This class is compiled without -march flags. The operations, which are compiled with
// them, only call add(), so that no AVX code is generated for a function that a machine without AVX
// executes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/lanes/lane_op.h"

namespace ridge::machine {

class LaneTable {
 public:
  // The type of each operand of an operation.
  struct Shape {
    RowType dst = RowType::none, dst2 = RowType::none;
    RowType a = RowType::none, b = RowType::none, c = RowType::none, d = RowType::none;
  };

  LaneTable();
  // The opcode's text is the concatenation of the pieces: {"add", ".rn", ".f32"}. Throws when an
  // opcode is added twice.
  void add(std::initializer_list<const char*> opcode, LaneFunction full, LaneFunction masked, Shape shape);
  // Call once after the last add: before that, the opcodes' texts may move in memory.
  void seal();

  // PTX lets the modifiers of an opcode stand in any order (cuRAND's headers have
  // lg2.approx.f32.ftz); only the order of its types matters.
  const LaneOp* find(std::string_view opcode) const;
  std::span<const LaneOp> all() const { return operations_; }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t index_plus_one = 0;  // 0 = empty
  };
  uint32_t slot_of(std::string_view opcode, uint32_t hash) const;
  void grow();
  const LaneOp* find_in_any_order(std::string_view opcode) const;
  std::string_view text(uint32_t index) const;

  std::vector<LaneOp> operations_;
  std::vector<uint32_t> text_begin_;  // where each opcode starts in text_
  std::string text_;
  std::vector<Slot> slots_;  // open addressing; size is a power of two, at most half full

  // By the opcode with its modifiers sorted. Built when an opcode is first not found.
  mutable std::once_flag ordered_once_;
  mutable std::unordered_map<std::string, uint32_t> ordered_;
};

// An instruction set for which the operations can be compiled.
struct InstructionSet {
  const char* name;        // "x86-64-v4"
  const char* short_name;  // "v4": the value of RIDGE_ISA
  bool (*is_supported)();  // compiled into this program, and supported by this CPU
  void (*fill)(LaneTable&);
};

// Best first.
std::span<const InstructionSet> instruction_sets();
// Built on first use. This CPU must support the instruction set before its functions are called.
const LaneTable& lane_table(const InstructionSet& set);

}  // namespace ridge::machine

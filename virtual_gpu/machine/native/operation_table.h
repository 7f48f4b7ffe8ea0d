// The operations that the generator can emit, by the function of the first tier: opcodes that share
// a function are the same operation.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/native/row_assembler.h"

namespace ridge::machine {

// Emits one operation; returns false, with nothing emitted, for unsupported operands.
using Emit = bool (*)(RowAssembler& code, const LaneOperands& operands);

class OperationTable {
 public:
  // The opcode's text is the concatenation of the pieces. Throws when the lane table has no such
  // opcode.
  void add(std::initializer_list<const char*> opcode, Emit emit, bool is_float = false);
  struct Operation {
    Emit emit = nullptr;
    RowType sources[3] = {}, results[2] = {};
    bool is_float = false;  // for its sources it matters only whether they are NaN, not which NaN
  };
  // nullptr: the generator does not support it.
  const Operation* find(LaneFunction full) const {
    const auto it = by_function_.find(full);
    return it == by_function_.end() ? nullptr : &it->second;
  }
  const std::vector<std::string>& opcodes() const { return opcodes_; }

 private:
  std::unordered_map<LaneFunction, Operation> by_function_;
  std::vector<std::string> opcodes_;
};

// Built on first use.
const OperationTable& native_operations();

void add_native_floats(OperationTable& table);
void add_native_integers(OperationTable& table);
void add_native_moves(OperationTable& table);
void add_native_comparisons(OperationTable& table);
void add_native_conversions(OperationTable& table);

// result[i] = f(a[i], ...), one chunk at a time; `f` fills its first argument, or replaces it.
template <Width kWidth, class F>
bool emit_unary(RowAssembler& code, const LaneOperands& o, F f) {
  for (int i = 0; i < chunks_of(kWidth); ++i) {
    code.step();
    const auto a = code.read(o.a, i);
    auto result = code.fresh();
    f(result, a);
    code.write(o.dst, i, kWidth, result);
  }
  return true;
}
template <Width kWidth, class F>
bool emit_binary(RowAssembler& code, const LaneOperands& o, F f) {
  for (int i = 0; i < chunks_of(kWidth); ++i) {
    code.step();
    const auto a = code.read(o.a, i), b = code.read(o.b, i);
    auto result = code.fresh();
    f(result, a, b);
    code.write(o.dst, i, kWidth, result);
  }
  return true;
}

}  // namespace ridge::machine

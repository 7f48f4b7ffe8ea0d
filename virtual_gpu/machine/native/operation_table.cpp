#include "virtual_gpu/machine/native/operation_table.h"

#include <stdexcept>

#include "virtual_gpu/machine/native/native_opcodes.h"

namespace ridge::machine {

void OperationTable::add(std::initializer_list<const char*> opcode, Emit emit, bool is_float) {
  std::string text;
  for (const char* piece : opcode)
    text += piece;
  const LaneOp* operation = find_lane_op(text);
  if (operation == nullptr)
    throw std::logic_error("the native code generator knows " + text + ", which is not a lane operation");
  by_function_.emplace(
      operation->full,
      Operation{
          emit, {operation->a, operation->b, operation->c}, {operation->dst, operation->dst2}, is_float});
  opcodes_.push_back(std::move(text));
}

const OperationTable& native_operations() {
  // Never destroyed: kernels may still run while the process exits.
  static const auto& table = *new const OperationTable([] {
    OperationTable made;
    add_native_floats(made);
    add_native_integers(made);
    add_native_moves(made);
    add_native_comparisons(made);
    add_native_conversions(made);
    return made;
  }());
  return table;
}

std::vector<std::string> native_opcodes() {
  return native_operations().opcodes();
}

}  // namespace ridge::machine

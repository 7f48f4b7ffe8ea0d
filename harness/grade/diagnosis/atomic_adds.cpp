#include "harness/grade/diagnosis/atomic_adds.h"

#include <algorithm>
#include <string_view>

#include "harness/build/instruction_mix.h"

namespace ridge::grade {

namespace {

bool is_add_to_output(std::string_view opcode) {
  const auto has = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
  const bool is_atomic = opcode.starts_with("atom.") || opcode.starts_with("red.");
  const bool is_bulk = opcode.starts_with("cp.reduce.async.bulk") && has(".global.shared");
  if (!is_bulk && (!is_atomic || has(".shared") || opcode.starts_with("red.async"))) return false;
  const bool is_float = has(".f16") || has(".bf16") || has(".f32") || has(".f64");
  return (has(".add") && is_float) || has(".min") || has(".max");
}

}  // namespace

bool adds_atomically(std::span<const std::string> ptx) {
  return std::any_of(ptx.begin(), ptx.end(), [](const std::string& text) {
    const std::vector<std::string> opcodes = build::ptx_opcodes(text);
    return std::any_of(opcodes.begin(), opcodes.end(), is_add_to_output);
  });
}

}  // namespace ridge::grade

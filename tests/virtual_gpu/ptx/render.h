// Writes pieces of the syntax tree back as text, so that a test's expectation is one line.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <string>
#include <string_view>

#include "virtual_gpu/ptx/parser.h"

namespace ridge::ptx {

inline constexpr std::string_view kHeader = ".version 9.0\n.target sm_90a\n.address_size 64\n";

inline Module parse_module(std::string_view declarations) {
  return parse(std::string(kHeader) + std::string(declarations));
}

// A kernel with this body; its first line is PTX line 4.
inline Function parse_body(std::string_view body) {
  static std::deque<Module> modules;  // a function's names are views of its module
  modules.push_back(parse_module(fmt::format(".entry k(.param .u64 k_param_0) {{ {}\n}}", body)));
  return modules.back().functions.at(0);
}

inline std::string render(const Operand& operand);

inline std::string render_list(const OperandList& operands) {
  std::string text;
  for (const Operand& operand : operands)
    text += fmt::format("{}{}", text.empty() ? "" : " ", render(operand));
  return text;
}

inline std::string render_offset(int64_t offset) {
  return offset ? fmt::format("{:+}", offset) : "";
}

// Every kind in its own brackets: reg(%r1) int(-1) f64(1.5) f32(3f800000) sym(a+4) mem(%rd1+8 | ...) vec(...)
// pair(...) _
inline std::string render(const Operand& operand) {
  using Kind = Operand::Kind;
  switch (operand.kind) {
    case Kind::reg: {
      const std::string component = operand.component ? fmt::format(" .{}", operand.component) : "";
      const std::string part = operand.part ? fmt::format(" .{}{}", operand.part, operand.part_index) : "";
      return fmt::format("reg({}{}{}{})", operand.negated ? "!" : "", operand.name, component, part);
    }
    case Kind::integer:
      return fmt::format("int({})", operand.integer);
    case Kind::floating:
      return operand.is_f32_bits ? fmt::format("f32({:08x})", operand.integer)
                                 : fmt::format("f64({})", operand.floating);
    case Kind::symbol:
      return fmt::format("{}({}{})", operand.is_generic ? "generic" : "sym", operand.name,
                         render_offset(operand.integer));
    case Kind::address: {
      const std::string rest =
          operand.elements.empty() ? "" : fmt::format(" | {}", render_list(operand.elements));
      return fmt::format("mem({}{}{})", operand.name, render_offset(operand.integer), rest);
    }
    case Kind::vector:
      return fmt::format("vec({})", render_list(operand.elements));
    case Kind::pair:
      return fmt::format("pair({})", render_list(operand.elements));
    case Kind::sink:
      return "_";
  }
  return "?";
}

inline std::string render(const Instruction& instruction) {
  std::string text;
  if (!instruction.guard.empty())
    text = fmt::format("@{}{} ", instruction.guard_negated ? "!" : "", instruction.guard);
  text += instruction.opcode;
  for (const Operand& operand : instruction.operands)
    text += fmt::format(" {}", render(operand));
  return text;
}

}  // namespace ridge::ptx

#include "virtual_gpu/machine/decode/maskable_reads.h"

#include <algorithm>

namespace ridge::machine {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

constexpr size_t kMostSteps = 16;

bool is_shared_load(const Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  return opcode.starts_with("ld.shared") && opcode.find(".v2") == std::string_view::npos &&
         opcode.find(".v4") == std::string_view::npos && instruction.operands.size() == 2 &&
         instruction.operands[0].kind == Operand::Kind::reg;
}

bool is_masking(std::string_view opcode) {
  return opcode == "and.pred" || opcode == "or.pred" || opcode.starts_with("selp.");
}

// True when an instruction only computes one register from registers.
bool is_pure(const Instruction& instruction) {
  static constexpr std::string_view kPrefixes[] = {"setp.", "cvt.", "mov.b", "mov.u", "mov.s", "mov.f",
                                                   "and.b", "or.b", "xor.",  "not.",  "neg.",  "abs.",
                                                   "add.",  "sub.", "shl.",  "shr.",  "min.",  "max."};
  const std::string_view opcode = instruction.opcode;
  return !instruction.operands.empty() && instruction.operands[0].kind == Operand::Kind::reg &&
         opcode.find(".cc") == std::string_view::npos &&
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return opcode.starts_with(prefix); });
}

// The instructions that read a register, and the number of writes.
struct Uses {
  std::vector<uint32_t> readers;
  uint32_t writes = 0;
};
using UsesByNumber = std::vector<Uses>;

void add_reader(UsesByNumber& uses, const Operand& operand, uint32_t at) {
  if (operand.number != ptx::kNoRegister) uses[operand.number].readers.push_back(at);
  for (const Operand& element : operand.elements)
    add_reader(uses, element, at);
}

// A first operand that is a register is written, except by stores; registers in lists count as
// read.
UsesByNumber uses_of(const Function& function) {
  UsesByNumber uses(function.register_count);
  for (uint32_t at = 0; at < function.instructions.size(); ++at) {
    const Instruction& instruction = function.instructions[at];
    if (!instruction.guard.empty()) uses[instruction.guard_number].readers.push_back(at);
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      const Operand& operand = instruction.operands[k];
      if (k == 0 && operand.kind == Operand::Kind::reg)
        ++uses[operand.number].writes;
      else
        add_reader(uses, operand, at);
    }
  }
  return uses;
}

// Follows the value of the load to the masking instructions; false when it has other uses.
bool follow(const Function& function, const UsesByNumber& uses, uint32_t load, MaskableRead& read) {
  read = {load, {}};
  std::vector<ptx::RegisterNumber> registers{function.instructions[load].operands[0].number};
  for (size_t number = 0; number < registers.size(); ++number) {
    const Uses& found = uses[registers[number]];
    if (found.writes != 1) return false;
    for (const uint32_t at : found.readers) {
      const Instruction& reader = function.instructions[at];
      auto step = std::find_if(read.steps.begin(), read.steps.end(),
                               [&](const MaskableRead::Step& one) { return one.at == at; });
      if (step == read.steps.end()) {
        if (!reader.guard.empty() || read.steps.size() == kMostSteps) return false;
        MaskableRead::Step made{at, {}, -1};
        if (!is_masking(reader.opcode)) {
          if (!is_pure(reader)) return false;
          made.writes = static_cast<int>(registers.size());
          registers.push_back(reader.operands[0].number);
        }
        read.steps.push_back(std::move(made));
        step = read.steps.end() - 1;
      }
      // The predicate of selp always matters.
      if (reader.opcode.starts_with("selp.") && reader.operands.back().number == registers[number]) return false;
      step->reads.push_back(static_cast<uint8_t>(number));
    }
  }
  std::sort(read.steps.begin(), read.steps.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return std::any_of(read.steps.begin(), read.steps.end(), [](const auto& step) { return step.writes < 0; });
}

}  // namespace

std::vector<MaskableRead> find_maskable_reads(const Function& function) {
  bool loads = false, masks = false;
  for (const Instruction& instruction : function.instructions) {
    loads |= is_shared_load(instruction);
    masks |= is_masking(instruction.opcode);
  }
  std::vector<MaskableRead> found;
  if (!loads || !masks) return found;
  const UsesByNumber uses = uses_of(function);
  for (uint32_t at = 0; at < function.instructions.size(); ++at) {
    MaskableRead read;
    if (is_shared_load(function.instructions[at]) && follow(function, uses, at, read))
      found.push_back(std::move(read));
  }
  return found;
}

}  // namespace ridge::machine

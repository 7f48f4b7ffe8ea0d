#include "virtual_gpu/machine/program/pointer_roots.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "virtual_gpu/machine/decode/opcode_parts.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

constexpr uint64_t kMaxParameters = 62;

bool is_other_space(const OpcodeParts& parts) {
  return parts.has("shared") || parts.has("shared::cta") || parts.has("shared::cluster") ||
         parts.has("local") || parts.has("param") || parts.has("const");
}

bool is_strong_access(const OpcodeParts& parts) {
  return parts.has("volatile") || parts.has("relaxed") || parts.has("acquire") || parts.has("release") ||
         parts.has("acq_rel") || parts.has("mmio");
}

class RootFinder {
 public:
  RootFinder(const ptx::Function& function, bool is_kernel)
      : function_(function), registers_(function.register_count, 0) {
    if (!is_kernel) return;
    for (size_t i = 0; i < function.parameters.size(); ++i)
      parameters_[function.parameters[i].name] = i < kMaxParameters ? 1ull << i : PointerRoots::kUnknown;
  }

  void find(PointerRoots& roots) {
    follow_all();
    for (const ptx::Instruction& instruction : function_.instructions)
      collect(instruction, OpcodeParts(instruction.opcode), roots);
  }

  // The roots of the address of the instruction at a line of the PTX text.
  uint64_t address_at(uint32_t ptx_line) {
    follow_all();
    for (const ptx::Instruction& instruction : function_.instructions) {
      if (instruction.ptx_line != ptx_line) continue;
      // From global to shared memory.
      const bool copies = OpcodeParts(instruction.opcode).base() == "cp";
      size_t addresses = 0;
      for (const ptx::Operand& operand : instruction.operands)
        if (operand.kind == OperandKind::address && addresses++ == (copies ? 1u : 0u)) return place_roots(operand);
    }
    return PointerRoots::kUnknown;
  }

 private:
  void follow_all() {
    changed_ = true;
    for (int pass = 0; changed_ && pass < 64; ++pass) {
      changed_ = false;
      for (const ptx::Instruction& instruction : function_.instructions)
        follow(instruction, OpcodeParts(instruction.opcode));
    }
  }

  uint64_t roots_of(const ptx::Operand& operand) const {
    switch (operand.kind) {
      case OperandKind::reg:
        return registers_[operand.number];
      case OperandKind::symbol:
        return PointerRoots::kVariables;
      case OperandKind::address: {
        if (operand.name.empty()) return 0;
        if (operand.number == ptx::kNoRegister) return PointerRoots::kVariables;
        return registers_[operand.number];
      }
      case OperandKind::vector:
      case OperandKind::pair:
        // A pointer composed of parts.
        return PointerRoots::kUnknown;
      default:
        return 0;
    }
  }

  void add(const ptx::Operand& destination, uint64_t roots) {
    if (destination.kind == OperandKind::vector || destination.kind == OperandKind::pair) {
      for (const ptx::Operand& element : destination.elements)
        add(element, roots);
      return;
    }
    if (destination.kind != OperandKind::reg || roots == 0) return;
    uint64_t& known = registers_[destination.number];
    changed_ |= (known | roots) != known;
    known |= roots;
  }

  void follow(const ptx::Instruction& instruction, const OpcodeParts& parts) {
    if (instruction.operands.empty()) return;
    const std::string_view base = parts.base(), type = parts.last();
    const bool may_be_pointer = type == "u64" || type == "b64" || type == "s64" || type == "b128";
    const ptx::Operand& destination = instruction.operands[0];
    if (base == "ld" && parts.has("param")) {
      const auto found = parameters_.find(instruction.operands[1].name);
      if (may_be_pointer)
        add(destination, found == parameters_.end() ? PointerRoots::kUnknown : found->second);
      return;
    }
    if (base == "ld" || base == "ldu" || base == "atom" || base == "tex" || base == "shfl" ||
        base == "call") {
      if (may_be_pointer) add(destination, PointerRoots::kUnknown);
      return;
    }
    if (base == "st" || base == "red" || base == "bra" || base == "setp") return;
    // A scaled value is an index: pointers are only added to.
    if (base == "mul" || base == "shl" || base == "shr" || base == "div" || base == "rem") return;
    uint64_t roots = 0;
    for (size_t i = base == "mad" ? 3 : 1; i < instruction.operands.size(); ++i)
      roots |= roots_of(instruction.operands[i]);
    add(destination, roots);
  }

  uint64_t place_roots(const ptx::Operand& operand) const {
    const uint64_t roots = roots_of(operand);
    return roots == 0 ? PointerRoots::kUnknown : roots;
  }

  void collect(const ptx::Instruction& instruction, const OpcodeParts& parts, PointerRoots& roots) const {
    const std::string_view base = parts.base();
    roots.orders |= base == "fence" || base == "membar" || parts.has("acquire") || parts.has("release") ||
                    parts.has("acq_rel");
    if (instruction.operands.size() < 2) return;
    if (base == "cp") {  // cp.async and the bulk copies: either address
      for (const ptx::Operand& operand : instruction.operands) {
        if (operand.kind == OperandKind::address) roots.read |= place_roots(operand);
      }
      return;
    }
    if (is_other_space(parts)) return;
    const bool strong = is_strong_access(parts);
    if (base == "ld" || base == "ldu") {
      if (!strong) roots.read |= place_roots(instruction.operands[1]);
    } else if (base == "st") {
      (strong ? roots.written_strongly : roots.written) |= place_roots(instruction.operands[0]);
    } else if (base == "atom") {
      roots.written_strongly |= place_roots(instruction.operands[1]);
    } else if (base == "red") {
      roots.written_strongly |= place_roots(instruction.operands[0]);
    }
  }

  const ptx::Function& function_;
  std::unordered_map<std::string_view, uint64_t> parameters_;
  std::vector<uint64_t> registers_;  // by RegisterNumber
  bool changed_ = false;
};

}  // namespace

uint64_t address_roots(const Program& program, uint32_t instruction) {
  const FunctionCode& code = program.functions[0];
  if (instruction < code.first || instruction >= code.end) return PointerRoots::kUnknown;
  const ptx::Function* function = ptx::find_function(*program.module, code.name);
  if (function == nullptr) return PointerRoots::kUnknown;
  return RootFinder(*function, true).address_at(program.sources[instruction].ptx_line);
}

const PointerRoots& pointer_roots(const Program& program) {
  std::call_once(program.roots_found, [&] {
    auto found = std::make_shared<PointerRoots>();
    for (const FunctionCode& code : program.functions) {
      const ptx::Function* function = ptx::find_function(*program.module, code.name);
      if (function != nullptr) RootFinder(*function, &code == &program.functions[0]).find(*found);
    }
    program.roots = std::move(found);
  });
  return *program.roots;
}

}  // namespace ridge::machine

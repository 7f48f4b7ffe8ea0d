#include "virtual_gpu/machine/memory/shared_origins.h"

#include "virtual_gpu/machine/decode/opcode_parts.h"

namespace ridge::machine {
namespace {

using Operand = ptx::Operand;
using Kind = ptx::Operand::Kind;

// The content of a register. nothing: not written yet in the text so far; number: contains no
// address of a __shared__ array; of_array: the address of one, plus a number; mixed: anything else.
struct Origin {
  enum class Kind : uint8_t { nothing, number, of_array, mixed } kind = Kind::nothing;
  std::string_view array = {};
  bool operator==(const Origin&) const = default;
};
constexpr Origin kNothing{}, kNumber{Origin::Kind::number, {}}, kMixed{Origin::Kind::mixed, {}};

bool is_address(const Origin& o) {
  return o.kind == Origin::Kind::of_array || o.kind == Origin::Kind::mixed;
}

// The content when it is one of the two.
Origin joined(const Origin& a, const Origin& b) {
  if (a.kind == Origin::Kind::nothing || a == b) return b;
  return b.kind == Origin::Kind::nothing ? a : kMixed;
}

Origin sum(const Origin& a, const Origin& b) {
  if (a.kind == Origin::Kind::nothing || b.kind == Origin::Kind::nothing) return kNothing;
  if (!is_address(b)) return a;
  return is_address(a) ? kMixed : b;
}

Origin difference(const Origin& a, const Origin& b) {
  if (a.kind == Origin::Kind::nothing || b.kind == Origin::Kind::nothing) return kNothing;
  if (!is_address(b)) return a;
  return a == b && a.kind == Origin::Kind::of_array ? kNumber : kMixed;
}

// The origin of the result of an operation that is not tracked, with one operand.
Origin other(const Origin& a) {
  return is_address(a) ? kMixed : a;
}

class OriginFinder {
 public:
  OriginFinder(const ptx::Function& function,
               const std::function<bool(std::string_view)>& is_shared_array)
      : function_(function),
        is_shared_array_(is_shared_array),
        registers_(function.register_count),
        written_(function.register_count, false) {
    for (const ptx::Instruction& instruction : function_.instructions)
      if (!instruction.operands.empty()) record_written(instruction.operands[0]);
  }

  std::vector<std::string_view> find() {
    // A register changes at most three times, but a chain of registers may have any length.
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const ptx::Instruction& instruction : function_.instructions)
        follow(instruction);
    }
    std::vector<std::string_view> origins(registers_.size());
    for (size_t number = 0; number < registers_.size(); ++number) {
      const Origin& origin = registers_[number];
      if (origin.kind == Origin::Kind::of_array) origins[number] = origin.array;
    }
    return origins;
  }

 private:
  Origin of_name(const Operand& operand) const {
    if (operand.name.empty()) return kNumber;
    if (operand.number == ptx::kNoRegister)
      return is_shared_array_(operand.name) ? Origin{Origin::Kind::of_array, operand.name}
                                            : kNumber;
    const Origin& known = registers_[operand.number];
    if (known.kind != Origin::Kind::nothing) return known;
    // Special registers are never written.
    return written_[operand.number] ? kNothing : kNumber;
  }

  void record_written(const Operand& operand) {
    if (operand.kind == Kind::reg) written_[operand.number] = true;
    for (const Operand& element : operand.elements)
      record_written(element);
  }

  Origin of(const Operand& operand) const {
    switch (operand.kind) {
      case Kind::reg:
      case Kind::symbol:
      case Kind::address:
        return of_name(operand);
      case Kind::vector:
      case Kind::pair: {
        Origin all = kNumber;
        for (const Operand& element : operand.elements) {
          if (is_address(of(element))) all = kMixed;
        }
        return all;
      }
      default:
        return kNumber;
    }
  }

  void write(const Operand& destination, const Origin& value) {
    for (const Operand& element : destination.elements)
      write(element, other(value));
    if (destination.kind != Kind::reg || value.kind == Origin::Kind::nothing) return;
    Origin& known = registers_[destination.number];
    const Origin next = joined(known, value);
    changed_ |= !(next == known);
    known = next;
  }

  Origin value_of(const ptx::Instruction& instruction) const {
    const auto& operands = instruction.operands;
    const OpcodeParts parts(instruction.opcode);
    const std::string_view base = parts.base();
    if (base == "ld" || base == "ldu" || base == "atom" || base == "call" || base == "tex")
      return kNumber;
    if (operands.size() == 2 && (base == "mov" || base == "cvta" || base == "cvt"))
      return of(operands[1]);
    if (operands.size() == 3 && base == "add") return sum(of(operands[1]), of(operands[2]));
    if (operands.size() == 3 && base == "sub") return difference(of(operands[1]), of(operands[2]));
    if (operands.size() == 4 && base == "selp") return joined(of(operands[1]), of(operands[2]));
    if (operands.size() == 4 && base == "mad" && !is_address(of(operands[1])) &&
        !is_address(of(operands[2])))
      return of(operands[3]);
    Origin all = kNumber;
    for (size_t i = 1; i < operands.size(); ++i) {
      if (is_address(of(operands[i]))) all = kMixed;
    }
    return all;
  }

  void follow(const ptx::Instruction& instruction) {
    if (instruction.operands.size() > 1) write(instruction.operands[0], value_of(instruction));
  }

  const ptx::Function& function_;
  const std::function<bool(std::string_view)>& is_shared_array_;
  std::vector<Origin> registers_;  // by RegisterNumber
  std::vector<bool> written_;
  bool changed_ = false;
};

}  // namespace

std::vector<std::string_view> shared_origins(
    const ptx::Function& function, const std::function<bool(std::string_view)>& is_shared_array) {
  return OriginFinder(function, is_shared_array).find();
}

}  // namespace ridge::machine

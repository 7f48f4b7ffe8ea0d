// What ptxas 13.0 contracts, found by assembling kernels for sm_90a and executing the FMUL, FADD and
// FFMA (DMUL, DADD, DFMA) that came out. Of 4,100 straight kernels of random mul, add, sub, fma and
// st these rules computed the bits of all; of 600 with branches, of 586.
//
// A product can be taken by an addition of its basic block and type if neither has a rounding
// modifier. Additions take products in two passes in their order: first products with one use, then
// those with several. A product is taken only while all its uses are additions that could take it:
// not when it is stored, multiplied, used in another block, or has become the addend of an fma. Of
// two products the one with fewer uses in the source is taken, of equals the first operand.
#include "virtual_gpu/machine/decode/contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <vector>

#include "virtual_gpu/machine/decode/opcode_parts.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

constexpr uint32_t kNone = 0xffffffffu;

// mul.ftz.f32: its type and whether it flushes subnormals. No modifier but these (and .sat of an
// addition) leaves a choice to the assembler.
struct Arithmetic {
  std::string_view type;
  bool flushes = false, saturates = false;
};
std::optional<Arithmetic> arithmetic(const OpcodeParts& parts) {
  static constexpr std::string_view kTypes[] = {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"};
  Arithmetic found;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (part == "ftz")
      found.flushes = true;
    else if (part == "sat")
      found.saturates = true;
    else if (std::find(std::begin(kTypes), std::end(kTypes), part) != std::end(kTypes) &&
             found.type.empty())
      found.type = part;
    else
      return std::nullopt;
  }
  if (found.type.empty()) return std::nullopt;
  return found;
}

template <class Visit>
void for_each_register(const ptx::Operand& operand, const Visit& visit) {
  if (operand.number != ptx::kNoRegister) visit(operand.number);
  for (const ptx::Operand& element : operand.elements)
    for_each_register(element, visit);
}

class Contraction {
 public:
  explicit Contraction(const ptx::Function& function) : function_(function) {}

  std::unique_ptr<ContractedFunction> result() {
    find_products();
    if (!has_products_) return nullptr;
    number_blocks();
    find_uses();
    for (const bool only_single : {true, false})
      for (const uint32_t at : additions_)
        contract(at, only_single);
    return std::move(made_);
  }

 private:
  struct Product {
    uint32_t at = kNone;         // instruction
    uint32_t uses = 0;           // as in the source
    bool has_other_use = false;  // than additions that can take it
  };

  // Instructions whose first operand names a register; a store's address counts too.
  struct Writes {
    uint32_t last = 0, times = 0;
  };

  uint32_t count() const { return static_cast<uint32_t>(function_.instructions.size()); }
  const ptx::Instruction& instruction(uint32_t at) const { return function_.instructions[at]; }

  // Products in registers that are written once.
  void find_products() {
    writes_.resize(function_.register_count);
    for (uint32_t at = 0; at < count(); ++at) {
      const ptx::Instruction& one = instruction(at);
      if (one.operands.empty()) continue;
      for_each_register(one.operands[0], [&](ptx::RegisterNumber number) {
        writes_[number] = {at, writes_[number].times + 1};
      });
      if (!one.opcode.starts_with("mul.") || !one.guard.empty() || one.operands.size() != 3)
        continue;
      const auto type = arithmetic(OpcodeParts(one.opcode));
      if (!type || type->saturates || one.operands[0].kind != OperandKind::reg) continue;
      products_.resize(function_.register_count);
      products_[one.operands[0].number].at = at;
      has_products_ = true;
    }
    for (size_t number = 0; number < products_.size(); ++number)
      if (writes_[number].times != 1) products_[number].at = kNone;
  }

  void number_blocks() {
    std::unordered_set<std::string_view> targets;  // labels that something jumps to
    for (const auto& [name, labels] : function_.branch_targets)
      targets.insert(labels.begin(), labels.end());
    for (const ptx::Instruction& one : function_.instructions)
      if (one.opcode.starts_with("bra") && !one.operands.empty())
        targets.insert(one.operands[0].name);
    std::vector<bool> leader(count() + 1, false);
    for (const auto& [label, index] : function_.labels)
      if (targets.contains(label)) leader[index] = true;
    block_of_.resize(count());
    for (uint32_t at = 0, block = 0; at < count(); ++at) {
      if (leader[at]) ++block;
      block_of_[at] = block;
      const std::string_view base = OpcodeParts(instruction(at).opcode).base();
      if (base == "bra" || base == "brx" || base == "ret" || base == "exit" || base == "trap")
        ++block;
    }
  }

  void find_uses() {
    for (uint32_t at = 0; at < count(); ++at) {
      const ptx::Instruction& one = instruction(at);
      if (is_addition(one)) additions_.push_back(at);
      const auto note = [&](ptx::RegisterNumber number) {
        Product& product = products_[number];
        if (product.at == kNone || product.at == at) return;
        ++product.uses;
        product.has_other_use |= !can_take(at, product);
      };
      for (const ptx::Operand& operand : one.operands)
        for_each_register(operand, note);
      if (one.guard_number != ptx::kNoRegister) note(one.guard_number);
    }
  }

  static bool is_addition(const ptx::Instruction& one) {
    return (one.opcode.starts_with("add.") || one.opcode.starts_with("sub.")) &&
           one.operands.size() == 3 && arithmetic(OpcodeParts(one.opcode)).has_value();
  }

  // Whether the instruction is an addition of the product's block and type that reads it once, and
  // the product's factors are still what they were.
  bool can_take(uint32_t at, const Product& product) const {
    if (at < product.at || block_of_[at] != block_of_[product.at] || !is_addition(instruction(at)))
      return false;
    const auto sum = arithmetic(OpcodeParts(instruction(at).opcode));
    const auto factor = arithmetic(OpcodeParts(instruction(product.at).opcode));
    const auto& operands = instruction(at).operands;
    return sum->type == factor->type && sum->flushes == factor->flushes &&
           operands[1].number != operands[2].number && keeps_factors(product, at);
  }

  // A register that is written several times is taken as changed.
  bool keeps_factors(const Product& product, uint32_t until) const {
    const auto& factors = instruction(product.at).operands;
    return std::all_of(factors.begin() + 1, factors.end(), [&](const ptx::Operand& factor) {
      if (factor.number == ptx::kNoRegister) return true;
      const Writes& writes = writes_[factor.number];
      return writes.times == 0 ||
             (writes.times == 1 && (writes.last < product.at || writes.last > until));
    });
  }

  // The product that an operand of an addition is, if the addition can take it at all.
  Product* product_of(uint32_t at, size_t operand) {
    const ptx::RegisterNumber number = instruction(at).operands[operand].number;
    if (number == ptx::kNoRegister || products_[number].at == kNone) return nullptr;
    return products_[number].has_other_use ? nullptr : &products_[number];
  }

  void contract(uint32_t at, bool only_single) {
    if (is_contracted_.contains(at)) return;
    Product* const first = product_of(at, 1);
    Product* const second = product_of(at, 2);
    const auto fits = [&](const Product* one) {
      return one != nullptr && (!only_single || one->uses == 1);
    };
    if (!fits(first) && !fits(second)) return;
    const bool takes_second = fits(second) && (!fits(first) || second->uses < first->uses);
    rewrite(at, takes_second ? *second : *first, takes_second);
    is_contracted_.insert(at);
    if (Product* const addend = takes_second ? first : second; addend != nullptr)
      addend->has_other_use = true;
  }

  ptx::Function& changed() {
    if (!made_) {
      made_ = std::make_unique<ContractedFunction>();
      made_->function = function_;
    }
    return made_->function;
  }

  // add d, a*b, c; sub d, a*b, c; sub d, c, a*b. The last two have names of ours, since fma of PTX
  // cannot negate an operand (lanes/operations/float_arithmetic.cpp).
  void rewrite(uint32_t at, const Product& product, bool is_second) {
    const ptx::Instruction& sum = instruction(at);
    const auto type = arithmetic(OpcodeParts(sum.opcode));
    const char* const sign = sum.opcode.starts_with("add") ? ""
                             : is_second                   ? ":subtracted"
                                                           : ":minus";
    const auto& factors = instruction(product.at).operands;
    const std::array<ptx::Operand, 4> operands{sum.operands[0], factors[1], factors[2],
                                               sum.operands[is_second ? 1 : 2]};
    ptx::Instruction& fused = changed().instructions[at];
    fused.opcode = made_->pool.name(fmt::format("fma.rn{}{}.{}{}", type->flushes ? ".ftz" : "",
                                                type->saturates ? ".sat" : "", type->type, sign));
    fused.operands = made_->pool.operands(operands);
  }

  const ptx::Function& function_;
  std::vector<Product> products_;  // by register
  std::vector<Writes> writes_;     // by register
  std::vector<uint32_t> block_of_, additions_;
  std::unordered_set<uint32_t> is_contracted_;
  bool has_products_ = false;
  std::unique_ptr<ContractedFunction> made_;
};

}  // namespace

std::unique_ptr<ContractedFunction> contract(const ptx::Function& function) {
  return Contraction(function).result();
}

}  // namespace ridge::machine

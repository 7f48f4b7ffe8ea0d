#include "virtual_gpu/ptx/operand_parser.h"

#include <fmt/format.h>

#include "virtual_gpu/ptx/constant.h"

namespace ridge::ptx {
namespace {

// Real ones reach 3: an address that contains a vector of registers.
constexpr int kDeepestOperand = 8;

char component_of(std::string_view name) {
  if (name.size() < 2 || name[name.size() - 2] != '.') return 0;
  switch (name.back()) {
    case 'x':
    case 'r':
      return 'x';
    case 'y':
    case 'g':
      return 'y';
    case 'z':
    case 'b':
      return 'z';
    case 'w':
    case 'a':
      return 'w';
    default:
      return 0;
  }
}

// Whether a name ends in a part of a register: .b0 to .b3, .h0, .h1.
bool names_part(std::string_view name) {
  if (name.size() < 4 || name[0] != '%' || name[name.size() - 3] != '.') return false;
  const char kind = name[name.size() - 2], index = name.back();
  return (kind == 'b' && index >= '0' && index <= '3') || (kind == 'h' && (index == '0' || index == '1'));
}

}  // namespace

OperandList OperandParser::take_from(size_t first) {
  const OperandList list = pool_.operands(std::span(open_).subspan(first));
  open_.resize(first);
  return list;
}

OperandList OperandParser::parse_operands() {
  if (cursor_.at(';')) return {};
  open_.clear();
  do
    open_.push_back(operand());
  while (cursor_.accept(','));
  return take_from(0);
}

// call (results), target, (arguments), prototype; all parts except the target may be missing.
OperandList OperandParser::parse_call() {
  open_.clear();
  Operand results, arguments;
  results.kind = arguments.kind = Operand::Kind::vector;
  if (cursor_.accept('(')) {
    results = list(')');
    cursor_.expect(',', "between the results of a call and its target");
  }
  if (!cursor_.at_word()) cursor_.fail_expected("the function or register that a call goes to");
  Operand target = named();
  bool has_prototype = false;
  if (cursor_.accept(',')) {
    has_prototype = true;
    if (cursor_.accept('(')) {
      arguments = list(')');
      has_prototype = cursor_.accept(',');
    }
  }
  open_ = {results, target, arguments};
  if (has_prototype) open_.push_back(named());
  return take_from(0);
}

Operand OperandParser::operand() {
  Operand first = single();
  if (!cursor_.at('|')) return first;
  Operand pair;
  pair.kind = Operand::Kind::pair;
  const size_t begin = open_.size();
  open_.push_back(first);
  while (cursor_.accept('|'))
    open_.push_back(single());
  pair.elements = take_from(begin);
  return pair;
}

Operand OperandParser::single() {
  if (cursor_.accept('{')) return list('}');
  if (cursor_.accept('[')) return address();
  const bool negated = cursor_.at('!') && cursor_.peek(1).kind == Token::Kind::word &&
                       cursor_.peek(1).text != "WARP_SZ";
  const bool is_minus = cursor_.at('-') && cursor_.peek(1).text.starts_with('%');
  if (negated || is_minus) cursor_.take();
  if (!negated && !is_minus && at_constant(cursor_)) return literal();
  if (!negated && !is_minus && cursor_.accept_word("_")) return Operand{};
  Operand operand = named();
  if (negated && operand.kind != Operand::Kind::reg) {
    cursor_.fail(fmt::format("'!' stands before '{}', which is not a register", operand.name));
  }
  operand.negated = negated || is_minus;
  return operand;
}

void OperandParser::set_name(Operand& operand, std::string_view name, Operand::Kind otherwise) {
  if (names_part(name)) {
    operand.part = name[name.size() - 2];
    operand.part_index = static_cast<uint8_t>(name.back() - '0');
    name.remove_suffix(3);
  }
  const ScopedNames::Use use = names_.resolve(name);
  operand.kind = use.is_register ? Operand::Kind::reg : otherwise;
  operand.name = use.name;
  if (use.is_register) operand.component = component_of(use.name);
  if (use.name.front() == '%') operand.number = registers_.of(use.name);
}

Operand OperandParser::named() {
  Operand operand;
  const std::string_view name = cursor_.expect_name("an operand");
  if (name == "generic" && cursor_.accept('(')) {
    operand.is_generic = true;
    set_name(operand, cursor_.expect_name("the symbol of generic()"), Operand::Kind::symbol);
    operand.integer = parse_offset(cursor_);
    cursor_.expect(')', "after the symbol of generic()");
  } else {
    set_name(operand, name, Operand::Kind::symbol);
  }
  if (operand.kind == Operand::Kind::symbol) {
    operand.integer = static_cast<int64_t>(static_cast<uint64_t>(operand.integer) +
                                           static_cast<uint64_t>(parse_offset(cursor_)));
  }
  return operand;
}

Operand OperandParser::literal() {
  const Constant value = parse_constant(cursor_);
  Operand operand;
  operand.kind = value.is_floating ? Operand::Kind::floating : Operand::Kind::integer;
  operand.is_f32_bits = value.is_f32_bits;
  operand.integer = static_cast<int64_t>(value.bits);
  operand.floating = value.floating;
  return operand;
}

Operand OperandParser::address() {
  Operand operand;
  if (cursor_.at_word() && !cursor_.at_word("WARP_SZ")) {
    set_name(operand, cursor_.expect_name("the base of an address"), Operand::Kind::symbol);
    operand.integer = parse_offset(cursor_);
  } else if (at_constant(cursor_)) {
    const Constant value = parse_constant(cursor_);
    if (value.is_floating)
      cursor_.fail(
          "an address is a floating number; it should be an integer, a register or a name");
    operand.integer = static_cast<int64_t>(value.bits);
  } else {
    cursor_.fail_expected("an address after '['");
  }
  operand.kind = Operand::Kind::address;
  operand.component = 0;
  if (cursor_.accept(',')) {
    operand.elements = list(']').elements;
  } else {
    cursor_.expect(']', "after an address");
  }
  cursor_.accept_word(".unified");  // of ld.const, obsolete: the texture shares the address space
  return operand;
}

Operand OperandParser::list(char close) {
  if (++depth_ > kDeepestOperand)
    cursor_.fail(fmt::format("operands are nested deeper than {} levels", kDeepestOperand));
  Operand operand;
  operand.kind = Operand::Kind::vector;
  const size_t begin = open_.size();
  if (!cursor_.at(close)) {
    do
      open_.push_back(this->operand());
    while (cursor_.accept(','));
  }
  operand.elements = take_from(begin);
  cursor_.expect(close, "after a list of operands");
  --depth_;
  return operand;
}

}  // namespace ridge::ptx

#include "virtual_gpu/machine/matrix/opcode_words.h"

#include <utility>

namespace ridge::machine {
namespace {

// Parses the number after `letter` at text[at], and advances `at`.
bool number_after(char letter, std::string_view text, size_t& at, uint32_t& value) {
  if (at >= text.size() || text[at] != letter) return false;
  const size_t begin = ++at;
  value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at - begin < 5; ++at)
    value = value * 10 + static_cast<uint32_t>(text[at] - '0');
  return at > begin;
}

}  // namespace

std::optional<MatrixShape> shape_of(const OpcodeParts& parts) {
  for (size_t i = 1; i < parts.size(); ++i) {
    MatrixShape shape;
    size_t at = 0;
    if (number_after('m', parts[i], at, shape.m) && number_after('n', parts[i], at, shape.n) &&
        number_after('k', parts[i], at, shape.k) && at == parts[i].size())
      return shape;
  }
  return std::nullopt;
}

std::string_view layout_of(const OpcodeParts& parts, size_t index) {
  for (size_t i = 1; i < parts.size(); ++i) {
    if ((parts[i] == "row" || parts[i] == "col") && index-- == 0) return parts[i];
  }
  return {};
}

std::optional<ElementType> element_of(std::string_view type) {
  static constexpr std::pair<std::string_view, ElementType> kTypes[] = {
      {"f16", ElementType::f16},   {"bf16", ElementType::bf16}, {"tf32", ElementType::tf32},
      {"e4m3", ElementType::e4m3}, {"e5m2", ElementType::e5m2}, {"s8", ElementType::s8},
      {"u8", ElementType::u8},     {"s4", ElementType::s4},     {"u4", ElementType::u4},
      {"b1", ElementType::b1},     {"f64", ElementType::f64}};
  for (const auto& [name, value] : kTypes) {
    if (name == type) return value;
  }
  return std::nullopt;
}

std::optional<AccumulatorType> accumulator_of(std::string_view type) {
  if (type == "f16") return AccumulatorType::f16;
  if (type == "f32") return AccumulatorType::f32;
  if (type == "s32") return AccumulatorType::s32;
  if (type == "f64") return AccumulatorType::f64;
  return std::nullopt;
}

bool is_integer(ElementType type) {
  return type >= ElementType::s8 && type <= ElementType::b1;
}
bool is_eight_bit_float(ElementType type) {
  return type == ElementType::e4m3 || type == ElementType::e5m2;
}

bool pairs_well(const MatrixOp& op) {
  const bool same_kind = op.a == op.b || (is_eight_bit_float(op.a) && is_eight_bit_float(op.b)) ||
                         (is_integer(op.a) && is_integer(op.b) && element_bits(op.a) == element_bits(op.b));
  if (!same_kind) return false;
  if (is_integer(op.a)) return op.c == AccumulatorType::s32 && op.d == AccumulatorType::s32;
  if (op.a == ElementType::f64) return op.c == AccumulatorType::f64 && op.d == AccumulatorType::f64;
  if (op.c == AccumulatorType::s32 || op.d == AccumulatorType::s32 || op.c == AccumulatorType::f64 ||
      op.d == AccumulatorType::f64)
    return false;
  const bool may_be_half = op.a == ElementType::f16 || is_eight_bit_float(op.a);
  return may_be_half || (op.c == AccumulatorType::f32 && op.d == AccumulatorType::f32);
}

}  // namespace ridge::machine

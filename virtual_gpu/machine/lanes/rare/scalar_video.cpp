// The scalar video instructions, as the pseudocode of the PTX ISA ("Scalar Video Instructions") has
// them: a part of each operand, extended to 34 bits; the operation; saturation; then c is merged or
// combined. Their modifiers are operand d (video_control.h).
#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/rare/fill.h"
#include "virtual_gpu/machine/lanes/video_control.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

struct PartPlace {
  int shift, bits;
};
constexpr PartPlace place_of(VideoPart part) {
  switch (part) {
    case VideoPart::word:
      return {0, 32};
    case VideoPart::h0:
      return {0, 16};
    case VideoPart::h1:
      return {16, 16};
    default:
      return {8 * ((static_cast<int>(part) - static_cast<int>(VideoPart::b0)) & 3), 8};
  }
}

constexpr int64_t selected(uint32_t word_value, VideoPart part, bool is_signed) {
  const PartPlace place = place_of(part);
  const uint32_t top = word_value << (32 - place.shift - place.bits);
  return is_signed ? static_cast<int32_t>(top) >> (32 - place.bits)
                   : static_cast<int64_t>(top >> (32 - place.bits));
}

constexpr int64_t clamped(int64_t value, int64_t least, int64_t most) {
  return value < least ? least : value > most ? most : value;
}

constexpr int64_t saturated(int64_t value, int bits, bool is_signed) {
  const int64_t most = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return clamped(value, is_signed ? -most - 1 : 0, most);
}

constexpr uint32_t finished(int64_t value, uint32_t c, const VideoControl& control) {
  const PartPlace place = place_of(control.to);
  if (control.saturates) value = saturated(value, place.bits, control.to_signed);
  const auto result = static_cast<uint32_t>(value);
  const bool is_less = control.to_signed ? static_cast<int32_t>(result) < static_cast<int32_t>(c) : result < c;
  switch (control.final) {
    case VideoFinal::add:
      return result + c;
    case VideoFinal::min:
      return is_less ? result : c;
    case VideoFinal::max:
      return is_less ? c : result;
    default:
      break;
  }
  const uint32_t mask = place.bits == 32 ? ~0u : ((1u << place.bits) - 1) << place.shift;
  return (result << place.shift & mask) | (c & ~mask);
}

template <class Op>
constexpr auto scalar = [](uint32_t a, uint32_t b, uint32_t c, uint32_t modifiers) {
  const VideoControl control = VideoControl::of(modifiers);
  return finished(Op::of(selected(a, control.a, control.a_signed), selected(b, control.b, control.b_signed), control),
                  c, control);
};

// clang-format off
struct Add        { static constexpr int64_t of(int64_t a, int64_t b, const VideoControl&) { return a + b; } };
struct Subtract   { static constexpr int64_t of(int64_t a, int64_t b, const VideoControl&) { return a - b; } };
struct Difference { static constexpr int64_t of(int64_t a, int64_t b, const VideoControl&) { return a > b ? a - b : b - a; } };
struct Least      { static constexpr int64_t of(int64_t a, int64_t b, const VideoControl&) { return a < b ? a : b; } };
struct Most       { static constexpr int64_t of(int64_t a, int64_t b, const VideoControl&) { return a > b ? a : b; } };
// clang-format on
constexpr int64_t distance(int64_t b, const VideoControl& control) {
  const int64_t number = b & 0xffffffff;
  return control.clamps ? (number > 32 ? 32 : number) : number & 31;
}
struct ShiftLeft {
  static constexpr int64_t of(int64_t a, int64_t b, const VideoControl& control) {
    return a * (int64_t{1} << distance(b, control));
  }
};
struct ShiftRight {
  static constexpr int64_t of(int64_t a, int64_t b, const VideoControl& control) { return a >> distance(b, control); }
};
struct Compare {
  static constexpr int64_t of(int64_t a, int64_t b, const VideoControl& control) {
    switch (control.compare) {
      case VideoCompare::eq:
        return a == b;
      case VideoCompare::ne:
        return a != b;
      case VideoCompare::lt:
        return a < b;
      case VideoCompare::le:
        return a <= b;
      case VideoCompare::gt:
        return a > b;
      default:
        return a >= b;
    }
  }
};

// a * b + c, of 128 bits in the manual; of the 66 that there can be, these shifts leave the low ones.
constexpr auto multiply_add = [](uint32_t a, uint32_t b, uint32_t c, uint32_t modifiers) {
  const VideoControl control = VideoControl::of(modifiers);
  const bool subtracts = control.a_negative != control.b_negative;
  const bool is_signed = control.a_signed || control.b_signed || subtracts || control.c_negative;
  __extension__ using Wide = __int128;
  Wide sum = static_cast<Wide>(selected(a, control.a, control.a_signed)) * selected(b, control.b, control.b_signed);
  if (subtracts) sum = -sum;
  const int64_t addend = is_signed ? static_cast<int32_t>(c) : static_cast<int64_t>(c);
  sum += control.c_negative ? -addend : addend;
  if (control.plus_one) ++sum;
  const auto result = static_cast<int64_t>(sum >> control.shift);
  return static_cast<uint32_t>(control.saturates ? saturated(result, 32, is_signed) : result);
};

}  // namespace

void add_scalar_video_operations(LaneTable& table) {
  row<u32(u32, u32, u32, uniform)>(table, {"vadd:scalar"}, scalar<Add>);
  row<u32(u32, u32, u32, uniform)>(table, {"vsub:scalar"}, scalar<Subtract>);
  row<u32(u32, u32, u32, uniform)>(table, {"vabsdiff:scalar"}, scalar<Difference>);
  row<u32(u32, u32, u32, uniform)>(table, {"vmin:scalar"}, scalar<Least>);
  row<u32(u32, u32, u32, uniform)>(table, {"vmax:scalar"}, scalar<Most>);
  row<u32(u32, u32, u32, uniform)>(table, {"vshl:scalar"}, scalar<ShiftLeft>);
  row<u32(u32, u32, u32, uniform)>(table, {"vshr:scalar"}, scalar<ShiftRight>);
  row<u32(u32, u32, u32, uniform)>(table, {"vset:scalar"}, scalar<Compare>);
  row<u32(u32, u32, u32, uniform)>(table, {"vmad:scalar"}, multiply_add);
}

}  // namespace ridge::machine::RIDGE_LANES

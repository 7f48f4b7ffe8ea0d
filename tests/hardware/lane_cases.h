// The operands on which every lane operation is compared with a GPU. record_ptx.cu runs them on the GPU,
// tests/virtual_gpu/machine/lanes/recorded_test.cpp runs them here: both make them from this file, so a
// recording holds results only. Deterministic: the same operands on every machine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/machine/lanes/lane_op.h"

namespace ridge::recorded {

inline constexpr int kCases = 2048;
inline constexpr int kChunk = 64;  // cases a hash stands for
inline constexpr int kChunks = kCases / kChunk;

// What PTX declares for an operand: the register's size, and the type that the bits are read as.
enum class Register : uint8_t { none, predicate, half, word, wide };
struct OperandKind {
  Register reg = Register::none;
  std::string_view type;
};
struct OpcodeKinds {
  OperandKind dst, dst2, in[4];
  bool reads_carry = false, writes_carry = false;
  bool is_ptx = true;  // false: a name of ours (pack, unpack, min3), or an operand of 128 bits
};

inline bool is_type(std::string_view part) {
  static constexpr std::string_view kTypes[] = {
      "u8",    "s8",    "u16",   "s16",  "u32",    "s32",    "u64",  "s64",   "b8",
      "b16",   "b32",   "b64",   "f16",  "bf16",   "f32",    "f64",  "f16x2", "bf16x2",
      "u16x2", "s16x2", "f32x2", "tf32", "e4m3x2", "e5m2x2", "pred", "b128"};
  for (const std::string_view type : kTypes)
    if (type == part) return true;
  return false;
}
inline std::vector<std::string_view> parts_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= opcode.size();) {
    const size_t dot = std::min(opcode.find('.', begin), opcode.size());
    parts.push_back(opcode.substr(begin, dot - begin));
    begin = dot + 1;
  }
  return parts;
}

inline Register register_of(std::string_view type, bool extends) {
  if (type == "pred") return Register::predicate;
  if (type.ends_with("x2") && type.starts_with("e")) return Register::half;
  if (type == "f32x2") return Register::wide;
  if (type.ends_with("x2") || type == "tf32") return Register::word;
  if (type == "f16" || type == "bf16") return Register::half;
  if (type.ends_with("64")) return Register::wide;
  if (type.ends_with("32")) return Register::word;
  return extends ? Register::word : Register::half;  // cvt may widen an integer to its register
}

// lop3.or and lop3.and take their predicate in a way of ours.
inline bool opcode_has_boolean(std::string_view opcode) {
  return opcode == "lop3.or.b32" || opcode == "lop3.and.b32";
}

inline OpcodeKinds kinds_of(const machine::LaneOp& op) {
  using machine::RowType;
  OpcodeKinds kinds;
  const auto parts = parts_of(op.opcode);
  const std::string_view base = parts.front();
  std::vector<std::string_view> types;
  for (const std::string_view part : parts)
    if (is_type(part)) types.push_back(part);
  const bool is_ours =
      op.opcode.find(':') != std::string_view::npos;  // cvt with a register wider than its type
  const bool is_128 = op.dst == RowType::b128 || op.a == RowType::b128 || op.b == RowType::b128;
  if (base == "pack" || base == "unpack" || base == "min3" || base == "max3" ||
      opcode_has_boolean(op.opcode) || is_128 || is_ours || types.empty()) {
    kinds.is_ptx = false;
    return kinds;
  }
  const RowType rows[] = {op.a, op.b, op.c, op.d};
  std::string_view to = types.front(), from = types.back();
  if (base == "cvt" && parts[1] == "pack") to = from = "s32";
  if (base == "dp4a" || base == "dp2a") to = "b32";
  if (base == "popc" || base == "clz" || base == "bfind") to = "u32";
  const bool is_wide_product = parts.size() > 1 && parts[1] == "wide";
  if (is_wide_product) to = from.ends_with("16") ? "b32" : "b64";
  // cvt lets an integer's register be wider than the integer, but not beside bf16.
  const bool widens = base == "cvt" && to != "bf16" && from != "bf16";
  const auto kind = [&](RowType row, std::string_view type, bool extends = false) -> OperandKind {
    if (row == RowType::none) return {};
    if (row == RowType::pred) return {Register::predicate, "pred"};
    if (row == RowType::b64) return {Register::wide, type.ends_with("64") || type == "f32x2" ? type : "b64"};
    const Register reg = register_of(type, extends);
    return {reg == Register::wide ? Register::word : reg, reg == Register::wide ? "b32" : type};
  };
  kinds.dst = kind(op.dst, to, widens);
  if (from != "f16" && from != "bf16")
    kinds.dst2 = kind(op.dst2, "pred");  // setp p|q: not of one small float
  for (int i = 0; i < 4; ++i) {
    std::string_view type = from;
    if (base == "slct") type = i < 2 ? to : from;
    if (i == 1 && (base == "shl" || base == "shr" || base == "szext")) type = "u32";
    if (i >= 1 && base == "bfe") type = "u32";
    if (i >= 2 && base == "bfi") type = "u32";
    if (i == 2 && is_wide_product) type = to;
    kinds.in[i] = kind(rows[i], type, widens);
  }
  const bool has_cc = parts.size() > 1 && (parts[1] == "cc" || (parts.size() > 2 && parts[2] == "cc"));
  kinds.writes_carry = has_cc;
  kinds.reads_carry = base == "addc" || base == "subc" || base == "madc";
  return kinds;
}

inline uint64_t mixed(uint64_t x) {  // splitmix64's finaliser
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
inline uint64_t text_hash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

// A float of `mantissa_bits` below its leading one and `exponent_bits`, as bits: often near one, near what
// another format can still hold, on a tie of some rounding, or special.
inline uint64_t float_bits(uint64_t random, int mantissa_bits, int exponent_bits) {
  const uint64_t sign = (random >> 63) << (mantissa_bits + exponent_bits);
  const uint64_t mantissa_mask = (uint64_t{1} << mantissa_bits) - 1;
  const uint64_t largest_exponent = (uint64_t{1} << exponent_bits) - 1, bias = largest_exponent / 2;
  uint64_t mantissa = mixed(random) & mantissa_mask, exponent = 0;
  switch (random % 8) {
    case 0:  // special: zero, the smallest, the largest, infinity, NaN, one, one half
      switch (random / 8 % 8) {
        case 0:
          return sign;
        case 1:
          return sign | 1;
        case 2:
          return sign | mantissa_mask;
        case 3:
          return sign | uint64_t{1} << mantissa_bits;
        case 4:
          return sign | ((largest_exponent << mantissa_bits) - 1);
        case 5:
          return sign | largest_exponent << mantissa_bits;
        case 6:
          return sign | largest_exponent << mantissa_bits |
                 (random >> 9 & 1 ? mantissa_mask & ~uint64_t{8} : mantissa | 1);
        default:
          return sign | (bias - (random >> 8 & 1)) << mantissa_bits;
      }
    case 1:  // any exponent
      exponent = (random >> 8) % largest_exponent;
      break;
    case 2:  // what fits in small floats, subnormal there too
      exponent = bias + (random >> 8) % 48 - 28;
      break;
    case 3:  // what fits in integers
      exponent = bias + (random >> 8) % 66 - 1;
      break;
    default:
      exponent = bias + (random >> 8) % 12 - 6;
  }
  if (exponent > largest_exponent) exponent = 0;
  if (random >> 16 & 1) {  // cut to few digits, perhaps with one more: a tie
    const int kept = static_cast<int>((random >> 17) % static_cast<uint64_t>(mantissa_bits));
    const uint64_t below = mantissa_mask >> kept;
    mantissa &= ~below;
    if (random >> 40 & 1) mantissa |= (below >> 1) + 1;
  }
  return sign | exponent << mantissa_bits | mantissa;
}

inline uint64_t integer_bits(uint64_t random, int bits) {
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, top = uint64_t{1} << (bits - 1);
  const uint64_t edges[] = {0,  1,  2,  top - 1, top,  top + 1, all,    all - 1, 31,
                            32, 33, 63, 64,      0x80, 0xff,    0x7fff, 0x8000};
  switch (random % 4) {
    case 0:
      return edges[random / 4 % std::size(edges)] & all;
    case 1:
      return (mixed(random) >> (random / 4 % 64)) & all;  // any length
    case 2:
      return (random / 4 % 300 - 100) & all;  // small, of both signs
    default:
      return mixed(random) & all;
  }
}

inline uint64_t operand_bits(std::string_view type, uint64_t random) {
  if (type == "pred") return random >> 20 & 1;
  if (type == "f32") return float_bits(random, 23, 8);
  if (type == "f64") return float_bits(random, 52, 11);
  if (type == "f16") return float_bits(random, 10, 5);
  if (type == "bf16") return float_bits(random, 7, 8);
  if (type == "f16x2") return float_bits(random, 10, 5) | float_bits(mixed(random), 10, 5) << 16;
  if (type == "bf16x2") return float_bits(random, 7, 8) | float_bits(mixed(random), 7, 8) << 16;
  if (type == "f32x2") return float_bits(random, 23, 8) | float_bits(mixed(random), 23, 8) << 32;
  if (type == "e4m3x2" || type == "e5m2x2")
    return random >> 30 & 0xffff;  // 65,536 values: all of them matter alike
  if (type == "u16x2" || type == "s16x2")
    return integer_bits(random, 16) | integer_bits(mixed(random), 16) << 16;
  if (type.ends_with("64")) return integer_bits(random, 64);
  if (type.ends_with("16")) return integer_bits(random, 16);
  if (type == "u8" || type == "s8")
    return integer_bits(random, 32);  // what stands above the byte must not matter
  return integer_bits(random, 32);
}

struct Operands {
  uint64_t in[4] = {};
  uint64_t carry = 0;
};

// lop3's table is part of the instruction, so one had to be chosen.
inline constexpr uint64_t kRecordedTruthTable = 0xca;

inline Operands operands_of(std::string_view opcode, const OpcodeKinds& kinds, int index) {
  Operands operands;
  const uint64_t seed = text_hash(opcode) + static_cast<uint64_t>(index) * 0x100;
  for (int i = 0; i < 4; ++i)
    if (kinds.in[i].reg != Register::none)
      operands.in[i] = operand_bits(kinds.in[i].type, mixed(seed + static_cast<uint64_t>(i)));
  operands.carry = mixed(seed + 7) & 1;
  const std::string_view type = kinds.in[0].type;
  if (index % 4 == 1 && kinds.in[1].reg == kinds.in[0].reg && kinds.in[1].type == type) {
    // Operands that have to do with each other: the same, and sums that cancel.
    if (index % 8 == 1) operands.in[1] = operands.in[0];
    if (kinds.in[2].reg == kinds.in[0].reg && type == "f32") {
      const float a = std::bit_cast<float>(static_cast<uint32_t>(operands.in[0]));
      const float b = std::bit_cast<float>(static_cast<uint32_t>(operands.in[1]));
      const float product = -a * b;
      if (product == product) operands.in[2] = std::bit_cast<uint32_t>(product);
    }
    if (kinds.in[2].reg == kinds.in[0].reg && type == "f64") {
      const double product = -std::bit_cast<double>(operands.in[0]) * std::bit_cast<double>(operands.in[1]);
      if (product == product) operands.in[2] = std::bit_cast<uint64_t>(product);
    }
  }
  if (opcode.starts_with("lop3")) operands.in[3] = kRecordedTruthTable;
  return operands;
}

// The bits of a result that PTX defines: above a 16-bit register there is nothing.
inline uint64_t result_mask(Register reg) {
  switch (reg) {
    case Register::none:
      return 0;
    case Register::predicate:
      return 1;
    case Register::half:
      return 0xffff;
    case Register::word:
      return 0xffffffff;
    default:
      return ~uint64_t{0};
  }
}

struct Result {
  uint64_t dst = 0, dst2 = 0, carry = 0;
  bool operator==(const Result&) const = default;
};

// The manual promises no bits of a NaN. f32 and smaller arithmetic gives a single one all the same, and so
// does the virtual GPU; but f64, conversions and sign changes hand on an operand's, and there any NaN is as
// good as another.
inline bool any_nan_will_do(std::string_view opcode, const OpcodeKinds& kinds) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (base == "mov" || base == "selp" || base == "slct" || base == "copysign") return false;
  return kinds.dst.type == "f64" || base == "cvt" || base == "abs" || base == "neg";
}
inline uint64_t one_nan(uint64_t bits, int mantissa_bits, int exponent_bits) {
  const uint64_t infinity = ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  const uint64_t magnitude = bits & ~(uint64_t{1} << (mantissa_bits + exponent_bits));
  return magnitude > infinity ? (uint64_t{1} << (mantissa_bits + exponent_bits)) - 1 : bits;
}
inline Result normalised(Result result, std::string_view opcode, const OpcodeKinds& kinds) {
  if (!any_nan_will_do(opcode, kinds)) return result;
  const std::string_view type = kinds.dst.type;
  const auto halves = [&](int mantissa_bits, int exponent_bits) {
    return one_nan(result.dst & 0xffff, mantissa_bits, exponent_bits) |
           one_nan(result.dst >> 16, mantissa_bits, exponent_bits) << 16;
  };
  if (type == "f64") result.dst = one_nan(result.dst, 52, 11);
  if (type == "f32" || type == "tf32") result.dst = one_nan(result.dst, 23, 8);
  if (type == "f16" || type == "f16x2") result.dst = halves(10, 5);
  if (type == "bf16" || type == "bf16x2") result.dst = halves(7, 8);
  return result;
}

inline uint32_t chunk_hash(const Result* results) {
  uint64_t hash = 0;
  for (int i = 0; i < kChunk; ++i)
    hash = mixed(hash ^ mixed(results[i].dst) ^ (results[i].dst2 << 1 | results[i].carry));
  return static_cast<uint32_t>(hash);
}

// The manual promises these to a certain error only; all others to the bit.
inline bool is_approximate(std::string_view opcode) {
  return opcode.find(".approx") != std::string_view::npos ||
         opcode.find("div.full") != std::string_view::npos;
}

}  // namespace ridge::recorded

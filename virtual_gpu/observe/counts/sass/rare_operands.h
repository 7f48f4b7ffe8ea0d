// Operands for which the SASS of a rounded division, reciprocal or square root calls a routine.
//
// ptxas computes the usual operands in line and jumps over the call of a routine for the others: zeros,
// subnormal numbers, infinities, NaN, and the ends of the exponent's range. Which operands these are and which
// way they take through the routine was read off the SASS that ptxas 13.0 writes for sm_90a; only FCHK, which
// decides for float divisions, is not documented (see path_of).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

namespace ridge::observe {

enum class RoundedForm : uint8_t {
  none,
  divide_f32,
  reciprocal_f32,
  root_f32,
  divide_f64,
  root_f64,
  unknown  // it has a routine, but which operands take it is not known: none is counted
};

// The form of a PTX instruction: "div.rn.f32 %f3, %f1, %f2;" is divide_f32.
RoundedForm rounded_form(std::string_view ptx_text);

// A way through a form's routine: at each conditional branch in turn, whether it is taken ('1').
std::span<const std::string_view> paths_of(RoundedForm form);

inline constexpr uint32_t kInLine = ~uint32_t{0};
// The path (index in paths_of) of one lane's operands, or kInLine. `b` is the divisor. Values are bits, of
// 4-byte forms in the low half.
uint32_t path_of(RoundedForm form, uint64_t a, uint64_t b);

// What the warps that executed one instruction needed of the routine.
struct RareCalls {
  uint64_t calls = 0;                     // warps with such a lane
  uint64_t mixed = 0;                     // those of them with other lanes, too
  std::map<uint32_t, uint64_t> by_paths;  // calls by the set of paths that their lanes take
  // `a`, `b`: rows of 32 values.
  void count(RoundedForm form, uint32_t mask, const std::byte* a, const std::byte* b);
  void add(const RareCalls& other);
};

}  // namespace ridge::observe

#include "virtual_gpu/observe/counts/sass/rare_operands.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "virtual_gpu/observe/counts/sass/sass_counterparts.h"

namespace ridge::observe {
namespace {

struct NamedForm {
  std::string_view prefix, type;
  RoundedForm form;
};
constexpr NamedForm kForms[] = {
    {"div.rn", ".f32", RoundedForm::divide_f32}, {"rcp.rn", ".f32", RoundedForm::reciprocal_f32},
    {"sqrt.rn", ".f32", RoundedForm::root_f32},  {"div.rn", ".f64", RoundedForm::divide_f64},
    {"sqrt.rn", ".f64", RoundedForm::root_f64},
};

// A float division whose exponents are in range goes on at kScaled; the other operands fall through six
// branches before that. Behind it: the quotient is normal, too large, too small for any float, subnormal.
enum DivideF32 : uint32_t {
  kZero,
  kNan,
  kZeroByZero,
  kInfinityByInfinity,
  kInfinity,
  kScaled,
  kSubnormalScaled = kScaled + 4
};
constexpr std::string_view kDivideF32[] = {
    "00001", "01",    "001",     "0001",     "000001",     "11",        "101",
    "10001", "10000", "0000001", "00000001", "0000000001", "0000000000"};
enum ReciprocalF32 : uint32_t { kReciprocalOfTiny, kReciprocalOfNonFinite, kReciprocalOfHuge };
constexpr std::string_view kReciprocalF32[] = {"0", "11", "10"};
enum RootF32 : uint32_t { kRootOfZero, kRootOfNegative, kRootOfNan, kRootScaled };
constexpr std::string_view kRootF32[] = {"1", "01", "001", "000"};
enum DivideF64 : uint32_t {
  kNanDividend,
  kNanDivisor,
  kUndefined,
  kZeroOrInfinite,
  kInRange,
  kExact,
  kInexact
};
constexpr std::string_view kDivideF64[] = {"11", "101", "1001", "1000", "01", "001", "000"};
enum RootF64 : uint32_t {
  kRoot64Rounded,
  kRoot64OfZero,
  kRoot64OfNegative,
  kRoot64OfNonFinite,
  kRoot64Scaled
};
constexpr std::string_view kRootF64[] = {"0", "11", "101", "1001", "1000"};

uint32_t exponent_f32(uint32_t bits) {
  return bits >> 23 & 0xff;
}

// FCHK is not documented. The instructions in line need the reciprocal of the divisor, the quotient and the
// remainders to be normal numbers; what an H200 did with zeros is in course/measured/nvidia-h200/everyday.json.
bool divides_in_line(uint32_t a, uint32_t b) {
  const int of_a = static_cast<int>(exponent_f32(a)), of_b = static_cast<int>(exponent_f32(b));
  constexpr int kRemainderBits = 24, kLargestDivisor = 252, kLargestQuotient = 126;
  return of_a > kRemainderBits && of_a < 255 && of_b > 0 && of_b <= kLargestDivisor &&
         of_a - of_b >= -kLargestQuotient + 1 && of_a - of_b <= kLargestQuotient;
}

uint32_t divide_f32(uint32_t a, uint32_t b) {
  if (divides_in_line(a, b)) return kInLine;
  const float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  if (std::isnan(x) || std::isnan(y)) return kNan;
  if (x == 0 && y == 0) return kZeroByZero;
  if (std::isinf(x) && std::isinf(y)) return kInfinityByInfinity;
  if (x == 0 || std::isinf(y)) return kZero;
  if (y == 0 || std::isinf(x)) return kInfinity;
  const uint32_t scaled = exponent_f32(a) == 0 || exponent_f32(b) == 0 ? kSubnormalScaled : kScaled;
  int exponent = 0;
  const double mantissa = std::frexp(std::abs(static_cast<double>(x) / y), &exponent);
  if (static_cast<float>(mantissa) == 1.0F) ++exponent;
  const int biased = exponent + 126;
  if (biased >= 1 && biased <= 254) return scaled;
  if (biased > 254) return scaled + 1;
  constexpr int kLeast = -24;
  return biased < kLeast ? scaled + 2 : scaled + 3;
}

uint32_t reciprocal_f32(uint32_t a) {
  constexpr uint32_t kShift = 0x01800000, kExponent = 0x7f800000, kLast = 0x01ffffff;
  if (((a + kShift) & kExponent) > kLast) return kInLine;
  if (exponent_f32(a) == 0) return kReciprocalOfTiny;
  return exponent_f32(a) == 255 ? kReciprocalOfNonFinite : kReciprocalOfHuge;
}

uint32_t root_f32(uint32_t a) {
  constexpr uint32_t kShift = 0x0d000000, kLast = 0x727fffff;
  if (a - kShift <= kLast) return kInLine;
  const float x = std::bit_cast<float>(a);
  if (x == 0) return kRootOfZero;
  if (x < 0) return kRootOfNegative;
  return std::isnan(x) ? kRootOfNan : kRootScaled;
}

uint32_t high_half(double value) {
  return static_cast<uint32_t>(std::bit_cast<uint64_t>(value) >> 32);
}

// The SASS compares the high halves as if they were floats.
float magnitude_as_float(uint32_t high) {
  return std::bit_cast<float>(high & 0x7fffffff);
}

uint32_t divide_f64(double a, double b) {
  constexpr uint32_t kLeastDividend = 0x03600000, kLeastQuotient = 0x00100000;
  const double quotient = a / b;
  const float checked =
      std::fma(0.0F, std::bit_cast<float>(high_half(b)), magnitude_as_float(high_half(quotient)));
  if (!(magnitude_as_float(high_half(a)) < std::bit_cast<float>(kLeastDividend)) &&
      checked > std::bit_cast<float>(kLeastQuotient)) {
    return kInLine;
  }
  if (std::isnan(a)) return kNanDividend;
  if (std::isnan(b)) return kNanDivisor;
  if ((a == 0 && b == 0) || (std::isinf(a) && std::isinf(b))) return kUndefined;
  if (a == 0 || b == 0 || std::isinf(a) || std::isinf(b)) return kZeroOrInfinite;
  if (std::isnormal(quotient)) return kInRange;
  return std::fma(quotient, -b, a) == 0 ? kExact : kInexact;
}

uint32_t root_f64(double a) {
  constexpr uint32_t kShift = 0x03500000, kFirst = 0x7ca00000, kFirstScaled = 0xfcc00000;
  const uint32_t shifted = high_half(a) - kShift;
  if (shifted < kFirst) return kInLine;
  if (shifted >= kFirstScaled) return kRoot64Rounded;
  if (a == 0) return kRoot64OfZero;
  if (std::signbit(a)) return kRoot64OfNegative;
  return std::isfinite(a) ? kRoot64Scaled : kRoot64OfNonFinite;
}

}  // namespace

RoundedForm rounded_form(std::string_view ptx_text) {
  const std::string_view text = without_predicate(ptx_text);
  const std::string_view opcode = text.substr(0, text.find(' '));
  for (const NamedForm& form : kForms)
    if (opcode.starts_with(form.prefix) && opcode.ends_with(form.type)) return form.form;
  const bool is_rounded =
      opcode.starts_with("div.r") || opcode.starts_with("rcp.r") || opcode.starts_with("sqrt.r");
  return is_rounded ? RoundedForm::unknown : RoundedForm::none;
}

std::span<const std::string_view> paths_of(RoundedForm form) {
  switch (form) {
    case RoundedForm::divide_f32:
      return kDivideF32;
    case RoundedForm::reciprocal_f32:
      return kReciprocalF32;
    case RoundedForm::root_f32:
      return kRootF32;
    case RoundedForm::divide_f64:
      return kDivideF64;
    case RoundedForm::root_f64:
      return kRootF64;
    default:
      return {};
  }
}

uint32_t path_of(RoundedForm form, uint64_t a, uint64_t b) {
  const auto low_a = static_cast<uint32_t>(a), low_b = static_cast<uint32_t>(b);
  switch (form) {
    case RoundedForm::divide_f32:
      return divide_f32(low_a, low_b);
    case RoundedForm::reciprocal_f32:
      return reciprocal_f32(low_a);
    case RoundedForm::root_f32:
      return root_f32(low_a);
    case RoundedForm::divide_f64:
      return divide_f64(std::bit_cast<double>(a), std::bit_cast<double>(b));
    case RoundedForm::root_f64:
      return root_f64(std::bit_cast<double>(a));
    default:
      return kInLine;
  }
}

void RareCalls::count(RoundedForm form, uint32_t mask, const std::byte* a, const std::byte* b) {
  const size_t bytes = form == RoundedForm::divide_f64 || form == RoundedForm::root_f64 ? 8 : 4;
  uint32_t paths = 0, rare = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    uint64_t of_a = 0, of_b = 0;
    std::memcpy(&of_a, a + lane * bytes, bytes);
    std::memcpy(&of_b, b + lane * bytes, bytes);
    const uint32_t path = path_of(form, of_a, of_b);
    if (path == kInLine) continue;
    paths |= 1u << path;
    rare |= 1u << lane;
  }
  if (rare == 0) return;
  ++calls;
  mixed += rare != mask;
  ++by_paths[paths];
}

void RareCalls::add(const RareCalls& other) {
  calls += other.calls;
  mixed += other.mixed;
  for (const auto& [paths, times] : other.by_paths)
    by_paths[paths] += times;
}

}  // namespace ridge::observe

#include "harness/problems/fused/dropout_mask.h"

#include <utility>

namespace ridge::problems {

namespace {

constexpr double kTwoTo32 = 4294967296.0;

PhiloxWords with_a_constant_key(PhiloxWords counter, uint64_t key) {
  for (int round = 0; round < 10; ++round)
    counter = philox_round(counter, static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
  return counter;
}

}  // namespace

DropoutMask::DropoutMask(MaskRule rule, int64_t seed, double p, int64_t cols)
    : rule_(rule),
      seed_(static_cast<uint64_t>(seed)),
      threshold_(p * kTwoTo32),
      scale_(rule == MaskRule::not_scaled ? 1 : 1 / (1 - p)),
      groups_per_row_(cols / kGroup) {}

std::array<double, 4> DropoutMask::factors(int64_t row, int64_t group) const {
  auto first = static_cast<uint32_t>(group), second = static_cast<uint32_t>(row);
  if (rule_ == MaskRule::row_left_out) second = 0;
  if (rule_ == MaskRule::row_first) std::swap(first, second);
  if (rule_ == MaskRule::one_array) {
    first = static_cast<uint32_t>(row * groups_per_row_ + group);
    second = 0;
  }
  const PhiloxWords counter = {first, second, 0, 0};
  const PhiloxWords words =
      rule_ == MaskRule::key_kept ? with_a_constant_key(counter, seed_) : philox4x32_10(counter, seed_);
  std::array<double, 4> factors{};
  for (size_t i = 0; i < factors.size(); ++i) {
    const uint32_t word = words[rule_ == MaskRule::one_word ? 0 : i];
    const bool kept = (word >= threshold_) != (rule_ == MaskRule::inverted);
    factors[i] = kept ? scale_ : 0;
  }
  return factors;
}

}  // namespace ridge::problems

#include "harness/problems/compare.h"

#include <algorithm>
#include <cmath>

namespace ridge::problems {

namespace {

bool holds_poison(const Buffer& buffer, std::span<const std::byte> got, int64_t index) {
  auto size = static_cast<size_t>(bytes_of(buffer.type));
  size_t first = static_cast<size_t>(index) * size;
  for (size_t at = first; at < first + size; ++at)
    if (got[at] != poison_at(at)) return false;
  return true;
}

bool same_bits(const Buffer& buffer, double value, std::span<const std::byte> got, int64_t index) {
  std::byte wanted[8];
  store_element(buffer.type, wanted, 0, value);
  auto size = static_cast<size_t>(bytes_of(buffer.type));
  return std::memcmp(wanted, got.data() + static_cast<size_t>(index) * size, size) == 0;
}

}  // namespace

State state_of(const Buffer& buffer, const Expected& expected, std::span<const std::byte> got,
               int64_t index) {
  auto i = static_cast<size_t>(index);
  bool right;
  if (expected.tolerance.empty()) {
    right = same_bits(buffer, expected.value[i], got, index);
  } else {
    double error = std::fabs(load_element(buffer.type, got.data(), index) - expected.value[i]);
    right = error <= static_cast<double>(expected.tolerance[i]);  // false for NaN
  }
  if (right) return State::right;
  return holds_poison(buffer, got, index) ? State::untouched : State::wrong;
}

Comparison compare(const Buffer& buffer, const Expected& expected, std::span<const std::byte> got) {
  Comparison result{expected.buffer};
  double worst_ratio = 0;
  for (int64_t index = 0, count = buffer.elements(); index < count; ++index) {
    State state = state_of(buffer, expected, got, index);
    if (state == State::right) continue;
    ++result.wrong;
    if (result.first_wrong < 0) result.first_wrong = index;
    if (state == State::untouched) {
      ++result.untouched;
      continue;
    }
    auto i = static_cast<size_t>(index);
    double error = std::fabs(load_element(buffer.type, got.data(), index) - expected.value[i]);
    double tolerance = expected.tolerance.empty() ? 0 : static_cast<double>(expected.tolerance[i]);
    double ratio = tolerance > 0 ? error / tolerance : error;
    if (ratio > worst_ratio) {
      worst_ratio = ratio;
      result.worst_error = error;
      result.worst_tolerance = tolerance;
    }
  }
  return result;
}

}  // namespace ridge::problems

#include "harness/problems/compare.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "harness/problems/rows_in_parallel.h"

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

constexpr int64_t kComparedAtATime = 1 << 18;  // elements per thread and step

// The result for some of the elements.
struct Part {
  Comparison found;
  double worst_ratio = 0;

  void look_at(const Buffer& buffer, const Expected& expected, std::span<const std::byte> got,
               int64_t index) {
    const State state = state_of(buffer, expected, got, index);
    if (state == State::right) return;
    ++found.wrong;
    if (found.first_wrong < 0) found.first_wrong = index;
    if (state == State::untouched) {
      ++found.untouched;
      return;
    }
    const auto i = static_cast<size_t>(index);
    const double error = std::fabs(load_element(buffer.type, got.data(), index) - expected.value[i]);
    const double tolerance = expected.tolerance.empty() ? 0 : static_cast<double>(expected.tolerance[i]);
    const double ratio = tolerance > 0 ? error / tolerance : error;
    if (ratio <= worst_ratio) return;
    worst_ratio = ratio;
    found.worst_error = error;
    found.worst_tolerance = tolerance;
  }
};

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
  std::mutex adding;
  rows_in_parallel(buffer.elements(), kComparedAtATime, [&](int64_t first, int64_t last) {
    Part part{{expected.buffer}};
    for (int64_t index = first; index < last; ++index)
      part.look_at(buffer, expected, got, index);
    const std::lock_guard lock(adding);
    if (part.found.first_wrong >= 0 &&
        (result.first_wrong < 0 || part.found.first_wrong < result.first_wrong))
      result.first_wrong = part.found.first_wrong;
    result.wrong += part.found.wrong;
    result.untouched += part.found.untouched;
    if (part.worst_ratio <= worst_ratio) return;
    worst_ratio = part.worst_ratio;
    result.worst_error = part.found.worst_error;
    result.worst_tolerance = part.found.worst_tolerance;
  });
  return result;
}

}  // namespace ridge::problems

// For a single result of a whole array: recognises which part of the array was summed.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

namespace {

constexpr int64_t kLargestTile = 1 << 16;
constexpr double kMostTimes = 1 << 20;
// What the additions of many threads to one float may round away, as a share of the result: up to 2^12
// additions, each by half a unit in the last place.
constexpr double kRoundedAway = 0x1p-12;
constexpr int64_t kMostAdded = 1 << 22;  // for larger arrays, sums without a tail are not tried

// The sum of the elements first, first + step, ... before `end`.
double sum_of(const problems::Case& given, int64_t end, int64_t step) {
  double sum = 0;
  for (int64_t i = 0; i < end; i += step)
    sum += problems::load_element(given.buffers[0].type, given.initial[0].data(), i);
  return sum;
}

// Several threads add the same sum: one per lane of a warp, per thread of a block, or another
// number. Of whole warps a rounded result is accepted too: no other mistake gives nearly a power of two.
Answer several_times(const Output& o, double allowed) {
  const double factor = std::round(o.got(0) / o.expected(0));
  if (!(factor >= 2) || factor > kMostTimes) return {};
  const auto times = static_cast<uint64_t>(factor);
  const double rounded = times >= 32 && std::has_single_bit(times) ? kRoundedAway * std::fabs(o.got(0)) : 0;
  if (std::fabs(o.got(0) - factor * o.expected(0)) > std::max(factor * allowed, rounded)) return {};
  const std::string_view id = times == 2                                                   ? "wrong.sum_twice"
                              : times == 32                                                ? "wrong.sum_by_lanes"
                              : times >= 64 && times <= 1024 && std::has_single_bit(times) ? "wrong.sum_by_threads"
                                                                                           : "wrong.sum_times";
  return Finding{id, {{"factor", times}}};
}

}  // namespace

Answer part_of_a_sum(const Output& o, const problems::Case* given) {
  if (o.elements() != 1 || o.untouched() || !given || given->problem->id != std::string_view("sum"))
    return {};
  const double got = o.got(0);
  if (got == 0) return Finding{"wrong.sum_zero", {}};
  const int64_t n = given->buffers[0].elements();
  const double allowed =
      o.reference().tolerance.empty() ? 0 : static_cast<double>(o.reference().tolerance[0]);
  const auto is = [&](double sum) { return std::fabs(got - sum) <= allowed; };
  if (const Answer times = several_times(o, allowed)) return times;
  for (int64_t tile = kLargestTile; tile >= 4 && n < kMostAdded; tile /= 2)
    if (n % tile != 0 && n / tile > 0 && is(sum_of(*given, n / tile * tile, 1)))
      return Finding{"wrong.sum_without_tail",
                     {{"part", n / tile * tile}, {"of", n}, {"left", n % tile}, {"tile", tile}}};
  // Powers of two: sizes of lanes, warps and blocks.
  for (int64_t part = 1; part < n; part *= 2) {
    if (is(sum_of(*given, part, 1)))
      return Finding{part == 1 ? "wrong.sum_of_first_element" : "wrong.sum_of_first_part",
                     {{"part", part}, {"of", n}}};
    if (part > 1 && is(sum_of(*given, n, part)))
      return Finding{"wrong.sum_of_every_nth",
                     {{"nth", fmt::format("{}{}", part, part == 2 || part == 32 ? "nd" : "th")}, {"of", n}}};
  }
  return Finding{"wrong.sum_unexplained", {}};
}

}  // namespace ridge::grade

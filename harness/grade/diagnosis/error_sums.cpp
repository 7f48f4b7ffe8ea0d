// A result of one element that is made of a whole array: which part of the array is it made of?
#include <fmt/format.h>

#include <cmath>

#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

namespace {

// The elements first, first + step, ... before `end`.
double sum_of(const problems::Case& given, int64_t end, int64_t step) {
  double sum = 0;
  for (int64_t i = 0; i < end; i += step)
    sum += problems::load_element(given.buffers[0].type, given.initial[0].data(), i);
  return sum;
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
  for (const double times : {2.0, 32.0, 256.0})
    if (is(times * o.expected(0)))
      return Finding{"wrong.sum_times", {{"factor", fmt::format("{:.0f}", times)}}};
  // Powers of two: what lanes, warps and blocks are made of.
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

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
  if (got == 0)
    return Pattern{
        "The sum is 0: nothing was added to it.",
        "Follow one element: which thread reads it, what is it added to, and who brings that to the "
        "result?"};
  const int64_t n = given->buffers[0].elements();
  const double allowed =
      o.reference().tolerance.empty() ? 0 : static_cast<double>(o.reference().tolerance[0]);
  const auto is = [&](double sum) { return std::fabs(got - sum) <= allowed; };
  for (const double times : {2.0, 32.0, 256.0})
    if (is(times * o.expected(0)))
      return Pattern{
          fmt::format("It is {:.0f} times the right sum.", times),
          "Something is added more than once: by every lane, by every thread, or by two launches?"};
  // Powers of two: what lanes, warps and blocks are made of.
  for (int64_t part = 1; part < n; part *= 2) {
    if (is(sum_of(*given, part, 1)))
      return Pattern{
          part == 1 ? std::string("It is the first element alone.")
                    : fmt::format("It is the sum of the first {} of {} elements.", part, n),
          "The others never reach the result: the rest of the warp, the block's other warps, or the "
          "other blocks?"};
    if (part > 1 && is(sum_of(*given, n, part)))
      return Pattern{fmt::format("It is the sum of every {}{} element of {}, from the first on.", part,
                                 part == 2    ? "nd"
                                 : part == 32 ? "nd"
                                              : "th",
                                 n),
                     "Each group of that many elements brings only its first one: the steps that "
                     "add up the group are missing."};
  }
  return Pattern{
      "It is no sum of a part that begins at the first element.",
      "Take few elements, work out by hand what every step leaves in every thread, and compare: who "
      "adds what, is it added once, and is it waited for?"};
}

}  // namespace ridge::grade

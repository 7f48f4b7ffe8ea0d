// Recognises what single wrong values are: a factor, a missing term, lost digits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/grade/diagnosis/pattern_kinds.h"

namespace ridge::grade {

namespace {

// Equal up to the rounding of a float32 computation.
bool near(double is, double wanted) {
  return std::fabs(is - wanted) <= 1e-5 * std::fabs(wanted) + 1e-30;
}

// The error that rounding may explain at this element.
double allowed_at(const Output& o, int64_t i) {
  const auto& tolerance = o.reference().tolerance;
  return tolerance.empty() ? 0 : 4 * static_cast<double>(tolerance[static_cast<size_t>(i)]);
}

int64_t wrong_values(const Output& o) {
  return o.wrong() - o.untouched();
}

Answer one_value(const Output& o, const problems::Case* given) {
  if (for_all_wrong_values(o, [&](int64_t i) { return std::isnan(o.got(i)); }))
    return Finding{given && given->problem->id == "softmax" ? "wrong.nan_from_exp" : "wrong.nan",
                   {{"every", every_one(o)}}};
  if (for_all_wrong_values(o, [&](int64_t i) { return std::isinf(o.got(i)); }))
    return Finding{"wrong.infinite", {{"every", every_one(o)}}};
  if (wrong_values(o) < 2) return {};
  int64_t first = 0;
  while (!has_wrong_value(o, first))
    ++first;
  const double value = o.got(first) + 0.0;  // turns -0 into 0
  if (!for_all_wrong_values(o, [&](int64_t i) { return o.got(i) == value; })) return {};
  return Finding{value == 0 ? "wrong.zero" : "wrong.one_value",
                 {{"every", every_one(o)}, {"value", fmt::format("{:.7g}", value)}}};
}

Answer factor(const Output& o) {
  if (wrong_values(o) < 8) return {};
  double by = 0;
  for (int64_t i = 0; i < o.elements() && by == 0; ++i)
    if (has_wrong_value(o, i) && std::fabs(o.expected(i)) > 1e-3) by = o.got(i) / o.expected(i);
  if (!std::isfinite(by) || by == 0) return {};
  if (!for_all_wrong_values(o, [&](int64_t i) { return near(o.got(i), by * o.expected(i)); })) return {};
  if (near(by, -1)) return Finding{"wrong.sign", {{"every", every_one(o)}}};
  return Finding{by > 1 ? "wrong.factor_above_one" : "wrong.factor_below_one",
                 {{"every", every_one(o)}, {"factor", fmt::format("{:.6g}", by)}}};
}

Answer as_an_input(const Output& o, const problems::Case* given) {
  if (!given || wrong_values(o) < 8) return {};
  for (size_t b = 0; b < given->buffers.size(); ++b) {
    const problems::Buffer& input = given->buffers[b];
    if (given->initial[b].empty() || input.elements() != o.elements()) continue;
    const auto at = [&](int64_t i) {
      return problems::load_element(input.type, given->initial[b].data(), i);
    };
    const bool own = b == o.reference().buffer;
    if (!own && for_all_wrong_values(o, [&](int64_t i) { return o.got(i) == at(i); }))
      return Finding{"wrong.input_copied", {{"every", every_one(o)}, {"input", input.name}}};
    const auto differs_by = [&](double times) {
      bool any = false;
      return for_all_wrong_values(o,
                                  [&](int64_t i) {
                                    any |= std::fabs(at(i)) > 1e-3;
                                    const double wanted = o.expected(i) + times * at(i);
                                    return std::fabs(o.got(i) - wanted) <=
                                           allowed_at(o, i) + 1e-6 * std::fabs(wanted);
                                  }) &&
             any;
    };
    const std::string term = own ? fmt::format("what {} held before", input.name)
                                 : fmt::format("{} at the same place", input.name);
    if (differs_by(-1))
      return Finding{"wrong.term_missing", {{"every", every_one(o)}, {"term", term}, {"input", input.name}}};
    if (differs_by(1))
      return Finding{"wrong.term_twice", {{"every", every_one(o)}, {"term", term}, {"input", input.name}}};
    if (differs_by(-2))
      return Finding{"wrong.term_sign", {{"every", every_one(o)}, {"term", term}, {"input", input.name}}};
  }
  return {};
}

Answer applied_twice(const Output& o) {
  if (!o.had_values() || wrong_values(o) < 8) return {};
  if (!for_all_wrong_values(o, [&](int64_t i) {
        const double step = o.expected(i) - o.initial(i);
        return std::fabs(o.got(i) - (o.expected(i) + step)) <=
               2 * allowed_at(o, i) + 1e-6 * std::fabs(o.got(i));
      }))
    return {};
  return Finding{"wrong.applied_twice", {{"every", every_one(o)}, {"array", o.buffer().name}}};
}

Answer without_fraction(const Output& o) {
  if (wrong_values(o) < 8) return {};
  const auto is_whole = [&](int64_t i) {
    return o.got(i) == std::trunc(o.expected(i)) || o.got(i) == std::nearbyint(o.expected(i));
  };
  if (!for_all_wrong_values(o, is_whole)) return {};
  return Finding{"wrong.fraction_lost", {{"every", every_one(o)}}};
}

Answer nearly_right(const Output& o) {
  // bfloat16, the coarsest type of the course, keeps 8 bits.
  double worst = 0, allowed = 0, relative = 0;
  if (wrong_values(o) == 0 || o.untouched()) return {};
  for (int64_t i = 0; i < o.elements(); ++i) {
    if (o.right(i)) continue;
    const double error = std::fabs(o.got(i) - o.expected(i));
    if (!(error <= 0x1p-7 * std::fabs(o.expected(i)))) return {};
    relative = std::max(relative, error / std::fabs(o.expected(i)));
    if (error > worst) {
      worst = error;
      allowed = allowed_at(o, i) / 4;
    }
  }
  const char* like = relative > 0x1p-10   ? " That is as coarse as bfloat16, which keeps 8 bits."
                     : relative > 0x1p-13 ? " That is as coarse as half or TF32, which keep 11 bits."
                                          : "";
  return Finding{"wrong.imprecise",
                 {{"count", o.wrong()},
                  {"of", o.elements()},
                  {"error", fmt::format("{:.2g}", worst)},
                  {"allowed", fmt::format("{:.2g}", allowed)},
                  {"like", like}}};
}

Answer partial_sum(const Output& o) {
  if (wrong_values(o) < 8 || o.untouched()) return {};
  double least = 1, most = 0;
  if (!for_all_wrong_values(o, [&](int64_t i) {
        const double part = o.got(i) / o.expected(i);
        least = std::min(least, part);
        most = std::max(most, part);
        return part > 0.001 && part < 0.999;
      }))
    return {};
  return Finding{"wrong.terms_missing",
                 {{"every", every_one(o)},
                  {"least", fmt::format("{:.0f}%", 100 * least)},
                  {"most", fmt::format("{:.0f}%", 100 * most)}}};
}

}  // namespace

Answer value_pattern(const Output& o, const problems::Case* given) {
  if (wrong_values(o) == 0) return {};
  if (Answer answer = one_value(o, given)) return answer;
  if (Answer answer = nearly_right(o)) return answer;
  if (Answer answer = factor(o)) return answer;
  if (Answer answer = as_an_input(o, given)) return answer;
  for (auto* kind : {applied_twice, without_fraction, partial_sum})
    if (Answer answer = kind(o)) return answer;
  return {};
}

}  // namespace ridge::grade

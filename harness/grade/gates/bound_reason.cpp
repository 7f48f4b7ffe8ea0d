#include "harness/grade/gates/bound_reason.h"

#include <fmt/format.h>

#include "harness/grade/findings/finding.h"

namespace ridge::grade {

namespace {

using measure::Bound;

constexpr double kAtTheRoof = 85;  // percent: the rest is partial tiles and the launch

// The largest of the three lower bounds on the time, and the source of its rate.
Finding bound_of(const Measured& measured) {
  const measure::Roofs& roofs = measured.roofs;
  const measure::RoofPlace& place = measured.place;
  const auto finding = [&](std::string_view id, double ms, const char* rate) {
    return Finding{id,
                   {{"bound", measure::to_string(place.bound)},
                    {"ms", fmt::format("{:.4f}", ms)},
                    {"rate", rate},
                    {"percent", fmt::format("{:.0f}", place.percent)}}};
  };
  const auto rate = [](std::string_view source, const char* measured_rate, const char* sheet_rate) {
    return source == "measured" ? measured_rate : sheet_rate;
  };
  switch (place.bound) {
    case Bound::memory:
      return finding("slow.bound_by_memory", place.memory_ms,
                     rate(roofs.bandwidth_source,
                          roofs.only_reads ? "the measured rate of reading" : "a copy's measured rate",
                          "the data sheet's rate"));
    case Bound::compute:
      return finding("slow.bound_by_compute", place.compute_ms,
                     rate(roofs.rate_source, "measured", "data sheet's"));
    case Bound::overhead:
      break;
  }
  return finding("slow.bound_by_overhead", place.overhead_ms, "");
}

}  // namespace

std::string bound_sentence(const Measured& measured) {
  return measured.place.percent <= 0 ? "" : bound_of(measured).sentence();
}

std::string bound_advice(const Measured& measured) {
  const measure::RoofPlace& place = measured.place;
  if (place.percent <= 0) return Finding{"slow.no_roof"}.next();
  if (measured.ungated) return Finding{"slow.waits_for_the_host"}.next();
  if (place.percent < kAtTheRoof) return bound_of(measured).next();
  switch (place.bound) {
    case Bound::memory:
      return Finding{"slow.at_the_memory_roof"}.next();
    case Bound::compute:
      return Finding{"slow.at_the_compute_roof"}.next();
    case Bound::overhead:
      break;
  }
  return Finding{"slow.at_the_launch"}.next();
}

}  // namespace ridge::grade

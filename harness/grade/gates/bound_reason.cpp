#include "harness/grade/gates/bound_reason.h"

#include <fmt/format.h>

namespace ridge::grade {

namespace {

using measure::Bound;

constexpr double kAtTheRoof = 85;  // percent: what is left is the ragged edge, and the launch

// What the longest of the three would take alone, and where its rate is from.
std::string roof_of(const Measured& measured) {
  const measure::Roofs& roofs = measured.roofs;
  const measure::RoofPlace& place = measured.place;
  switch (place.bound) {
    case Bound::memory:
      return fmt::format(
          "its bytes need {:.4f} ms at {}", place.memory_ms,
          roofs.bandwidth_source == "measured" ? "a copy's measured rate" : "the data sheet's rate");
    case Bound::compute:
      return fmt::format("its operations need {:.4f} ms at the {} rate", place.compute_ms,
                         roofs.rate_source == "measured" ? "measured" : "data sheet's");
    case Bound::overhead:
      break;
  }
  return fmt::format("an empty kernel needs {:.4f} ms, measured", place.overhead_ms);
}

}  // namespace

std::string bound_sentence(const Measured& measured) {
  const measure::RoofPlace& place = measured.place;
  if (place.percent <= 0) return "";
  return fmt::format("The work is bound by {}: {}, so it is at {:.0f}% of its roof.",
                     measure::to_string(place.bound), roof_of(measured), place.percent);
}

std::string bound_advice(const Measured& measured) {
  const measure::RoofPlace& place = measured.place;
  if (place.percent <= 0) return "Look at what its warps do to memory.";
  if (measured.ungated)
    return "The host is what it waits for: the function keeps it busy before its kernel starts. Launch "
           "first, "
           "and neither allocate nor wait in it.";
  switch (place.bound) {
    case Bound::memory:
      return place.percent >= kAtTheRoof
                 ? "It moves its bytes nearly as fast as a copy does: only moving fewer of them would help."
                 : "Each byte should cross the bus once, in whole sectors, with many on their way at any "
                   "moment.";
    case Bound::compute:
      return place.percent >= kAtTheRoof
                 ? "Its units are nearly always busy: only fewer operations would help."
                 : "The arithmetic units wait for their operands: keep what is used again in shared memory "
                   "and "
                   "registers, and load what comes next while the units work.";
    case Bound::overhead:
      break;
  }
  return place.percent >= kAtTheRoof
             ? "Little is left but the launch itself."
             : "There is little to do here, so every launch, wait and step that depends on another shows: "
               "use fewer of them.";
}

}  // namespace ridge::grade

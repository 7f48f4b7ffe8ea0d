// The verdicts of a grading.
#pragma once

#include <string>
#include <string_view>

namespace ridge::grade {

enum class Verdict {
  compile_error,
  launch_error,
  wrong,
  out_of_bounds,
  race,
  uninitialised,
  deadlock,
  timeout,
  slow,
  suspect,
  pass,
  gold,
  skipped,
  not_started
};

std::string_view to_string(
    Verdict verdict);  // "COMPILE ERROR", "OUT OF BOUNDS", ...
Verdict verdict_from(std::string_view text);  // throws std::invalid_argument
bool passed(Verdict verdict);                 // pass or gold
// True when a file was run and judged. False for skipped (something required is missing) and
// not_started: such verdicts are shown but not stored.
bool graded(Verdict verdict);

}  // namespace ridge::grade

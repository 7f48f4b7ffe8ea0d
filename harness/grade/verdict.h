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
    Verdict verdict);  // "COMPILE ERROR", "OUT OF BOUNDS", ... as the design writes them
Verdict verdict_from(std::string_view text);  // throws std::invalid_argument
bool passed(Verdict verdict);                 // pass or gold
// Was a file run and judged? Not where something is missing for that (skipped), nor where nothing was written
// yet (not_started): such verdicts are shown and not kept.
bool graded(Verdict verdict);

}  // namespace ridge::grade

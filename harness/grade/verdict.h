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
  skipped
};

std::string_view to_string(
    Verdict verdict);  // "COMPILE ERROR", "OUT OF BOUNDS", ... as the design writes them
Verdict verdict_from(std::string_view text);  // throws std::invalid_argument
bool passed(Verdict verdict);                 // pass or gold

}  // namespace ridge::grade

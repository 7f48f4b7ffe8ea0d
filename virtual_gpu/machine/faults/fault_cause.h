// The cause of a fault for programs: an identifier, and the names and figures of its message.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridge::machine {

struct FaultCause {
  // "mbarrier_arrivals": which of the mistakes that one check detects. Empty: only the check is
  // known. harness/grade/findings/check_causes.cpp maps it to the text for a student.
  std::string id = {};
  // By name: {"expected", "1"}, {"array", "the array passed as parameter 2"}.
  std::vector<std::pair<std::string, std::string>> values = {};
};

}  // namespace ridge::machine

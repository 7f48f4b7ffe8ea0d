// The table of findings: every sentence that a grade says, by identifier. To add one: a row in the file of its
// kind in texts/, and Finding{"verdict.cause", {{"name", value}, ...}} where it is found.
//
// The first text says what happened, with the numbers; the second says what to do next. "{name}" is replaced
// by a value. Where a finding only adds to another one, one of its texts may be empty.
#include <vector>

#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {

std::span<const FindingText> finding_texts() {
  static const std::vector<FindingText> all = [] {
    std::vector<FindingText> rows;
    for (const auto part : {build_texts(), wrong_place_texts(), wrong_origin_texts(), wrong_value_texts(), memory_texts(), race_texts(), waiting_texts(), slow_texts(), suspect_texts(), result_texts()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return all;
}

}  // namespace ridge::grade

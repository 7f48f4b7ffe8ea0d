// The table of findings: every sentence of a grade, by identifier. To add a finding, add a row to
// the file of its kind in texts/, and return Finding{"verdict.cause", {{"name", value}, ...}} where
// it is detected. The first text says what happened, with the numbers; the second says what to do
// next. "{name}" is replaced by a value. One of the texts of a finding that only supplements
// another may be empty.
#include <vector>

#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {

std::span<const FindingText> finding_texts() {
  static const std::vector<FindingText> all = [] {
    std::vector<FindingText> rows;
    for (const auto part : {build_texts(), host_texts(), wrong_place_texts(), wrong_origin_texts(), wrong_value_texts(), memory_texts(), race_texts(), waiting_texts(), slow_texts(), suspect_texts(), result_texts()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return all;
}

}  // namespace ridge::grade

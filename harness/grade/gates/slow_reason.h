// Explains from the counts of the virtual GPU why a kernel with right answers is slow: which count
// is far from its ideal, on which line of the student's file, and what that costs the hardware.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/grade/findings/finding.h"
#include "harness/grade/grade.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// Lines of text on one failed gate: the source line, its counts, and their meaning.
std::string explain_gate(const GateResult& gate, std::span<const trace::LaunchReport> launches,
                         std::string_view source);

// The findings in those lines: the accesses of the worst line, if there is one, and the meaning of
// the count.
std::vector<Finding> findings_of_gate(const GateResult& gate, std::span<const trace::LaunchReport> launches);

struct Remark {
  double weight = 0;  // severity
  Finding finding;
  std::string text;   // its sentence, after the line that it is about
  std::string count;  // the count's name in gates; "" when no gate counts it
};
// Other counts far from their ideal, worst first, at most three: lines that no failed gate has
// named, spilled registers, few warps per SM and their limiter, divergence, bytes that are loaded
// repeatedly.
std::vector<Remark> other_remarks(std::span<const GateResult> gates,
                                  std::span<const trace::LaunchReport> launches, std::string_view source);

// Line `number` (from 1) without surrounding blanks, cut to 60 characters; "" when it does not
// exist.
std::string source_line(std::string_view source, uint32_t number);

}  // namespace ridge::grade

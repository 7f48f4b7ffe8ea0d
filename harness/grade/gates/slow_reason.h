// Why a kernel whose answers are right is slow: which count is far from its ideal, on which line of the
// learner's file, and what that costs the hardware. From what the virtual GPU counted.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/grade/findings/finding.h"
#include "harness/grade/grade.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// Lines of text on one gate that failed: the line with its text, what was counted there, what it means.
std::string explain_gate(const GateResult& gate, std::span<const trace::LaunchReport> launches,
                         std::string_view source);

// What those lines say: the accesses of the worst line, where one is to blame, and what the count means.
std::vector<Finding> findings_of_gate(const GateResult& gate, std::span<const trace::LaunchReport> launches);

struct Remark {
  double weight = 0;  // how bad
  Finding finding;
  std::string text;   // its sentence, behind the line that it is about
  std::string count;  // what it is about, as gates name it; "" for what no gate counts
};
// What else is far from its ideal, worst first, at most three: lines that no failed gate has named, spilled
// registers, few warps on an SM and what limits them, divergence, bytes that are loaded again and again.
std::vector<Remark> other_remarks(std::span<const GateResult> gates,
                                  std::span<const trace::LaunchReport> launches, std::string_view source);

// Line `number` (from 1) without the blanks around it, cut to 60 characters; "" where there is none.
std::string source_line(std::string_view source, uint32_t number);

}  // namespace ridge::grade

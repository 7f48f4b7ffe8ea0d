// The parts of the table of findings, one file for each kind of verdict.
#pragma once

#include <span>

#include "harness/grade/findings/finding.h"

namespace ridge::grade {

std::span<const FindingText> build_texts();
std::span<const FindingText> host_texts();
std::span<const FindingText> wrong_place_texts();
std::span<const FindingText> wrong_origin_texts();
std::span<const FindingText> wrong_value_texts();
std::span<const FindingText> memory_texts();
std::span<const FindingText> race_texts();
std::span<const FindingText> waiting_texts();
std::span<const FindingText> slow_texts();
std::span<const FindingText> suspect_texts();
std::span<const FindingText> result_texts();

}  // namespace ridge::grade

// Texts for what was measured on a GPU.
#pragma once

#include <string>

#include "harness/grade/grade.h"

namespace ridge::report {

// "2.93 times as fast as unfused kernels (quartiles 2.91 to 2.95), 0.3010 ms; pass at 2.8".
std::string second_words(const grade::SecondMeasured& second);
// "pass at 75%, gold at 78.4%", and where the target was measured if that is another GPU than `device`.
std::string target_words(const course::Target& target, const std::string& device);
// "61% of the roof: bound by memory (measured copy, 4262 GB/s)"; "" when no roof is known.
std::string roof_words(const grade::Measured& measured);
// "SM clock 1980 MHz (1965 to 1980), 364 W, 41 °C; held down by: power cap; 2 rounds thrown away …".
std::string gpu_words(const grade::Measured& measured);
// "cuBLAS 13.1.0: cublasLt heuristic 3 of 17 (default 0.181 ms, best 0.174 ms)"; "" when there was
// no choice.
std::string library_words(const runner::BaselineReport& library);

}  // namespace ridge::report

// Reads a kernel's hardware counters with Nsight Compute (ncu), where it is installed and
// permitted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/grade/bench.h"

namespace ridge::grade {

struct CounterKind {
  std::string_view metric, unit, sentence;  // sentence: the meaning, for a student
};
// The dozen most informative counters.
const std::vector<CounterKind>& counter_kinds();

struct KernelCounters {
  std::string kernel;
  std::vector<std::string> values;  // in the order of counter_kinds(); "" where ncu reported none
};
struct Counters {
  std::string why_not;  // "" when they were read
  std::vector<KernelCounters> kernels;
};

// Counters of one call of the compiled file at the rung's gpu_size, or virtual_size for a rung that is not timed.
Counters read_counters(const course::Rung& rung, const std::filesystem::path& object,
                       const std::filesystem::path& libraries, const std::filesystem::path& cache);
// Parses the output of `ncu --csv --page raw`.
Counters counters_in(const std::string& printed);

}  // namespace ridge::grade

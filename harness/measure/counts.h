// The counts that gates use, with the names in lab.toml and in messages.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/measure/work.h"
#include "trace/launch_report.h"

namespace ridge::measure {

struct Count {
  std::string_view name;
  std::string_view description;  // one line
  // nullptr for a count that is relative to the work.
  double (*value)(std::span<const trace::LaunchReport> launches);
  // The contribution of one memory instruction to the count, for naming the worst source line;
  // nullptr: no instruction contributes.
  double (*of_instruction)(const trace::InstructionCounts& instruction);
  // Findings for a value outside a gate: identifiers of harness/grade/findings/finding_texts.cpp,
  // or "".
  std::string_view too_large = {}, too_small = {};
  // For a count relative to the work (harness/measure/work_counts.h).
  double (*of_work)(std::span<const trace::LaunchReport> launches, const Work& work) = nullptr;
  // Known only where nvcc compiled: clang writes PTX, and ptxas decides these.
  bool of_machine_code = false;
};

double value_of(const Count& count, std::span<const trace::LaunchReport> launches, const Work& work);

// Whether the launches' kernels were compiled to machine code.
bool have_machine_code(std::span<const trace::LaunchReport> launches);

std::span<const Count> counts();
// Throws std::invalid_argument that lists the names.
const Count& find_count(std::string_view name);

// The launches of the call between cudaProfilerStart and Stop.
std::vector<trace::LaunchReport> profiled_launches(std::vector<trace::LaunchReport> reports);

// The instruction that contributes most to the count; nullptr when none contributes.
const trace::InstructionCounts* worst_instruction(const Count& count,
                                                  std::span<const trace::LaunchReport> launches);

// The memory instructions of one kind on one source line, summed over launches, ordered by file and
// line.
struct LineCounts {
  std::string file;
  uint32_t line = 0;
  std::string what;  // "global load"
  uint64_t requests = 0, sectors = 0, ideal_sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
};
std::vector<LineCounts> counts_by_line(std::span<const trace::LaunchReport> launches);

}  // namespace ridge::measure

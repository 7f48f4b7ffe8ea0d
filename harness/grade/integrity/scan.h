// What can be told of a compiled file without running it: whether it calls for what no kernel needs.
#pragma once

#include <optional>

#include "harness/build/compile.h"
#include "harness/course/lab.h"
#include "harness/grade/findings/outcome.h"
#include "harness/measure/work.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// SUSPECT, with the function, library or instruction that gives rise to it.
std::optional<Outcome> scan(const build::Compiled& compiled, const course::Rung& rung);

// Functions that a shared object asks others for, those that it offers, and the libraries it names. Throws
// std::runtime_error for a file that is none.
struct Symbols {
  std::vector<std::string> wanted, offered, libraries;
};
Symbols symbols_of(const std::filesystem::path& object);

// Does it put functions of the host into streams?
bool runs_host_functions(const build::Compiled& compiled);

// SLOW when cudaMemcpy and cudaMemset moved more inside the call than results and parameters of a few bytes:
// they do the work then, or do it again.
std::optional<Outcome> scan_copies(const measure::Work& work);

// The launches of one call: SUSPECT when there are none, when kernels ran that the file does not have, or
// when they touched less than the problem's bytes or cannot have done its arithmetic; SLOW when a rung that
// only streams asked for more than twice as many (which would make its averages look better than its
// kernels).
std::optional<Outcome> scan_launches(const std::vector<trace::LaunchReport>& launches,
                                     const build::Compiled& compiled, double bytes_to_move, double operations,
                                     bool streams);

}  // namespace ridge::grade

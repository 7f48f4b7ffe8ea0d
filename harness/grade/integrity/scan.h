// Checks a compiled file without running it: whether it uses functions that no kernel needs.
#pragma once

#include <optional>

#include "harness/build/compile.h"
#include "harness/course/lab.h"
#include "harness/grade/findings/outcome.h"
#include "harness/measure/work.h"
#include "trace/launch_report.h"

namespace ridge::grade {

// SUSPECT, with the function, library or instruction that is the reason.
std::optional<Outcome> scan(const build::Compiled& compiled, const course::Rung& rung);

// The functions that a shared object imports and exports, and the libraries that it names. Throws
// std::runtime_error for a file that is not a shared object.
struct Symbols {
  std::vector<std::string> wanted, offered, libraries;
};
Symbols symbols_of(const std::filesystem::path& object);

// True when the object enqueues host functions in streams.
bool runs_host_functions(const build::Compiled& compiled);

// SLOW when cudaMemcpy and cudaMemset moved more than a few bytes of results and parameters inside
// the call: they then do the work, or repeat it.
std::optional<Outcome> scan_copies(const measure::Work& work);

// Checks the launches of one call. SUSPECT when there are none, when kernels ran that the file does
// not contain, or when they touched less than the problem's bytes or cannot have done its
// arithmetic. SLOW when a rung that only streams requested more than twice its bytes (which would
// make its averages look better than its kernels). `any_stream`: the function is given no stream.
std::optional<Outcome> scan_launches(const std::vector<trace::LaunchReport>& launches,
                                     const build::Compiled& compiled, double bytes_to_move, double operations,
                                     bool streams, bool any_stream = false);

}  // namespace ridge::grade

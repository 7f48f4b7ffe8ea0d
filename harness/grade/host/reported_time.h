// Compares the time that a function reports for its kernel (HostCode::time) with ours, which is
// taken by events around each of its launches.
#pragma once

#include <optional>
#include <vector>

#include "harness/grade/findings/outcome.h"
#include "harness/runner/session.h"

namespace ridge::grade {

// WRONG when the time is more than 5% outside of what we measured for the launches after the first,
// or outside of the function's own events over the launches between them, or when no launch came
// before those that were timed. `steps`: how many the kernel does in all its
// threads; a kernel that is too short to be timed is not judged.
std::optional<Outcome> examine_time(const runner::HostCalls& calls, double reported_ms,
                                    double steps, const std::string& where);

}  // namespace ridge::grade

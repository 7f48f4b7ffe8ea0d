// Judges a function that does its host work itself: allocations, copies, launches, waits.
#pragma once

#include <optional>

#include "harness/grade/findings/outcome.h"
#include "harness/runner/session.h"

namespace ridge::grade {

// What makes the outputs unreliable whatever they are: a result that was copied before it was ready,
// or work that was still under way when the function returned.
std::optional<Outcome> examine_order(const runner::HostCalls& calls, const std::string& where);

// A more exact outcome than that of the comparison with the reference, which is `compared`; or what
// is wrong although the answers are right: memory that was not freed.
std::optional<Outcome> examine_rest(const runner::HostCalls& calls, std::optional<Outcome> compared,
                                    const std::string& where);

}  // namespace ridge::grade

// Checks that the work that a function has queued is ordered in the stream that it was given. Work
// that still runs on another stream when the function returns is not: the caller's next work on the
// given stream does not wait for it.
#pragma once

#include <optional>
#include <vector>

#include "harness/runner/child/calls/observed_calls.h"

namespace ridge::runner {

// The first call that queued work on another stream of the function when neither the given stream
// nor the host has waited for that stream since. Empty when this cannot be determined: while a
// stream was captured, and for the default streams.
std::optional<ObservedCall> first_left_running(const std::vector<ObservedCall>& calls,
                                               uint64_t given_stream);

}  // namespace ridge::runner

// Whether the work that a function has queued is in the order of the stream that it was given. What runs on another stream
// when the function returns is not: the caller's next work on the given stream does not wait for it.
#pragma once

#include <optional>
#include <vector>

#include "harness/runner/child/calls/observed_calls.h"

namespace ridge::runner {

// The first call that queued work on a stream of the function's own that neither the given stream nor the host has waited
// for since. None where that cannot be told: while a stream was captured, and for the default streams.
std::optional<ObservedCall> first_left_running(const std::vector<ObservedCall>& calls,
                                               uint64_t given_stream);

}  // namespace ridge::runner

// What a function that does all host work itself has done wrong, by the calls that it made: results
// that are copied or used before they are ready, and memory that is not freed.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/runner/child/calls/observed_calls.h"

namespace ridge::runner {

struct HostBuffers {
  std::function<bool(uint64_t address)> is_output;  // in an array that the function is to fill
  // Copies to page-locked arrays go on after cudaMemcpyAsync has returned; to others they do not.
  bool page_locked = false;
};

struct LeftMemory {
  size_t blocks = 0;
  uint64_t bytes = 0;
};

// What the calls allocated and did not free. Memory of an earlier call that they freed makes up for
// as much of it: a larger buffer in place of a smaller one leaves nothing more.
LeftMemory left_allocated(const std::vector<ObservedCall>& calls);

// {"ahead", "launched", "left", "waits", "copied_back", "unfreed", "unfreed_bytes", "warmed_up",
// "spans"}.
// ahead: the first call that copied to an output though no kernel was ordered before it, or "";
// launched: whether there was a kernel then. left: the call whose work was still under way at the
// end, or ""; waits: whether any call had waited. copied_back: whether a copy to an output was made.
// warmed_up: whether the first launch was followed by an event or a wait, and then by another
// launch. spans: [ms, launches] of each result of cudaEventElapsedTime: the launches between the
// records of its two events, if there are any.
nlohmann::json host_facts(const std::vector<ObservedCall>& calls, const HostBuffers& buffers);

}  // namespace ridge::runner

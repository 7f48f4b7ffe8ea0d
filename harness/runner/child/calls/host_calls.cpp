#include "harness/runner/child/calls/host_calls.h"

#include <map>

#include "harness/runner/child/calls/stream_order.h"

namespace ridge::runner {

namespace {

// The first launch of a function is apart from the others when an event or a wait follows it.
bool is_warmed_up(const std::vector<ObservedCall>& calls) {
  bool launched = false, apart = false;
  for (const ObservedCall& call : calls) {
    if (call.code != cudaSuccess) continue;
    const bool is_launch = launches(call.name);
    if (is_launch && apart) return true;
    launched |= is_launch;
    apart |= launched && (call.name.starts_with("cudaEventRecord") || waits(call.name));
  }
  return false;
}

// Milliseconds and launches between two events, for each pair whose time was asked for.
std::vector<std::pair<double, int>> event_spans(const std::vector<ObservedCall>& calls) {
  std::map<uint64_t, int> launched_before;  // by event: launches ahead of its latest record
  std::vector<std::pair<double, int>> spans;
  int launched = 0;
  for (const ObservedCall& call : calls) {
    if (call.code != cudaSuccess) continue;
    launched += launches(call.name) ? 1 : 0;
    if (call.name.starts_with("cudaEventRecord")) launched_before[call.pointer] = launched;
    if (call.name != "cudaEventElapsedTime") continue;
    const int between = launched_before[call.pointer] - launched_before[call.bytes];
    if (between > 0) spans.emplace_back(call.ms, between);
  }
  return spans;
}

struct Memory : LeftMemory {
  size_t freed_of_earlier = 0;  // blocks
};

Memory not_freed(const std::vector<ObservedCall>& calls) {
  std::map<uint64_t, uint64_t> held;  // bytes by address
  size_t freed_of_earlier = 0;
  for (const ObservedCall& call : calls) {
    // After an error of the device a call to free is refused, too; the function has made it.
    if (frees(call) && call.code != cudaErrorInvalidValue && held.erase(call.pointer) == 0 &&
        call.pointer != 0)
      ++freed_of_earlier;
    if (allocates(call) && call.code == cudaSuccess && call.pointer != 0)
      held[call.pointer] = call.bytes;
  }
  Memory memory{{held.size(), 0}, freed_of_earlier};
  for (const auto& [address, bytes] : held)
    memory.bytes += bytes;
  return memory;
}

}  // namespace

LeftMemory left_allocated(const std::vector<ObservedCall>& calls) {
  const Memory memory = not_freed(calls);
  return memory.blocks > memory.freed_of_earlier ? LeftMemory{memory.blocks, memory.bytes}
                                                 : LeftMemory{};
}

nlohmann::json host_facts(const std::vector<ObservedCall>& calls, const HostBuffers& buffers) {
  StreamOrder order;
  std::string ahead;
  bool launched = false, waited = false, copied_back = false;
  for (const ObservedCall& call : calls) {
    const bool is_back = copies(call) && call.code == cudaSuccess && call.bytes > 0 &&
                         buffers.is_output(call.pointer);
    if (is_back && ahead.empty() && !order.is_behind_a_launch(call.stream)) {
      ahead = call.name;
      launched = order.has_launched();
    }
    copied_back |= is_back;
    waited |= waits(call.name);
    // The host need not wait for cudaFreeAsync: the stream frees the memory after its work.
    if (call.name != "cudaFreeAsync") order.follow(call);
    if (is_back && call.name.ends_with("Async") && !buffers.page_locked)
      order.let_host_wait_for(call.stream);
  }
  const auto left = order.not_awaited();
  const Memory memory = not_freed(calls);
  return {{"ahead", ahead},
          {"launched", launched},
          {"left", left ? std::string(left->name) : std::string()},
          {"waits", waited},
          {"copied_back", copied_back},
          {"unfreed", memory.blocks},
          {"unfreed_bytes", memory.bytes},
          {"warmed_up", is_warmed_up(calls)},
          {"spans", event_spans(calls)}};
}

}  // namespace ridge::runner

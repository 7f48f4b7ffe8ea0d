// Counts the host's calls of the runtime between cudaProfilerStart and Stop, by kind: the causes of
// launch overhead.
#pragma once

#include <atomic>
#include <cstdint>

namespace ridge::runtime {

struct RuntimeCalls {
  // All calls that touch the device; the kinds below are included.
  std::atomic<uint64_t> all{0};
  std::atomic<uint64_t> launches{0};          // of a kernel, into a stream or into a capture
  std::atomic<uint64_t> synchronizations{0};  // calls that wait for work of the device
  std::atomic<uint64_t> allocations{0};       // of device or page-locked memory
  std::atomic<uint64_t> graph_launches{0}, graph_instantiations{0};

  void clear() {
    all = launches = synchronizations = allocations = graph_launches = graph_instantiations = 0;
  }
};

RuntimeCalls& runtime_calls();

// Wraps a call's work: counts the call unless it was made inside another call of this thread.
class CountedCall {
 public:
  CountedCall();
  ~CountedCall();
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;
};

}  // namespace ridge::runtime

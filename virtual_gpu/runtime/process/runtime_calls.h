// How often the host calls the runtime between cudaProfilerStart and Stop, and what for: what launch overhead is made
// of.
#pragma once

#include <atomic>
#include <cstdint>

namespace ridge::runtime {

struct RuntimeCalls {
  // Calls that touch the device, all of them; those below are kinds of it.
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

// Around a call's work: counts the call unless another call of this thread makes it.
class CountedCall {
 public:
  CountedCall();
  ~CountedCall();
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;
};

}  // namespace ridge::runtime

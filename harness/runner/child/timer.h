// Times one call with a pair of events and with the host's clock.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

struct CallTime {
  double device_ms = 0, host_ms = 0;
};

// Rates of the device, measured in the same run as the student's kernel.
struct Roofs {
  double copy_gb_per_s = 0;  // a large device-to-device copy, bytes read and written
  double read_gb_per_s = 0;  // a kernel that only reads
  double launch_ms = 0;      // an empty kernel, timed like every call
  double fp32_tflops = 0;    // float32 multiply-adds
};

// An input of a call that is copied to its place late, on one device.
struct LateInput {
  int device = 0;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  int64_t bytes = 0;
};

class Timer {
 public:
  Timer() = default;
  explicit Timer(cudaStream_t stream);
  // Times work on several devices: stream i belongs to device i. The time is from the start of the
  // first stream's work to the end of the last one's.
  explicit Timer(const std::vector<cudaStream_t>& streams);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(Timer&& other) noexcept;
  // Opens the compiled module "timing", which is required for gated calls and for roofs.
  void use_module(const std::string& path);

  // `call` enqueues work on the stream. The device is synchronised before the stop event is read.
  // Gated: a kernel that occupies every thread slot for 20 us runs first, so that the events and
  // the work are all in the queue before the first event is reached. The time then excludes the
  // host's pace (1.5 us of 130, and variable). `queued`: `call` queues the work of so many calls, one
  // by one.
  CallTime time(const std::function<void()>& call, bool gated, int queued = 1) const;
  // Queues a copy of a call's inputs to their places, for the stream of each device, that ends some
  // microseconds later, at the same time on all devices. `arrivals`: a zeroed word that all devices
  // can access. A kernel that does not wait for what is before it in its stream begins earlier.
  bool can_write_late() const { return write_late_ != nullptr; }
  void write_late(const std::vector<LateInput>& inputs, unsigned* arrivals) const;
  Roofs roofs() const;

 private:
  using Gate = int(int multiprocessors, int threads_per_multiprocessor, unsigned long long ns, cudaStream_t);
  using EmptyLaunch = int(cudaStream_t);
  using Read = int(int multiprocessors, const void* from, long long bytes, unsigned* out, cudaStream_t);
  using WriteLate = int(int inputs, const void* const* from, void* const* to, const long long* bytes,
                        unsigned* arrivals, int devices, unsigned long long ns, cudaStream_t);
  using MultiplyAdds = int(int multiprocessors, float*, double* operations, cudaStream_t);

  // The stream of another device, and the event that marks the end of its work.
  struct Other {
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;
  };
  void begin_others() const;
  cudaError_t join_others() const;

  double median_ms(int calls, const std::function<void(int call)>& work) const;

  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  std::vector<Other> others_;
  int multiprocessors_ = 0, threads_ = 0;
  Gate* gate_ = nullptr;
  EmptyLaunch* empty_launch_ = nullptr;
  Read* read_ = nullptr;
  MultiplyAdds* multiply_adds_ = nullptr;
  WriteLate* write_late_ = nullptr;
};

}  // namespace ridge::runner

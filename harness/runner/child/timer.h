// One call with an event pair around it and the host's clock beside it.
#pragma once

#include <functional>
#include <string>

#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

struct CallTime {
  double device_ms = 0, host_ms = 0;
};

// What the device can do, measured beside the student's kernel.
struct Roofs {
  double copy_gb_per_s = 0;  // a large device-to-device copy, bytes read and written
  double read_gb_per_s = 0;  // a kernel that only reads
  double launch_ms = 0;      // an empty kernel, timed as every call is
  double fp32_tflops = 0;    // float32 multiply-adds
};

class Timer {
 public:
  Timer() = default;
  explicit Timer(cudaStream_t stream);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(Timer&& other) noexcept;
  // The compiled module "timing": with it, calls can be gated and roofs measured.
  void use_module(const std::string& path);

  // `call` queues work on the stream. The device is synchronised before the stop event is read. Gated: a
  // kernel that holds every thread slot for 20 us goes first, so that the events and the work are all queued
  // when the first of them is reached, and the host's pace is not in the time (it is worth 1.5 us of 130, and
  // varies).
  CallTime time(const std::function<void()>& call, bool gated) const;
  Roofs roofs() const;

 private:
  using Gate = int(int multiprocessors, int threads_per_multiprocessor, unsigned long long ns, cudaStream_t);
  using EmptyLaunch = int(cudaStream_t);
  using Read = int(int multiprocessors, const void* from, long long bytes, unsigned* out, cudaStream_t);
  using MultiplyAdds = int(int multiprocessors, float*, double* operations, cudaStream_t);

  double median_ms(int calls, const std::function<void(int call)>& work) const;

  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  int multiprocessors_ = 0, threads_ = 0;
  Gate* gate_ = nullptr;
  EmptyLaunch* empty_launch_ = nullptr;
  Read* read_ = nullptr;
  MultiplyAdds* multiply_adds_ = nullptr;
};

}  // namespace ridge::runner

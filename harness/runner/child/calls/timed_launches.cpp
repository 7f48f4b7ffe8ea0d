#include "harness/runner/child/calls/timed_launches.h"

#include <cuda_runtime_api.h>

#include <atomic>

#include "harness/runner/child/calls/observed_calls.h"
#include "harness/runner/child/device_error.h"

namespace ridge::runner {

namespace {

// More launches than this come from a loop; the first ones are enough.
constexpr size_t kMostTimed = 1000;

struct Span {
  cudaEvent_t start = nullptr, stop = nullptr;
};

std::atomic<bool> timing{false};
std::vector<Span>& spans() {
  static std::vector<Span> all;
  return all;
}

cudaEvent_t record(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "making an event");
  check(cudaEventRecord(event, stream), "recording an event");
  return event;
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

}  // namespace

TimedLaunches::TimedLaunches() {
  timing = true;
}

TimedLaunches::~TimedLaunches() {
  timing = false;
  for (const Span& span : spans())
    for (cudaEvent_t event : {span.start, span.stop})
      if (event != nullptr) cudaEventDestroy(event);
  spans().clear();
}

std::vector<double> TimedLaunches::milliseconds() const {
  std::vector<double> times;
  for (const Span& span : spans()) {
    float ms = 0;
    if (span.stop != nullptr)
      check(cudaEventElapsedTime(&ms, span.start, span.stop), "reading the events", "run");
    times.push_back(static_cast<double>(ms));
  }
  return times;
}

LaunchTimer::LaunchTimer(std::string_view call, uint64_t stream) : stream_(stream) {
  const auto handle = reinterpret_cast<cudaStream_t>(stream_);
  if (!timing || !launches(call) || spans().size() >= kMostTimed) return;
  const Unobserved unobserved;
  if (is_captured(handle)) return;
  spans().push_back({record(handle), nullptr});
  is_on_ = true;
}

LaunchTimer::~LaunchTimer() {
  if (!is_on_) return;
  const Unobserved unobserved;
  try {
    spans().back().stop = record(reinterpret_cast<cudaStream_t>(stream_));
  } catch (const DeviceError&) {
    // The launch has failed; its own error is reported.
  }
}

}  // namespace ridge::runner

#include "harness/runner/child/calls/stream_order.h"

#include <algorithm>
#include <array>
#include <map>

namespace ridge::runner {

namespace {

// For each stream, the amount of its work that is complete for the owner of the clock.
using Clock = std::map<uint64_t, size_t>;

void join(Clock& clock, const Clock& other) {
  for (const auto& [stream, count] : other)
    clock[stream] = std::max(clock[stream], count);
}

constexpr std::array<std::string_view, 8> kQueueing = {
    "cudaLaunchKernel", "__cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel",
    "cudaMemcpyAsync",  "cudaMemsetAsync",    "cudaGraphLaunch",     "cudaFreeAsync"};
// The host waits for the whole device or, in a blocking copy, for every stream that the default
// stream waits for. Which streams these are is not examined, so that no correct code is rejected.
constexpr std::array<std::string_view, 4> kWaiting = {"cudaDeviceSynchronize", "cudaFree",
                                                      "cudaFreeHost", "cudaMemcpy"};
// The default streams: null, cudaStreamLegacy, cudaStreamPerThread.
constexpr uint64_t kLastDefaultStream = 2;

class StreamOrder {
 public:
  void follow(const ObservedCall& call) {
    if (call.code != cudaSuccess) return;
    if (call.name == "cudaStreamBeginCapture") ++captures_;
    if (call.name == "cudaStreamEndCapture") --captures_;
    if (captures_ > 0) return;
    if (std::find(kQueueing.begin(), kQueueing.end(), call.name) != kQueueing.end()) {
      Clock& clock = streams_[call.stream];
      join(clock, host_);
      clock[call.stream] = ++work_[call.stream];
      newest_[call.stream] = call;
    } else if (call.name == "cudaEventRecord" || call.name == "cudaEventRecordWithFlags") {
      events_[call.pointer] = streams_[call.stream];
    } else if (call.name == "cudaStreamWaitEvent") {
      join(streams_[call.stream], events_[call.pointer]);
    } else if (call.name == "cudaStreamSynchronize" || call.name == "cudaStreamQuery") {
      join(host_, streams_[call.stream]);
    } else if (call.name == "cudaEventSynchronize" || call.name == "cudaEventQuery") {
      join(host_, events_[call.pointer]);
    } else if (std::find(kWaiting.begin(), kWaiting.end(), call.name) != kWaiting.end()) {
      for (const auto& [stream, clock] : streams_)
        join(host_, clock);
    }
  }

  std::optional<ObservedCall> left_running(uint64_t given) {
    const Clock& joined = streams_[given];
    for (const auto& [stream, count] : work_) {
      if (stream == given || stream <= kLastDefaultStream) continue;
      const auto by_stream = joined.find(stream);
      const auto by_host = host_.find(stream);
      const size_t over = std::max(by_stream == joined.end() ? 0 : by_stream->second,
                                   by_host == host_.end() ? 0 : by_host->second);
      if (over < count) return newest_[stream];
    }
    return std::nullopt;
  }

 private:
  std::map<uint64_t, Clock> streams_, events_;
  std::map<uint64_t, size_t> work_;
  std::map<uint64_t, ObservedCall> newest_;
  Clock host_;
  int captures_ = 0;
};

}  // namespace

std::optional<ObservedCall> first_left_running(const std::vector<ObservedCall>& calls,
                                               uint64_t given_stream) {
  StreamOrder order;
  for (const ObservedCall& call : calls)
    order.follow(call);
  return order.left_running(given_stream);
}

}  // namespace ridge::runner

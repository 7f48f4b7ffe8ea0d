#include "harness/runner/child/calls/stream_order.h"

#include <algorithm>
#include <iterator>

namespace ridge::runner {

namespace {

// Besides launches.
constexpr std::string_view kQueueing[] = {"cudaLaunchHostFunc",        "cudaStreamAddCallback",
                                          "cudaMemcpyAsync",           "cudaMemcpy2DAsync",
                                          "cudaMemcpy2DToArrayAsync",  "cudaMemcpy2DFromArrayAsync",
                                          "cudaMemcpy3DAsync",         "cudaMemcpyPeerAsync",
                                          "cudaMemcpy3DPeerAsync",     "cudaMemcpyToSymbolAsync",
                                          "cudaMemcpyFromSymbolAsync", "cudaMemPrefetchAsync",
                                          "cudaMemsetAsync",           "cudaMemset2DAsync",
                                          "cudaMemset3DAsync",         "cudaFreeAsync",
                                          "cudaMemset"};
// The default streams: null, cudaStreamLegacy, cudaStreamPerThread.
constexpr uint64_t kLegacyStream = 1, kLastDefaultStream = 2;

bool queues(std::string_view call) {
  return launches(call) ||
         std::find(std::begin(kQueueing), std::end(kQueueing), call) != std::end(kQueueing);
}

bool is_legacy(uint64_t stream) {
  return stream <= kLegacyStream;
}

// A kernel's launch on a default stream has a finding of its own, which names the kernel.
bool launches_one_kernel(std::string_view call) {
  return launches(call) && call != "cudaGraphLaunch";
}

}  // namespace

bool is_default_stream(uint64_t stream) {
  return stream <= kLastDefaultStream;
}

void StreamOrder::join(Clock& clock, const Clock& other) {
  for (const auto& [stream, count] : other)
    clock[stream] = std::max(clock[stream], count);
}

void StreamOrder::queue(const ObservedCall& call) {
  Clock& clock = streams_[call.stream];
  join(clock, host_);
  for (const auto& [stream, other] : streams_)
    if ((is_legacy(stream) && !apart_.contains(call.stream)) ||
        (is_legacy(call.stream) && !apart_.contains(stream)))
      join(clock, Clock(other));
  clock[call.stream] = ++work_[call.stream];
  newest_[call.stream] = call;
  if (!is_default_stream(call.stream) || !launches_one_kernel(call.name))
    judged_[call.stream] = {work_[call.stream], call};
  if (launches(call.name)) first_launch_.emplace(call.stream, work_[call.stream]);
}

void StreamOrder::follow(const ObservedCall& call) {
  if (call.code != cudaSuccess) return;
  if (call.name == "cudaStreamBeginCapture") ++captures_;
  if (call.name == "cudaStreamEndCapture") --captures_;
  if (captures_ > 0) return;
  if (call.name == "cudaStreamCreateWithFlags" && call.bytes == cudaStreamNonBlocking) {
    keep_apart(call.pointer);
  } else if (queues(call.name)) {
    queue(call);
  } else if (call.name == "cudaEventRecord" || call.name == "cudaEventRecordWithFlags") {
    events_[call.pointer] = streams_[call.stream];
  } else if (call.name == "cudaStreamWaitEvent") {
    join(streams_[call.stream], events_[call.pointer]);
  } else if (call.name == "cudaStreamSynchronize" || call.name == "cudaStreamQuery") {
    let_host_wait_for(call.stream);
  } else if (call.name == "cudaEventSynchronize" || call.name == "cudaEventQuery") {
    join(host_, events_[call.pointer]);
  } else if (waits_for_device(call.name)) {
    for (const auto& [stream, clock] : streams_)
      join(host_, clock);
  }
}

void StreamOrder::let_host_wait_for(uint64_t stream) {
  join(host_, streams_[stream]);
}

bool StreamOrder::is_behind_a_launch(uint64_t stream) const {
  const auto own = streams_.find(stream);
  for (const auto& [launched_on, first] : first_launch_) {
    if (launched_on == stream) return true;
    if (is_legacy(stream) && !apart_.contains(launched_on)) return true;
    if (is_legacy(launched_on) && !apart_.contains(stream)) return true;
    for (const Clock* clock : {own == streams_.end() ? nullptr : &own->second, &host_}) {
      if (clock == nullptr) continue;
      if (const auto count = clock->find(launched_on); count != clock->end() && count->second >= first)
        return true;
    }
  }
  return false;
}

std::optional<ObservedCall> StreamOrder::left_running(const std::vector<uint64_t>& given) const {
  std::vector<const Clock*> joined = {&host_};
  for (const uint64_t stream : given)
    if (const auto found = streams_.find(stream); found != streams_.end()) joined.push_back(&found->second);
  for (const auto& [stream, newest] : judged_) {
    if (std::find(given.begin(), given.end(), stream) != given.end()) continue;
    size_t over = 0;
    for (const Clock* clock : joined)
      if (const auto found = clock->find(stream); found != clock->end()) over = std::max(over, found->second);
    if (over < newest.first) return newest.second;
  }
  return std::nullopt;
}

std::optional<ObservedCall> StreamOrder::not_awaited() const {
  for (const auto& [stream, count] : work_) {
    const auto over = host_.find(stream);
    if (over == host_.end() || over->second < count) return newest_.at(stream);
  }
  return std::nullopt;
}

std::optional<ObservedCall> first_left_running(const std::vector<ObservedCall>& calls,
                                               const std::vector<cudaStream_t>& given) {
  StreamOrder order;
  std::vector<uint64_t> streams;
  for (cudaStream_t stream : given)
    order.keep_apart(streams.emplace_back(reinterpret_cast<uint64_t>(stream)));
  for (const ObservedCall& call : calls)
    order.follow(call);
  return order.left_running(streams);
}

}  // namespace ridge::runner

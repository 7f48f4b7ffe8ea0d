#include "virtual_gpu/runtime/stream.h"

#include <algorithm>
#include <unordered_map>

#include "virtual_gpu/runtime/process.h"

namespace ridge::runtime {
namespace {

std::shared_ptr<Stream> per_thread_stream() {
  thread_local std::unordered_map<int, std::shared_ptr<Stream>> streams;
  std::shared_ptr<Stream>& stream = streams[current_device().ordinal];
  if (!stream) {
    stream = std::make_shared<Stream>();
    stream->device = current_device().ordinal;
    stream->id = process().next_id();
  }
  return stream;
}

// Work on the legacy default stream would have to wait for streams that are being captured: NVIDIA's runtime
// refuses it and breaks the capture.
bool breaks_a_capture(const Stream& stream) {
  if (!stream.is_legacy) return false;
  bool broke = false;
  for (const auto& other : process().streams.all()) {
    if (other->capture && other->device == stream.device && !(other->flags & cudaStreamNonBlocking)) {
      other->capture->broken = true;
      broke = true;
    }
  }
  return broke;
}

}  // namespace

std::shared_ptr<Stream> find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return current_device().default_stream;
  if (handle == cudaStreamPerThread) return per_thread_stream();
  return process().streams.find(handle);
}

cudaError_t submit(cudaStream_t handle, GraphNode node) {
  std::shared_ptr<Stream> stream = find_stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  std::lock_guard order(stream->order);
  if (!stream->capture) {
    if (breaks_a_capture(*stream)) return cudaErrorStreamCaptureImplicit;
    return node.work ? node.work() : cudaSuccess;
  }
  Capture& capture = *stream->capture;
  if (capture.broken) return cudaErrorStreamCaptureInvalidated;
  std::vector<GraphNode*>& tail = capture.tails[stream.get()];
  node.depends_on = tail;
  tail = {capture.graph->add(std::move(node))};
  return cudaSuccess;
}

cudaError_t require_not_capturing(cudaStream_t handle) {
  std::shared_ptr<Stream> stream = find_stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (breaks_a_capture(*stream)) return cudaErrorStreamCaptureImplicit;
  if (!stream->capture) return cudaSuccess;
  stream->capture->broken = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t record_event(Event& event, Stream& stream) {
  if (event.device != stream.device) return cudaErrorInvalidResourceHandle;
  std::lock_guard order(stream.order);
  if (stream.capture) {
    event.capture = stream.capture;
    event.captured_work = stream.capture->tails[&stream];
    return cudaSuccess;
  }
  event.capture.reset();
  event.captured_work.clear();
  event.was_recorded = true;
  event.time = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t wait_for_event(Stream& stream, Event& event) {
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture) {
    // Waiting for uncaptured work is refused inside a capture; outside, the work is already done.
    if (stream.capture && event.was_recorded) {
      stream.capture->broken = true;
      return cudaErrorStreamCaptureIsolation;
    }
    return cudaSuccess;
  }
  if (stream.is_legacy) return cudaErrorStreamCaptureImplicit;
  if (stream.capture && stream.capture != capture) {
    stream.capture->broken = capture->broken = true;
    return cudaErrorStreamCaptureMerge;
  }
  stream.capture = capture;
  std::vector<GraphNode*>& tail = capture->tails[&stream];
  for (GraphNode* node : event.captured_work) {
    if (std::find(tail.begin(), tail.end(), node) == tail.end()) tail.push_back(node);
  }
  return cudaSuccess;
}

}  // namespace ridge::runtime

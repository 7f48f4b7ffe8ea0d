#include "virtual_gpu/runtime/work/stream.h"

#include <algorithm>
#include <thread>
#include <unordered_map>

#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/work/launch_link.h"

namespace {

thread_local bool per_thread_call = false;

}  // namespace

// Called by the stubs that CMake generates for the _ptsz and _ptds names.
extern "C" __attribute__((visibility("hidden"))) void ridge_mark_per_thread_call();
void ridge_mark_per_thread_call() {
  per_thread_call = true;
}

namespace ridge::runtime {
namespace {

std::shared_ptr<Stream> per_thread_stream() {
  thread_local std::unordered_map<int, std::shared_ptr<Stream>> streams;
  std::shared_ptr<Stream>& stream = streams[current_device().ordinal];
  if (!stream) {
    stream = std::make_shared<Stream>(current_device().ordinal, cudaStreamDefault);
    stream->id = process().next_id();
  }
  return stream;
}

// Work on the legacy default stream would have to wait for capturing streams: NVIDIA's runtime
// refuses it and invalidates the capture.
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

// The work of a node as a task; its error is stored for the next synchronisation.
std::function<void()> task_of(Work work, int ordinal) {
  if (!work) return {};
  return [work = std::move(work), ordinal] {
    Device& device = *process().devices[static_cast<size_t>(ordinal)];
    cudaError_t error = cudaSuccess;
    try {
      error = work();
    } catch (const std::exception& thrown) {
      print_fault(thrown.what());
      error = cudaErrorUnknown;
    }
    if (error != cudaSuccess) device.unreported_error = error;
  };
}

constexpr auto kPollInterval = std::chrono::microseconds(50);

void await(const EventCounts& counts, uint64_t wanted) {
  while (counts.done < wanted && !is_ending())
    std::this_thread::sleep_for(kPollInterval);
}

}  // namespace

bool Event::is_done() const {
  process().work.poll(task);
  return (!task || task->done) && (!counts || counts->done >= counts->recorded);
}

void Event::wait() const {
  process().work.wait(task);
  if (counts) await(*counts, counts->recorded);
}

bool null_stream_is_per_thread() {
  return per_thread_call;
}
void clear_per_thread_call() {
  per_thread_call = false;
}

Stream::Stream(int device_ordinal, unsigned stream_flags, int stream_priority, bool legacy)
    : device(device_ordinal),
      flags(stream_flags),
      priority(stream_priority),
      is_legacy(legacy),
      queue(std::make_shared<WorkQueue>()) {
  queue->device = device;
  queue->priority = priority;
  queue->is_legacy = legacy;
  queue->is_blocking = !(flags & cudaStreamNonBlocking);
}

std::shared_ptr<Stream> find_stream(cudaStream_t handle) {
  if (handle == nullptr && null_stream_is_per_thread()) return per_thread_stream();
  if (handle == nullptr || handle == cudaStreamLegacy) return current_device().default_stream;
  if (handle == cudaStreamPerThread) return per_thread_stream();
  return process().streams.find(handle);
}

cudaError_t submit(cudaStream_t handle, GraphNode node, TaskRef* task) {
  std::shared_ptr<Stream> stream = find_stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  std::lock_guard order(stream->order);
  stream->last_launch.reset();  // launch() sets it again
  if (!stream->capture) {
    if (breaks_a_capture(*stream)) return cudaErrorStreamCaptureImplicit;
    TaskRef made =
        process().work.add(stream->queue, task_of(std::move(node.work), stream->device), node.task_executor);
    if (process().settings.launches_block) process().work.wait(made);
    if (task) *task = std::move(made);
    return cudaSuccess;
  }
  Capture& capture = *stream->capture;
  if (capture.broken) return cudaErrorStreamCaptureInvalidated;
  std::vector<GraphNode*>& tail = capture.tails[stream.get()];
  node.depends_on = tail;
  tail = {capture.graph->add(std::move(node))};
  return cudaSuccess;
}

cudaError_t synchronized(int ordinal) {
  Device& device = *process().devices[static_cast<size_t>(ordinal)];
  device.prints.flush();
  if (device.fault != cudaSuccess) {
    return device.fault;
  }
  return device.unreported_error.exchange(cudaSuccess);
}

cudaError_t require_not_capturing(cudaStream_t handle) {
  std::shared_ptr<Stream> stream = find_stream(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (breaks_a_capture(*stream)) return cudaErrorStreamCaptureImplicit;
  if (!stream->capture) return cudaSuccess;
  stream->capture->broken = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t require_no_capture() {
  bool broke = false;
  for (const auto& stream : process().streams.all()) {
    if (!stream->capture) continue;
    Capture& capture = *stream->capture;
    const bool forbids =
        capture.mode == cudaStreamCaptureModeGlobal ||
        (capture.mode == cudaStreamCaptureModeThreadLocal && capture.thread == std::this_thread::get_id());
    if (!forbids) continue;
    capture.broken = true;
    broke = true;
  }
  return broke ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t record_event(Event& event, Stream& stream) {
  if (event.device != stream.device) return cudaErrorInvalidResourceHandle;
  std::lock_guard order(stream.order);
  stream.last_launch.reset();
  if (stream.capture) {
    event.capture = stream.capture;
    event.captured_work = stream.capture->tails[&stream];
    return cudaSuccess;
  }
  event.capture.reset();
  event.captured_work.clear();
  event.was_recorded = true;
  event.stamp = std::make_shared<Stamp>();
  EventCounts* counts = event.counts;
  const uint64_t number = counts ? ++counts->recorded : 0;
  event.task = process().work.add(
      stream.queue,
      [stamp = event.stamp, counts, number] {
        stamp->time = std::chrono::steady_clock::now();
        if (counts) counts->done = number;
      },
      TaskExecutor::submitter);
  return cudaSuccess;
}

cudaError_t wait_for_event(Stream& stream, Event& event) {
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture) {
    // A capture may not wait for uncaptured work.
    if (stream.capture && event.was_recorded) {
      stream.capture->broken = true;
      return cudaErrorStreamCaptureIsolation;
    }
    if (event.task && (!event.task->done || process().work.follows_order()))
      process().work.add(stream.queue, {}, TaskExecutor::submitter, {event.task});
    // A helper polls for the record of another process.
    if (event.counts && event.counts->done < event.counts->recorded) {
      process().work.add(
          stream.queue,
          [counts = event.counts, wanted = event.counts->recorded.load()] { await(*counts, wanted); },
          TaskExecutor::helper);
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

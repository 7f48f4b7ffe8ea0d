// Events. Times are those of the host when the record was executed: how long a launch takes here
// says nothing about a GPU.
#include <memory>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

template <typename Use>
cudaError_t with_event(cudaEvent_t handle, Use use) {
  return call([&] {
    std::shared_ptr<Event> event = process().events.find(handle);
    return event ? use(*event) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t require_not_captured(const Event& event) {
  std::shared_ptr<Capture> capture = event.capture.lock();
  if (!capture) return cudaSuccess;
  capture->broken = true;
  return cudaErrorCapturedEvent;
}

}  // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&] {
    constexpr unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || (flags & ~known)) return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
    auto made = std::make_shared<Event>();
    made->device = current_device().ordinal;
    made->flags = flags;
    *event = reinterpret_cast<cudaEvent_t>(process().events.add(std::move(made)));
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&] { return process().events.remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return with_event(event, [&](Event& own) {
    std::shared_ptr<Stream> target = find_stream(stream);
    return target ? record_event(own, *target) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_event(event, [](Event& own) {
    if (cudaError_t error = require_not_captured(own); error != cudaSuccess) return error;
    ++runtime_calls().synchronizations;
    own.wait();
    return synchronized(own.device);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_event(event, [](Event& own) {
    if (cudaError_t error = require_not_captured(own); error != cudaSuccess) return error;
    return own.is_done() ? synchronized(own.device) : cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return with_event(start, [&](Event& first) {
    std::shared_ptr<Event> last = process().events.find(end);
    if (!milliseconds) return cudaErrorInvalidValue;
    if (!last || !first.was_recorded || !last->was_recorded || first.device != last->device ||
        ((first.flags | last->flags) & cudaEventDisableTiming)) {
      return cudaErrorInvalidResourceHandle;
    }
    if (!first.task->done || !last->task->done) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(last->stamp->time - first.stamp->time).count();
    return cudaSuccess;
  });
}

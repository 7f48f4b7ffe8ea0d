// Streams, host functions in streams, and waiting.
#include <algorithm>
#include <memory>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

// Lower numbers have higher priority.
constexpr int kLeastPriority = 0, kGreatestPriority = -5;

cudaError_t create_stream(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&] {
    if (!stream || (flags & ~cudaStreamNonBlocking)) return cudaErrorInvalidValue;
    auto made = std::make_shared<Stream>(current_device().ordinal, flags,
                                         std::max(kGreatestPriority, std::min(kLeastPriority, priority)));
    made->id = process().next_id();
    current_device().was_used = true;
    *stream = reinterpret_cast<cudaStream_t>(process().streams.add(std::move(made)));
    return cudaSuccess;
  });
}

// A stream that has joined a capture may be destroyed: its work stays in the graph and must be
// joined with the origin as before. Without its origin a capture cannot end.
void leave_capture(const std::shared_ptr<Stream>& stream) {
  Capture& capture = *stream->capture;
  if (capture.origin == stream.get())
    capture.broken = true;
  else
    capture.destroyed.push_back(stream);
  stream->capture.reset();
}

template <typename Use>
cudaError_t with_stream(cudaStream_t handle, Use use) {
  return call([&] {
    std::shared_ptr<Stream> stream = find_stream(handle);
    return stream ? use(*stream) : cudaErrorInvalidResourceHandle;
  });
}

template <typename T, typename Get>
cudaError_t get_from_stream(cudaStream_t handle, T* result, Get get) {
  return with_stream(handle, [&](Stream& stream) {
    if (!result) return cudaErrorInvalidValue;
    *result = get(stream);
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&] {
    if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
      return cudaErrorInvalidResourceHandle;
    }
    if (auto own = process().streams.find(stream); own && own->capture) leave_capture(own);
    return process().streams.remove(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream(stream, [&](Stream& own) {
    if (cudaError_t error = require_not_capturing(stream); error != cudaSuccess) return error;
    ++runtime_calls().synchronizations;
    process().work.wait(own.queue);
    return synchronized(own.device);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_stream(stream, [&](Stream& own) {
    if (cudaError_t error = require_not_capturing(stream); error != cudaSuccess) return error;
    return process().work.is_idle(own.queue, true) ? synchronized(own.device) : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return with_stream(stream, [&](Stream& own) {
    std::shared_ptr<Event> found = process().events.find(event);
    return found ? wait_for_event(own, *found) : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return get_from_stream(stream, priority, [](const Stream& own) { return own.priority; });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return get_from_stream(stream, flags, [](const Stream& own) { return own.flags; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return get_from_stream(stream, id,
                         [](const Stream& own) { return static_cast<unsigned long long>(own.id); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return get_from_stream(stream, device, [](const Stream& own) { return own.device; });
}

// Attributes affect caches and synchronisation domains, which change no result.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return with_stream(stream, [&](Stream& own) {
    if (!value) return cudaErrorInvalidValue;
    own.attributes[attribute] = *value;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return with_stream(stream, [&](Stream& own) {
    if (!value) return cudaErrorInvalidValue;
    *value = {};
    if (const auto known = own.attributes.find(attribute); known != own.attributes.end()) *value = known->second;
    if (attribute == cudaLaunchAttributePriority) value->priority = own.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t destination, cudaStream_t source) {
  return call([&] {
    std::shared_ptr<Stream> to = find_stream(destination), from = find_stream(source);
    if (!to || !from) return cudaErrorInvalidResourceHandle;
    to->attributes = from->attributes;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call([&] {
    if (!function) return cudaErrorInvalidValue;
    GraphNode node;
    node.type = cudaGraphNodeTypeHost;
    node.host = cudaHostNodeParams{function, data};
    node.task_executor = TaskExecutor::helper;
    std::shared_ptr<Stream> own = find_stream(stream);
    if (!own) return cudaErrorInvalidResourceHandle;
    // After a fault host functions are not called, since the work before them was not done.
    node.work = [=, &device = *process().devices[static_cast<size_t>(own->device)]] {
      if (!is_ending() && device.fault == cudaSuccess) run_host_function([=] { function(data); });
      return cudaSuccess;
    };
    return submit(stream, std::move(node));
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return call([&] {
    if (!callback || flags != 0) return cudaErrorInvalidValue;
    if (cudaError_t error = require_not_capturing(stream); error != cudaSuccess) return error;
    std::shared_ptr<Stream> own = find_stream(stream);
    GraphNode node;
    node.task_executor = TaskExecutor::helper;
    node.work = [=, &device = *process().devices[static_cast<size_t>(own->device)]] {
      device.prints.flush();
      if (!is_ending()) run_host_function([&] { callback(stream, device.fault, data); });
      return cudaSuccess;
    };
    return submit(stream, std::move(node));
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&] {
    if (least) *least = kLeastPriority;
    if (greatest) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return call([] { return cudaSuccess; });
}

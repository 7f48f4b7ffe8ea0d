// Streams, events, errors and profiling.
#include <cuda_profiler_api.h>

#include "virtual_gpu/runtime/libcuda/driver.h"

using namespace ridge::driver;

namespace {

cudaEvent_t event_of(CUevent event) {
  return reinterpret_cast<cudaEvent_t>(event);
}

}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return in_context([&] { return cudaStreamCreateWithFlags(reinterpret_cast<cudaStream_t*>(stream), flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return in_context(
      [&] { return cudaStreamCreateWithPriority(reinterpret_cast<cudaStream_t*>(stream), flags, priority); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return in_context([&] { return cudaStreamDestroy(stream_of(stream)); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return in_context([&] { return cudaStreamSynchronize(stream_of(stream)); });
}
CUresult cuStreamQuery(CUstream stream) {
  return in_context([&] { return cudaStreamQuery(stream_of(stream)); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return in_context([&] { return cudaStreamWaitEvent(stream_of(stream), event_of(event), flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return in_context([&] { return cudaStreamGetPriority(stream_of(stream), priority); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return in_context([&] { return cudaStreamGetFlags(stream_of(stream), flags); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  return in_context([&] {
    return cudaStreamAddCallback(stream_of(stream), reinterpret_cast<cudaStreamCallback_t>(callback), data, flags);
  });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return in_context([&] { return cudaLaunchHostFunc(stream_of(stream), function, data); });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return in_context([&] { return cudaEventCreateWithFlags(reinterpret_cast<cudaEvent_t*>(event), flags); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context([&] { return cudaEventRecord(event_of(event), stream_of(stream)); });
}
CUresult cuEventQuery(CUevent event) {
  return in_context([&] { return cudaEventQuery(event_of(event)); });
}
CUresult cuEventSynchronize(CUevent event) {
  return in_context([&] { return cudaEventSynchronize(event_of(event)); });
}
CUresult cuEventDestroy(CUevent event) {
  return in_context([&] { return cudaEventDestroy(event_of(event)); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return in_context([&] { return cudaEventElapsedTime(milliseconds, event_of(begin), event_of(end)); });
}

CUresult cuProfilerStart() {
  return in_context([] { return cudaProfilerStart(); });
}
CUresult cuProfilerStop() {
  return in_context([] { return cudaProfilerStop(); });
}

}  // extern "C"

// Shared by the files of libcuda.so.1, which implements NVIDIA's driver API with the functions of
// the runtime. Both use the same numbers for errors, attributes and limits, and their modules,
// functions, streams and events are interchangeable.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cudaProfiler.h>
#pragma GCC visibility pop
#include <cuda_runtime_api.h>

namespace ridge::driver {

inline CUresult result_of(cudaError_t error) {
  return static_cast<CUresult>(error);
}

// CUDA_SUCCESS when cuInit was called and the calling thread has a context, whose device is then
// made current.
CUresult usable();

// The frame of a function that requires a context.
template <class Body>
CUresult in_context(Body body) {
  const CUresult state = usable();
  return state == CUDA_SUCCESS ? result_of(body()) : state;
}

inline void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}
inline const void* kernel_of(CUfunction function) {
  return reinterpret_cast<const void*>(function);
}
inline cudaStream_t stream_of(CUstream stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}

// By the name without a version suffix; nullptr when it is unknown.
void* function_named(const char* name);

}  // namespace ridge::driver

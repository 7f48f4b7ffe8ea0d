// What the files of libcuda.so.1 share: NVIDIA's driver API by means of the runtime's functions. The two number
// their errors, attributes and limits alike, and a module, a function, a stream or an event of one is one of the
// other.
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

// CUDA_SUCCESS when cuInit was called and the calling thread has a context: its device is then current.
CUresult usable();

// The frame of a function that needs a context.
template <class Body>
CUresult in_context(Body body) {
  const CUresult state = usable();
  return state == CUDA_SUCCESS ? result_of(body()) : state;
}

inline void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}
inline cudaStream_t stream_of(CUstream stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}

// By the name without a version suffix; nullptr when there is none.
void* function_named(const char* name);

}  // namespace ridge::driver

// Functions with the names of the CUDA runtime, exported by the runner (observed_functions.list),
// so that the student's calls reach these first. Each finds the runtime's function, the next one in
// the loader's order.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "harness/runner/child/calls/observed_calls.h"

namespace {

using ridge::runner::note_call;

// The runtime's own function. It exists because the runner is linked with the runtime.
void* behind(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "ridge-runner: the CUDA runtime has no function %s\n", name);
    std::abort();
  }
  return found;
}

template <typename Pointer>
uint64_t number_of(Pointer pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

template <typename Pointer>
uint64_t made_at(Pointer* pointer, cudaError_t code) {
  return code == cudaSuccess && pointer != nullptr ? number_of(*pointer) : 0;
}

}  // namespace

// OBSERVED(NAME, (parameters), (arguments), pointer, bytes, stream): the last three may use the
// parameters and `code`.
#define OBSERVED(NAME, PARAMETERS, ARGUMENTS, POINTER, BYTES, STREAM)                          \
  extern "C" __attribute__((visibility("default"))) cudaError_t NAME PARAMETERS {              \
    static const auto own = reinterpret_cast<cudaError_t(*) PARAMETERS>(behind(#NAME));        \
    const cudaError_t code = own ARGUMENTS;                                                    \
    return note_call({#NAME, code, POINTER, static_cast<uint64_t>(BYTES), number_of(STREAM)}); \
  }

static constexpr cudaStream_t kNoStream = nullptr;

OBSERVED(cudaMalloc, (void** made, size_t bytes), (made, bytes), made_at(made, code), bytes,
         kNoStream)
OBSERVED(cudaMallocHost, (void** made, size_t bytes), (made, bytes), made_at(made, code), bytes,
         kNoStream)
OBSERVED(cudaHostAlloc, (void** made, size_t bytes, unsigned flags), (made, bytes, flags),
         made_at(made, code), bytes, kNoStream)
OBSERVED(cudaMallocManaged, (void** made, size_t bytes, unsigned flags), (made, bytes, flags),
         made_at(made, code), bytes, kNoStream)
OBSERVED(cudaMallocAsync, (void** made, size_t bytes, cudaStream_t stream), (made, bytes, stream),
         made_at(made, code), bytes, stream)
OBSERVED(cudaFree, (void* memory), (memory), number_of(memory), 0, kNoStream)
OBSERVED(cudaFreeHost, (void* memory), (memory), number_of(memory), 0, kNoStream)
OBSERVED(cudaFreeAsync, (void* memory, cudaStream_t stream), (memory, stream), number_of(memory), 0,
         stream)
OBSERVED(cudaMemcpy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind),
         (to, from, bytes, kind), number_of(to), bytes, kNoStream)
OBSERVED(cudaMemcpyAsync,
         (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
         (to, from, bytes, kind, stream), number_of(to), bytes, stream)
OBSERVED(cudaMemset, (void* to, int value, size_t bytes), (to, value, bytes), number_of(to), bytes,
         kNoStream)
OBSERVED(cudaMemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream),
         (to, value, bytes, stream), number_of(to), bytes, stream)
OBSERVED(cudaDeviceSynchronize, (), (), 0, 0, kNoStream)
OBSERVED(cudaStreamQuery, (cudaStream_t stream), (stream), 0, 0, stream)
OBSERVED(cudaEventQuery, (cudaEvent_t event), (event), number_of(event), 0, kNoStream)
OBSERVED(cudaStreamSynchronize, (cudaStream_t stream), (stream), 0, 0, stream)
OBSERVED(cudaStreamCreate, (cudaStream_t * made), (made), made_at(made, code), 0, kNoStream)
OBSERVED(cudaStreamCreateWithFlags, (cudaStream_t * made, unsigned flags), (made, flags),
         made_at(made, code), 0, kNoStream)
OBSERVED(cudaStreamDestroy, (cudaStream_t stream), (stream), 0, 0, stream)
OBSERVED(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
         (stream, event, flags), number_of(event), 0, stream)
OBSERVED(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream),
         number_of(event), 0, stream)
OBSERVED(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
         (event, stream, flags), number_of(event), 0, stream)
OBSERVED(cudaEventSynchronize, (cudaEvent_t event), (event), number_of(event), 0, kNoStream)
OBSERVED(cudaEventElapsedTime, (float* ms, cudaEvent_t start, cudaEvent_t end), (ms, start, end),
         number_of(end), 0, kNoStream)
OBSERVED(cudaLaunchKernel,
         (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
          cudaStream_t stream),
         (function, grid, block, arguments, shared_bytes, stream), number_of(function), 0, stream)
OBSERVED(__cudaLaunchKernel,
         (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
          cudaStream_t stream),
         (kernel, grid, block, arguments, shared_bytes, stream), number_of(kernel), 0, stream)
OBSERVED(cudaLaunchKernelExC,
         (const cudaLaunchConfig_t* config, const void* function, void** arguments),
         (config, function, arguments), number_of(function), 0,
         config == nullptr ? kNoStream : config->stream)
OBSERVED(cudaLaunchCooperativeKernel,
         (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
          cudaStream_t stream),
         (function, grid, block, arguments, shared_bytes, stream), number_of(function), 0, stream)
OBSERVED(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode),
         0, 0, stream)
OBSERVED(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* graph), (stream, graph),
         made_at(graph, code), 0, stream)
OBSERVED(cudaGraphInstantiate,
         (cudaGraphExec_t * made, cudaGraph_t graph, unsigned long long flags),
         (made, graph, flags), made_at(made, code), 0, kNoStream)
OBSERVED(cudaGraphExecKernelNodeSetParams,
         (cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* parameters),
         (exec, node, parameters), number_of(exec), 0, kNoStream)
OBSERVED(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream),
         number_of(exec), 0, stream)

// Functions with the names of the CUDA runtime, exported by the runner (observed_functions.list),
// so that the student's calls reach these first. Each passes the call on to the runtime's function,
// the next one in the loader's order.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "harness/runner/child/calls/observed_calls.h"
#include "harness/runner/child/calls/timed_launches.h"

namespace {

using ridge::runner::LaunchTimer;
using ridge::runner::may_ask_driver_for;
using ridge::runner::note_call;

constexpr size_t kPageBytes = 4096;

// The runtime's functions, on a page of their own. It is filled before main() and read-only from
// then on, so that the inspection (harness/runner/inspection.h) compares it as it compares code.
// The mark is not zero: the page is then part of the program's file, and the inspection reads only
// pages of files.
struct alignas(kPageBytes) FunctionTable {
  void* functions[kPageBytes / sizeof(void*) - 1];
  uint64_t mark;
};
static_assert(sizeof(FunctionTable) == kPageBytes);
constinit FunctionTable table{{}, 1};

bool add_to_table(size_t slot, const char* name) {
  return (table.functions[slot] = dlsym(RTLD_NEXT, name)) != nullptr;
}

bool make_table_read_only() {
  if (mprotect(&table, sizeof table, PROT_READ) == 0) return true;
  std::perror("ridge-runner: the table of the CUDA runtime's functions stays writable");
  std::abort();
}

// The runtime's own function. It is looked up here if an initialiser of another file calls it
// before the table is filled.
void* behind(size_t slot, const char* name) {
  if (table.functions[slot] != nullptr) return table.functions[slot];
  if (void* const found = dlsym(RTLD_NEXT, name)) return found;
  std::fprintf(stderr, "ridge-runner: the CUDA runtime has no function %s\n", name);
  std::abort();
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

// OBSERVED_MS(NAME, (parameters), (arguments), pointer, bytes, stream, ms): the last four may use
// the parameters and `code`.
#define OBSERVED_MS(NAME, PARAMETERS, ARGUMENTS, POINTER, BYTES, STREAM, MS)                   \
  static constexpr size_t NAME##_slot = __COUNTER__;                                           \
  static_assert(NAME##_slot < std::size(FunctionTable{}.functions));                           \
  [[maybe_unused]] static const bool NAME##_found = add_to_table(NAME##_slot, #NAME);          \
  extern "C" __attribute__((visibility("default"))) cudaError_t NAME PARAMETERS {              \
    const auto own = reinterpret_cast<cudaError_t(*) PARAMETERS>(behind(NAME##_slot, #NAME));  \
    const LaunchTimer timer(#NAME, number_of(STREAM));                                         \
    const cudaError_t code = own ARGUMENTS;                                                    \
    return note_call(                                                                          \
        {#NAME, code, POINTER, static_cast<uint64_t>(BYTES), number_of(STREAM), MS});          \
  }
#define OBSERVED(NAME, PARAMETERS, ARGUMENTS, POINTER, BYTES, STREAM) \
  OBSERVED_MS(NAME, PARAMETERS, ARGUMENTS, POINTER, BYTES, STREAM, 0.0)

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
         nullptr)
OBSERVED(cudaMemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream),
         (to, value, bytes, stream), number_of(to), bytes, stream)
OBSERVED(cudaMemcpy2D,
         (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
          size_t height, cudaMemcpyKind kind),
         (to, to_pitch, from, from_pitch, width, height, kind), number_of(to), width* height,
         kNoStream)
OBSERVED(cudaMemcpy2DAsync,
         (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
          size_t height, cudaMemcpyKind kind, cudaStream_t stream),
         (to, to_pitch, from, from_pitch, width, height, kind, stream), number_of(to),
         width* height, stream)
OBSERVED(cudaMemcpy2DToArrayAsync,
         (cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
          size_t height, cudaMemcpyKind kind, cudaStream_t stream),
         (to, x, y, from, pitch, width, height, kind, stream), number_of(to), width* height,
         stream)
OBSERVED(cudaMemcpy2DFromArrayAsync,
         (void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
          size_t height, cudaMemcpyKind kind, cudaStream_t stream),
         (to, pitch, from, x, y, width, height, kind, stream), number_of(to), width* height,
         stream)
OBSERVED(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* copy, cudaStream_t stream), (copy, stream), 0,
         0, stream)
OBSERVED(cudaMemcpyPeerAsync,
         (void* to, int to_device, const void* from, int from_device, size_t bytes,
          cudaStream_t stream),
         (to, to_device, from, from_device, bytes, stream), number_of(to), bytes, stream)
OBSERVED(cudaMemcpy3DPeerAsync, (const cudaMemcpy3DPeerParms* copy, cudaStream_t stream),
         (copy, stream), 0, 0, stream)
OBSERVED(cudaMemcpyToSymbol,
         (const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind),
         (symbol, from, bytes, offset, kind), number_of(symbol), bytes, kNoStream)
OBSERVED(cudaMemcpyToSymbolAsync,
         (const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
          cudaStream_t stream),
         (symbol, from, bytes, offset, kind, stream), number_of(symbol), bytes, stream)
OBSERVED(cudaMemcpyFromSymbol,
         (void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind),
         (to, symbol, bytes, offset, kind), number_of(to), bytes, kNoStream)
OBSERVED(cudaMemcpyFromSymbolAsync,
         (void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
          cudaStream_t stream),
         (to, symbol, bytes, offset, kind, stream), number_of(to), bytes, stream)
OBSERVED(cudaMemset2DAsync,
         (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
         (to, pitch, value, width, height, stream), number_of(to), width* height, stream)
OBSERVED(cudaMemset3DAsync,
         (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream),
         (to, value, extent, stream), number_of(to.ptr), extent.width* extent.height* extent.depth,
         stream)
OBSERVED(cudaMemPrefetchAsync,
         (const void* memory, size_t bytes, cudaMemLocation location, unsigned flags,
          cudaStream_t stream),
         (memory, bytes, location, flags, stream), number_of(memory), bytes, stream)
OBSERVED(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void* data),
         (stream, function, data), reinterpret_cast<uint64_t>(function), 0, stream)
OBSERVED(cudaStreamAddCallback,
         (cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned flags),
         (stream, function, data, flags), reinterpret_cast<uint64_t>(function), 0, stream)
OBSERVED(cudaDeviceSynchronize, (), (), 0, 0, kNoStream)
OBSERVED(cudaStreamQuery, (cudaStream_t stream), (stream), 0, 0, stream)
OBSERVED(cudaEventQuery, (cudaEvent_t event), (event), number_of(event), 0, kNoStream)
OBSERVED(cudaStreamSynchronize, (cudaStream_t stream), (stream), 0, 0, stream)
OBSERVED(cudaStreamCreate, (cudaStream_t * made), (made), made_at(made, code), 0, kNoStream)
OBSERVED(cudaStreamCreateWithFlags, (cudaStream_t * made, unsigned flags), (made, flags),
         made_at(made, code), flags, kNoStream)
OBSERVED(cudaStreamDestroy, (cudaStream_t stream), (stream), 0, 0, stream)
OBSERVED(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
         (stream, event, flags), number_of(event), 0, stream)
OBSERVED(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream),
         number_of(event), 0, stream)
OBSERVED(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
         (event, stream, flags), number_of(event), 0, stream)
OBSERVED(cudaEventSynchronize, (cudaEvent_t event), (event), number_of(event), 0, kNoStream)
OBSERVED_MS(cudaEventElapsedTime, (float* ms, cudaEvent_t start, cudaEvent_t end),
            (ms, start, end), number_of(end), number_of(start), kNoStream,
            code == cudaSuccess && ms != nullptr ? static_cast<double>(*ms) : 0.0)
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

// Through the driver's functions a file could load and launch kernels that no scan has seen. The
// student's code gets those that describe tensors for the copy engine, and the words for errors.
#define DRIVER_FUNCTION(NAME, PARAMETERS, ARGUMENTS)                                            \
  static constexpr size_t NAME##_slot = __COUNTER__;                                            \
  static_assert(NAME##_slot < std::size(FunctionTable{}.functions));                            \
  [[maybe_unused]] static const bool NAME##_found = add_to_table(NAME##_slot, #NAME);           \
  extern "C" __attribute__((visibility("default"))) cudaError_t NAME PARAMETERS {               \
    if (!may_ask_driver_for(symbol, __builtin_return_address(0))) {                             \
      if (function != nullptr) *function = nullptr;                                             \
      if (found != nullptr) *found = cudaDriverEntryPointSymbolNotFound;                        \
      return note_call({#NAME, cudaErrorNotSupported});                                         \
    }                                                                                           \
    return reinterpret_cast<cudaError_t(*) PARAMETERS>(behind(NAME##_slot, #NAME)) ARGUMENTS;   \
  }

DRIVER_FUNCTION(cudaGetDriverEntryPoint,
                (const char* symbol, void** function, unsigned long long flags,
                 cudaDriverEntryPointQueryResult* found),
                (symbol, function, flags, found))
DRIVER_FUNCTION(cudaGetDriverEntryPointByVersion,
                (const char* symbol, void** function, unsigned version, unsigned long long flags,
                 cudaDriverEntryPointQueryResult* found),
                (symbol, function, version, flags, found))
// With a default stream per thread nvcc calls these.
DRIVER_FUNCTION(cudaGetDriverEntryPoint_ptsz,
                (const char* symbol, void** function, unsigned long long flags,
                 cudaDriverEntryPointQueryResult* found),
                (symbol, function, flags, found))
DRIVER_FUNCTION(cudaGetDriverEntryPointByVersion_ptsz,
                (const char* symbol, void** function, unsigned version, unsigned long long flags,
                 cudaDriverEntryPointQueryResult* found),
                (symbol, function, version, flags, found))

// The last initialiser of this file: initialisers of one file run in their order.
[[maybe_unused]] static const bool table_is_read_only = make_table_read_only();

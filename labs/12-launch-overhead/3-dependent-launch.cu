// Programmatic dependent launch: the next kernel begins under the end of the one before.
//
// In the graph of rung 2 each kernel waits for the last block of the one ahead, for its writes to
// arrive, and for its own launch. Then its blocks start, compute their indices, and load. Much of
// that needs no result of the kernel ahead. A kernel that is launched with *programmatic stream
// serialization* may begin earlier:
//
//     kernel k        begin . trigger . load weights . wait . compute . store
//     kernel k + 1                      begin . trigger . load weights .... wait . compute . store
//
// cudaTriggerProgrammaticLaunchCompletion()   the next kernel may begin, once every block of this
//                                             one has called it (griddepcontrol.launch_dependents)
// cudaGridDependencySynchronize()             waits until the kernel ahead has ended and what it
//                                             wrote can be read (griddepcontrol.wait)
//
// What comes before the wait runs beside the kernel ahead: it may read what no kernel of the chain
// writes, and it may write nothing that the kernel ahead reads. Everything else comes after. The
// trigger says nothing about data: it may be the first line of a kernel.
//
//     ./ridge grade 12-launch-overhead/3-dependent-launch
#include "token_graph.h"
#include "work_rows.h"

namespace {

__global__ void begin_token(const float* token, const float* previous, float* x, int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  // TODO (about 4 lines): let the next kernel begin, load what no kernel writes, wait for the
  // kernel ahead, and only then read `previous` and write x. Until you do, x is not written.
}

__global__ void mix_layer(const float* x, const float* weights, float* y, int layer, int width) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  // TODO (about 5 lines): the same. What of this kernel's work needs nothing of the one before?
}

// The kernel may begin before the one ahead of it in the stream has ended.
template <typename... Parameters, typename... Arguments>
void launch_early(void (*kernel)(Parameters...), int blocks, cudaStream_t stream,
                  Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  config.stream = stream;
  // TODO (about 5 lines): a cudaLaunchAttribute with the id
  // cudaLaunchAttributeProgrammaticStreamSerialization that allows it; config.attrs points to it.
  cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

TokenGraph capture_token(const float* tokens, const float* weights, float* out, int layers,
                         int width, cudaStream_t stream) {
  TokenGraph made;
  const int blocks = blocks_for(width);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  launch_early(begin_token, blocks, stream, tokens, nullptr, work_row(0), width);
  made.first = newest_node(stream);
  for (int layer = 0; layer < layers; ++layer) {
    float* to = layer == layers - 1 ? out : work_row((layer + 1) % 2);
    launch_early(mix_layer, blocks, stream, work_row(layer % 2), weights + row_start(layer, width),
                 to, layer, width);
  }
  made.last = newest_node(stream);
  cudaStreamEndCapture(stream, &made.graph);
  cudaGraphInstantiate(&made.exec, made.graph, 0);
  return made;
}

}  // namespace

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count,
                             int layers, int width, cudaStream_t stream) {
  const TokenGraph token = capture_token(tokens, weights, out, layers, width, stream);
  int blocks = blocks_for(width), last = layers - 1;
  float* x = work_row(0);
  const float *from = work_row(last % 2), *last_weights = weights + row_start(last, width);
  for (int t = 0; t < count; ++t) {
    const float* input = tokens + row_start(t, width);
    const float* previous = t == 0 ? nullptr : out + row_start(t - 1, width);
    float* to = out + row_start(t, width);
    void* begin_arguments[] = {&input, &previous, &x, &width};
    void* mix_arguments[] = {&from, &last_weights, &to, &last, &width};
    set_arguments(token.exec, token.first, reinterpret_cast<const void*>(begin_token), blocks,
                  begin_arguments);
    set_arguments(token.exec, token.last, reinterpret_cast<const void*>(mix_layer), blocks,
                  mix_arguments);
    cudaGraphLaunch(token.exec, stream);
  }
  cudaGraphExecDestroy(token.exec);
  cudaGraphDestroy(token.graph);
}

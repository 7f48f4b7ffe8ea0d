// Programmatic dependent launch: the next kernel begins under the end of the one before.
//
// Hypothesis: in the graph of rung 2 the time of a step is that of starting a kernel, and of two
// trips to memory in a row: the weights, and x. The first of them needs nothing of the kernel
// ahead.
// What changed: each launch says that it may begin early; each kernel lets the next one begin at
// once, loads its weights (or its token), and only then waits for the kernel ahead.
// What that bought: the start of a kernel and a third of the bytes it loads are behind the one
// ahead.
//
//     ./ridge grade 12-launch-overhead/3-dependent-launch --solution
// Measured on an H200: 162.3% of CUDA graph (course/measured/nvidia-h200).
#include "token_graph.h"
#include "work_rows.h"

namespace {

__global__ void begin_token(const float* token, const float* previous, float* x, int width) {
  cudaTriggerProgrammaticLaunchCompletion();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float own = i < width ? token[i] : 0;  // no kernel writes tokens
  cudaGridDependencySynchronize();
  if (i < width) x[i] = own + (previous == nullptr ? 0 : 0.5f * previous[i]);
}

__global__ void mix_layer(const float* x, const float* weights, float* y, int layer, int width) {
  cudaTriggerProgrammaticLaunchCompletion();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float weight = i < width ? weights[i] : 0;  // no kernel writes weights
  const int other = other_element(i, layer, width);
  cudaGridDependencySynchronize();
  if (i < width) y[i] = 0.5f * (x[i] + weight * x[other]);
}

// The kernel may begin before the one ahead of it in the stream has ended.
template <typename... Parameters, typename... Arguments>
void launch_early(void (*kernel)(Parameters...), int blocks, cudaStream_t stream,
                  Arguments... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
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

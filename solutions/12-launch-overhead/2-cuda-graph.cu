// One token's kernels as a CUDA graph: captured once, launched for each token.
//
// Hypothesis: rung 1 waits for the host, which needs 2 to 4 microseconds for each launch; the
// kernels themselves need less. Work that is known in advance need not be described again.
// What changed: the launches of the first token go into a capture. The graph is instantiated once.
// For each further token the parameters of two nodes change (where the token is read, where the
// result is written), and one call launches all kernels.
// What that bought: 3 calls of the runtime per token instead of one per kernel.
//
//     ./ridge grade 12-launch-overhead/2-cuda-graph --solution
// Measured on an H200: 286.9% of the stream launches (course/measured/nvidia-h200).
#include "capture.h"
#include "chain_kernels.h"
#include "work_rows.h"

namespace {

struct TokenGraph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t first = nullptr, last = nullptr;  // begin_token, and the last mix_layer
};

TokenGraph capture_token(const float* tokens, const float* weights, float* out, int layers,
                         int width, cudaStream_t stream) {
  TokenGraph made;
  const int blocks = blocks_for(width);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  begin_token<<<blocks, kThreads, 0, stream>>>(tokens, nullptr, work_row(0), width);
  made.first = newest_node(stream);
  for (int layer = 0; layer < layers; ++layer) {
    float* to = layer == layers - 1 ? out : work_row((layer + 1) % 2);
    mix_layer<<<blocks, kThreads, 0, stream>>>(work_row(layer % 2),
                                               weights + row_start(layer, width), to, layer, width);
  }
  made.last = newest_node(stream);
  cudaStreamEndCapture(stream, &made.graph);
  cudaGraphInstantiate(&made.exec, made.graph, 0);
  return made;
}

// Gives a kernel node other arguments: pointers to them, in the order of the kernel's parameters.
void set_arguments(cudaGraphExec_t exec, cudaGraphNode_t node, const void* kernel, int blocks,
                   void** arguments) {
  cudaKernelNodeParams node_params = {};
  node_params.func = const_cast<void*>(kernel);
  node_params.gridDim = dim3(blocks);
  node_params.blockDim = dim3(kThreads);
  node_params.kernelParams = arguments;
  cudaGraphExecKernelNodeSetParams(exec, node, &node_params);
}

}  // namespace

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count,
                             int layers, int width, cudaStream_t stream) {
  const TokenGraph token = capture_token(tokens, weights, out, layers, width, stream);
  int blocks = blocks_for(width), last = layers - 1;
  float* x = work_row(0);
  const float *from = work_row(last % 2), *last_weights = weights + row_start(last, width);
  for (int t = 0; t < count; ++t) {
    // A launch that is queued or runs keeps the parameters that it was launched with.
    const float* input = tokens + row_start(t, width);
    const float* previous = t == 0 ? nullptr : out + row_start(t - 1, width);
    void* begin_arguments[] = {&input, &previous, &x, &width};
    set_arguments(token.exec, token.first, reinterpret_cast<const void*>(begin_token), blocks,
                  begin_arguments);
    float* to = out + row_start(t, width);
    void* mix_arguments[] = {&from, &last_weights, &to, &last, &width};
    set_arguments(token.exec, token.last, reinterpret_cast<const void*>(mix_layer), blocks,
                  mix_arguments);
    cudaGraphLaunch(token.exec, stream);
  }
  cudaGraphExecDestroy(token.exec);
  cudaGraphDestroy(token.graph);
}

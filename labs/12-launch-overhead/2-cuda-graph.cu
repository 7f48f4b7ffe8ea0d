// One token's kernels as a CUDA graph: captured once, launched for each token.
//
// Rung 1 keeps the GPU's queue full, and still the GPU waits: the host needs longer to launch a
// kernel than the kernel needs to run. But the 1 + layers launches of a token are the same for
// every token. A *graph* is work that was described once and can be launched many times by one
// call.
//
//     capture       launches into a stream that is being captured do not run: they become nodes
//     instantiate   checks and prepares all nodes at once; expensive, and done once
//     launch        one call, all kernels
//
// What differs from token to token is where the token is read and where its result goes: arguments
// of the first node and of the last. cudaGraphExecKernelNodeSetParams() changes a node of the
// executable graph; launches that are queued already keep the arguments that they had.
//
// While a stream is captured, no call may wait for it, and none may allocate with cudaMalloc.
//
//     ./ridge grade 12-launch-overhead/2-cuda-graph
#include "capture.h"
#include "chain_kernels.h"
#include "work_rows.h"

namespace {

struct TokenGraph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t first = nullptr, last = nullptr;  // begin_token, and the last mix_layer
};

// The graph of token 0.
TokenGraph capture_token(const float* tokens, const float* weights, float* out, int layers,
                         int width, cudaStream_t stream) {
  TokenGraph made;
  // TODO (about 13 lines): begin a capture of `stream` (cudaStreamCaptureModeThreadLocal). Launch
  // begin_token and then the layers as in rung 1, for token 0. newest_node(stream) is the node of
  // what was launched last: keep the first and the last one. End the capture, which gives the
  // graph, and instantiate it.
  return made;
}

// Gives a kernel node other arguments: pointers to them, in the order of the kernel's parameters.
void set_arguments(cudaGraphExec_t exec, cudaGraphNode_t node, const void* kernel, int blocks,
                   void** arguments) {
  // TODO (about 6 lines): fill a cudaKernelNodeParams (func, gridDim, blockDim, kernelParams; the
  // rest is zero) and give it to cudaGraphExecKernelNodeSetParams.
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
    // TODO (about 5 lines): the first node executes begin_token with begin_arguments, the last one
    // mix_layer with mix_arguments. Then launch the graph.
  }
  cudaGraphExecDestroy(token.exec);
  cudaGraphDestroy(token.graph);
}

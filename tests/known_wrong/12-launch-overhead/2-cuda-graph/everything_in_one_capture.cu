// expect: SLOW
// All tokens are captured: as many calls of the host as launches.
#include "capture.h"
#include "chain_kernels.h"
#include "work_rows.h"

namespace {

struct TokenGraph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t first = nullptr, last = nullptr;  // begin_token, and the last mix_layer
};

TokenGraph capture_token(const float* tokens, const float* weights, float* out, int count,
                         int layers, int width, cudaStream_t stream) {
  TokenGraph made;
  const int blocks = blocks_for(width);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int t = 0; t < count; ++t) {
    begin_token<<<blocks, kThreads, 0, stream>>>(tokens + row_start(t, width),
                                                 t == 0 ? nullptr : out + row_start(t - 1, width),
                                                 work_row(0), width);
    for (int layer = 0; layer < layers; ++layer) {
      float* to = layer == layers - 1 ? out + row_start(t, width) : work_row((layer + 1) % 2);
      mix_layer<<<blocks, kThreads, 0, stream>>>(
          work_row(layer % 2), weights + row_start(layer, width), to, layer, width);
    }
  }
  cudaStreamEndCapture(stream, &made.graph);
  cudaGraphInstantiate(&made.exec, made.graph, 0);
  return made;
}

}  // namespace

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count,
                             int layers, int width, cudaStream_t stream) {
  const TokenGraph token = capture_token(tokens, weights, out, count, layers, width, stream);
  cudaGraphLaunch(token.exec, stream);
  cudaGraphExecDestroy(token.exec);
  cudaGraphDestroy(token.graph);
}

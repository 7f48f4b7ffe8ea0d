// The plain transpose, as the body of a graph's conditional node.
#include "coalescing.h"

namespace {
__global__ void transpose_naive(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
}  // namespace

extern "C" void transpose(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
  cudaGraphNode_t node, inner;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params);
  cudaGraph_t body = params.conditional.phGraph_out[0];
  void* arguments[] = {&in, &out, &rows, &cols};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(transpose_naive);
  kernel.gridDim = dim3((cols + 31) / 32, (rows + 7) / 8);
  kernel.blockDim = dim3(32, 8);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&inner, body, nullptr, 0, &kernel);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

// A graph that is built node by node and not captured.
#include "kernel_basics.h"
__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {
  cudaGraph_t g;
  cudaGraphCreate(&g, 0);
  void* args[] = {&a, &b, &c, &n};
  cudaKernelNodeParams p = {};
  p.func = (void*)add;
  p.gridDim = dim3((n + 255) / 256);
  p.blockDim = dim3(256);
  p.kernelParams = args;
  cudaGraphNode_t node;
  cudaGraphAddKernelNode(&node, g, nullptr, 0, &p);
  cudaGraphExec_t e;
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphLaunch(e, s);
  cudaGraphExecDestroy(e);
  cudaGraphDestroy(g);
}

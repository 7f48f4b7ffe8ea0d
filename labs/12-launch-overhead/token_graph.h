// The graph of rung 2: one token's kernels, captured once and launched for each token.
#pragma once

#include "capture.h"
#include "decode.h"

struct TokenGraph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t first = nullptr, last = nullptr;  // begin_token, and the last layer
};

// Gives a kernel node other arguments: pointers to them, in the order of the kernel's parameters.
inline void set_arguments(cudaGraphExec_t exec, cudaGraphNode_t node, const void* kernel,
                          int blocks, void** arguments) {
  cudaKernelNodeParams node_params = {};
  node_params.func = const_cast<void*>(kernel);
  node_params.gridDim = dim3(blocks);
  node_params.blockDim = dim3(kThreads);
  node_params.kernelParams = arguments;
  cudaGraphExecKernelNodeSetParams(exec, node, &node_params);
}

// What a capture in progress says of itself.
#pragma once

#include <cuda_runtime.h>

// The node that the newest work of a captured stream became.
inline cudaGraphNode_t newest_node(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;  // asked for, because dependent launches have some
  size_t count = 0;
  cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &edges, &count);
  return count == 1 ? nodes[0] : nullptr;
}

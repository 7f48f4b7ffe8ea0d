// The common frame of functions that add nodes to a graph.
#pragma once

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/work/graph_work.h"

namespace ridge::runtime {

inline cudaGraphNode_t handle_of(const GraphNode* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode*>(node));
}

template <typename Use>
cudaError_t with_graph(cudaGraph_t handle, Use use) {
  return call([&] {
    std::shared_ptr<Graph> graph = process().graphs.find(handle);
    return graph ? use(*graph) : cudaErrorInvalidValue;
  });
}

// `fill` sets the work of the new node.
template <typename Fill>
cudaError_t add_node(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                     size_t count, Fill fill) {
  return with_graph(graph, [&](Graph& own) {
    if (!handle || (count != 0 && !dependencies)) return cudaErrorInvalidValue;
    GraphNode node;
    for (size_t i = 0; i < count; ++i) {
      if (!own.holds(node_of(dependencies[i]))) return cudaErrorInvalidValue;
      node.depends_on.push_back(node_of(dependencies[i]));
    }
    if (cudaError_t error = fill(node); error != cudaSuccess) return error;
    *handle = handle_of(own.add(std::move(node)));
    return cudaSuccess;
  });
}

}  // namespace ridge::runtime

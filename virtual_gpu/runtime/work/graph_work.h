// The work of graph nodes from the parameters that describe it. What is submitted to a captured stream
// becomes the node's work, so every kind of work has its checks in one place only.
#pragma once

#include <functional>

#include "virtual_gpu/runtime/work/graph.h"

namespace ridge::runtime {

// Submits one piece of work to a stream.
using Submit = std::function<cudaError_t(cudaStream_t)>;

Submit kernel_work(const cudaKernelNodeParams* parameters);
Submit copy_work(const cudaMemcpy3DParms* parameters);
Submit copy_work(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind);
Submit fill_work(const cudaMemsetParams* parameters);
Submit host_work(const cudaHostNodeParams* parameters);

inline GraphNode* node_of(cudaGraphNode_t handle) {
  return reinterpret_cast<GraphNode*>(handle);
}

// Gives the node that work. Its place in the graph stays.
cudaError_t set_work(const Submit& submit, GraphNode& node);
void set_child(const Graph& child, GraphNode& node);
void set_event(cudaGraphNodeType type, const std::shared_ptr<Event>& event, GraphNode& node);

// Does the nodes' work in their order, on the calling thread.
cudaError_t run_graph(const Graph& graph);
// The same for a launch: conditions get their default values first.
cudaError_t launch_graph(const Graph& graph);
// Host functions are a helper's work, also in a graph.
TaskExecutor executor_of(const Graph& graph);

}  // namespace ridge::runtime

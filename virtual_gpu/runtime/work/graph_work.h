// Creates the work of graph nodes from parameters. Work that is submitted to a capturing stream
// becomes the node's work, so each kind of work is checked in one place.
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

// Sets the node's work. Its dependencies stay unchanged.
cudaError_t set_work(const Submit& submit, GraphNode& node);
void set_child(const Graph& child, GraphNode& node);
void set_event(cudaGraphNodeType type, const std::shared_ptr<Event>& event, GraphNode& node);

// Executes the nodes in order on the calling thread.
cudaError_t run_graph(const Graph& graph);
// The same for a launch: conditions are first set to their defaults.
cudaError_t launch_graph(const Graph& graph);
// A helper executes host functions, also those of a graph.
TaskExecutor executor_of(const Graph& graph);

}  // namespace ridge::runtime

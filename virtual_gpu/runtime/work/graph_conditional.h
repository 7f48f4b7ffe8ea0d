// Conditional nodes of graphs: bodies that run depending on a value set by kernels.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "virtual_gpu/runtime/work/graph.h"

namespace ridge::runtime {

// The object behind a cudaGraphConditionalHandle.
struct GraphCondition {
  uint64_t handle = 0;
  std::atomic<unsigned> value{0};
  unsigned default_value = 0;
  bool resets = false;  // set to the default at every launch of the graph
};

std::shared_ptr<GraphCondition> make_condition(Graph& graph, unsigned default_value, bool resets);
// nullptr when the handle is unknown.
std::shared_ptr<GraphCondition> find_condition(uint64_t handle);

// For the graph and all graphs in its nodes.
void reset_conditions(const Graph& graph);

// Sets the node's work: executes its bodies as the value requires.
void set_conditional(GraphNode& node, std::shared_ptr<GraphCondition> condition, cudaGraphConditionalNodeType type,
                     std::vector<std::shared_ptr<Graph>> bodies);

cudaError_t add_conditional_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, cudaConditionalNodeParams& parameters);

}  // namespace ridge::runtime

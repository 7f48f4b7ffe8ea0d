// Executes the work of a graph's nodes.
#include <algorithm>

#include "virtual_gpu/runtime/work/graph_conditional.h"
#include "virtual_gpu/runtime/work/graph_work.h"

namespace ridge::runtime {

cudaError_t launch_graph(const Graph& graph) {
  reset_conditions(graph);
  return run_graph(graph);
}

cudaError_t run_graph(const Graph& graph) {
  std::optional<std::vector<GraphNode*>> order = execution_order(graph);
  if (!order) return cudaErrorInvalidValue;
  for (GraphNode* node : *order) {
    if (!node->work || !node->enabled) continue;
    if (cudaError_t error = node->work(); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

TaskExecutor executor_of(const Graph& graph) {
  bool calls_host = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                [](const auto& node) { return node->task_executor == TaskExecutor::helper; });
  return calls_host ? TaskExecutor::helper : TaskExecutor::anybody;
}

}  // namespace ridge::runtime

#include "virtual_gpu/runtime/work/graph_conditional.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/work/graph_work.h"

namespace ridge::runtime {
namespace {

struct Conditions {
  std::mutex mutex;
  std::map<uint64_t, std::weak_ptr<GraphCondition>> by_handle;
};
Conditions& conditions() {
  static auto* all = new Conditions();
  return *all;
}

bool may_go_on() {
  return !is_ending() && std::none_of(process().devices.begin(), process().devices.end(),
                                      [](const auto& device) { return device->fault != cudaSuccess; });
}

cudaError_t run_bodies(const GraphCondition& condition, cudaGraphConditionalNodeType type,
                       const std::vector<std::shared_ptr<Graph>>& bodies) {
  const unsigned value = condition.value;
  switch (type) {
    case cudaGraphCondTypeIf:
      if (value != 0) return run_graph(*bodies[0]);
      return bodies.size() > 1 ? run_graph(*bodies[1]) : cudaSuccess;
    case cudaGraphCondTypeWhile:
      while (condition.value != 0 && may_go_on()) {
        if (const cudaError_t error = run_graph(*bodies[0]); error != cudaSuccess) return error;
      }
      return cudaSuccess;
    case cudaGraphCondTypeSwitch:
      return value < bodies.size() ? run_graph(*bodies[value]) : cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

}  // namespace

std::shared_ptr<GraphCondition> make_condition(Graph& graph, unsigned default_value, bool resets) {
  auto made = std::make_shared<GraphCondition>();
  made->handle = process().next_id();
  made->value = made->default_value = default_value;
  made->resets = resets;
  graph.conditions.push_back(made);
  const std::lock_guard lock(conditions().mutex);
  std::erase_if(conditions().by_handle, [](const auto& known) { return known.second.expired(); });
  conditions().by_handle[made->handle] = made;
  return made;
}

std::shared_ptr<GraphCondition> find_condition(uint64_t handle) {
  const std::lock_guard lock(conditions().mutex);
  const auto found = conditions().by_handle.find(handle);
  return found == conditions().by_handle.end() ? nullptr : found->second.lock();
}

void reset_conditions(const Graph& graph) {
  for (const auto& condition : graph.conditions) {
    if (condition->resets) condition->value = condition->default_value;
  }
  for (const auto& node : graph.nodes) {
    if (node->child) reset_conditions(*node->child);
    for (const auto& body : node->bodies)
      reset_conditions(*body);
  }
}

void set_conditional(GraphNode& node, std::shared_ptr<GraphCondition> condition, cudaGraphConditionalNodeType type,
                     std::vector<std::shared_ptr<Graph>> bodies) {
  node.type = cudaGraphNodeTypeConditional;
  node.condition = condition;
  node.condition_type = type;
  node.bodies = bodies;
  const bool calls_host = std::any_of(bodies.begin(), bodies.end(), [](const auto& body) {
    return executor_of(*body) == TaskExecutor::helper;
  });
  node.task_executor = calls_host ? TaskExecutor::helper : TaskExecutor::anybody;
  node.work = [condition = std::move(condition), type, bodies = std::move(bodies)] {
    return run_bodies(*condition, type, bodies);
  };
}

}  // namespace ridge::runtime

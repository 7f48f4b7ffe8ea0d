#include "virtual_gpu/runtime/work/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "virtual_gpu/runtime/work/graph_conditional.h"

namespace ridge::runtime {

GraphNode* Graph::add(GraphNode node) {
  nodes.push_back(std::make_shared<GraphNode>(std::move(node)));
  return nodes.back().get();
}

bool Graph::holds(const GraphNode* node) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto& own) { return own.get() == node; });
}

Graph copy_graph(const Graph& graph) {
  Graph copy;
  copy.conditions = graph.conditions;
  copy.user_objects = graph.user_objects;
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : graph.nodes) {
    copies[node.get()] = copy.add(*node);
    copies[node.get()]->original = node.get();
  }
  for (const auto& node : copy.nodes) {
    for (GraphNode*& dependency : node->depends_on)
      dependency = copies.at(dependency);
    if (node->bodies.empty()) continue;
    std::vector<std::shared_ptr<Graph>> bodies;
    for (const auto& body : node->bodies)
      bodies.push_back(std::make_shared<Graph>(copy_graph(*body)));
    set_conditional(*node, node->condition, node->condition_type, std::move(bodies));
  }
  return copy;
}

void GraphExec::instantiate(const Graph& original) {
  graph = std::make_shared<Graph>(copy_graph(original));
  index_of_.clear();
  for (size_t i = 0; i < original.nodes.size(); ++i)
    index_of_[original.nodes[i].get()] = i;
}

GraphNode* GraphExec::writable(const GraphNode* original) {
  auto found = index_of_.find(original);
  if (found == index_of_.end()) return nullptr;
  graph = std::make_shared<Graph>(copy_graph(*graph));
  return graph->nodes[found->second].get();
}

std::optional<std::vector<GraphNode*>> execution_order(const Graph& graph) {
  std::vector<GraphNode*> order;
  std::unordered_set<const GraphNode*> placed;
  while (order.size() < graph.nodes.size()) {
    size_t before = order.size();
    for (const auto& node : graph.nodes) {
      bool ready = std::all_of(node->depends_on.begin(), node->depends_on.end(),
                               [&](const GraphNode* dependency) { return placed.contains(dependency); });
      if (!ready || !placed.insert(node.get()).second) continue;
      order.push_back(node.get());
    }
    if (order.size() == before) return std::nullopt;
  }
  return order;
}

bool all_joined(const Capture& capture) {
  std::unordered_set<const GraphNode*> reached;
  std::vector<const GraphNode*> open;
  auto visit = [&](const std::vector<GraphNode*>& nodes) {
    for (const GraphNode* node : nodes) {
      if (reached.insert(node).second) open.push_back(node);
    }
  };
  if (auto tail = capture.tails.find(capture.origin); tail != capture.tails.end()) visit(tail->second);
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    visit(node->depends_on);
  }
  return std::all_of(capture.tails.begin(), capture.tails.end(), [&](const auto& entry) {
    return std::all_of(entry.second.begin(), entry.second.end(),
                       [&](const GraphNode* n) { return reached.contains(n); });
  });
}

}  // namespace ridge::runtime

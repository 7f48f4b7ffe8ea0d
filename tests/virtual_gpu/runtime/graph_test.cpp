#include "virtual_gpu/runtime/work/graph.h"

#include "tests/catch.h"

using namespace ridge::runtime;

namespace {

GraphNode node(std::vector<GraphNode*> depends_on = {}) {
  GraphNode made;
  made.depends_on = std::move(depends_on);
  return made;
}

}  // namespace

TEST_CASE("Work runs after what it depends on, also when that was added later") {
  Graph graph;
  GraphNode* first = graph.add(node());
  GraphNode* second = graph.add(node({first}));
  GraphNode* third = graph.add(node());
  first->depends_on.push_back(third);
  auto order = execution_order(graph);
  REQUIRE(order);
  CHECK(*order == std::vector<GraphNode*>{third, first, second});
  third->depends_on.push_back(second);
  CHECK_FALSE(execution_order(graph));
}

TEST_CASE("A copied graph depends on its own nodes only") {
  Graph graph;
  GraphNode* first = graph.add(node());
  graph.add(node({first}));
  Graph copy = copy_graph(graph);
  REQUIRE(copy.nodes.size() == 2);
  CHECK(copy.nodes[1]->depends_on == std::vector<GraphNode*>{copy.nodes[0].get()});
  CHECK_FALSE(copy.holds(first));
}

TEST_CASE("A capture is joined when the origin's last work follows all others") {
  Capture capture;
  capture.graph = std::make_shared<Graph>();
  auto* origin = reinterpret_cast<Stream*>(8);
  auto* side = reinterpret_cast<Stream*>(16);
  capture.origin = origin;
  GraphNode* first = capture.graph->add(node());
  GraphNode* on_side = capture.graph->add(node({first}));
  capture.tails[origin] = {first};
  capture.tails[side] = {on_side};
  CHECK_FALSE(all_joined(capture));
  GraphNode* last = capture.graph->add(node({first, on_side}));
  capture.tails[origin] = {last};
  CHECK(all_joined(capture));
}

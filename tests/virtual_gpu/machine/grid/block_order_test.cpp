#include "virtual_gpu/machine/grid/block_order.h"

#include "tests/catch.h"

using ridge::machine::order_blocks;
using Graph = std::vector<std::vector<uint32_t>>;

TEST_CASE("both arms of an if come before what follows it") {
  const auto rank = order_blocks(Graph{{1, 2}, {3}, {3}, {}});
  REQUIRE(rank[0] == 0);
  REQUIRE(rank[1] < rank[3]);
  REQUIRE(rank[2] < rank[3]);
}

TEST_CASE("a loop comes before what follows it, however its exits are written") {
  // 1 is the head; 2 goes on or leaves to 4; 3 goes back.
  for (const Graph& graph : {Graph{{1}, {2, 3}, {4, 1}, {1}, {}}, Graph{{1}, {3, 2}, {1, 4}, {1}, {}},
                             Graph{{1}, {2, 4}, {3}, {1, 4}, {}}, Graph{{1}, {4, 2}, {3}, {4, 1}, {}}}) {
    const auto rank = order_blocks(graph);
    for (int block : {1, 2, 3})
      REQUIRE(rank[block] < rank[4]);
  }
}

TEST_CASE("an inner loop is contiguous inside the outer one") {
  // Outer 1..5, inner 2..3, 4 after the inner, 6 the exit.
  const auto rank = order_blocks(Graph{{1}, {2, 6}, {3, 4}, {2, 4}, {5}, {1}, {}});
  REQUIRE(std::max(rank[2], rank[3]) - std::min(rank[2], rank[3]) == 1);
  REQUIRE(rank[4] > rank[3]);
  REQUIRE(rank[5] > rank[4]);
  REQUIRE(rank[6] > rank[5]);
}

TEST_CASE("an unreachable block has a rank of its own") {
  const auto rank = order_blocks(Graph{{2}, {2}, {}});
  REQUIRE(rank == std::vector<uint32_t>{0, 2, 1});
}

TEST_CASE("a chain of fifty thousand blocks is ordered without recursion") {
  Graph graph(50000);
  for (uint32_t i = 0; i + 1 < graph.size(); ++i)
    graph[i] = {i + 1};
  const auto rank = order_blocks(graph);
  for (uint32_t i = 0; i < graph.size(); ++i)
    REQUIRE(rank[i] == i);
}

// What is said of the sizes that are wrong when some are right.
#include "harness/grade/diagnosis/size_pattern.h"

#include "tests/catch.h"

using namespace ridge;
using problems::Sizes;

TEST_CASE("wrong sizes are described by one extent, or not at all") {
  problems::Problem problem;
  problem.size_names = {"rows", "cols"};
  struct Row {
    std::vector<Sizes> right, wrong;
    const char* found;  // "": nothing
  };
  const Row rows[] = {
      {{{1, 1}, {3, 1023}, {5, 8192}, {1, 16388}},
       {{1, 32772}},
       "wrong.above_a_size right=cols = 16388 wrong=cols = 32772"},
      {{{1, 9}, {2, 70}, {3, 12}, {4, 8}},
       {{5, 9}, {8, 8}},
       "wrong.above_a_size right=rows = 4 wrong=rows = 5"},
      {{{1, 9}, {2, 70}, {3, 12}, {4, 8}},
       {{5, 90}, {8, 80}},
       "wrong.above_a_size right=rows = 4, cols = 70 wrong=rows = 5, cols = 80"},
      {{{9, 4}, {2, 8}, {3, 1024}, {7, 512}}, {{3, 1023}, {5, 17}}, "wrong.no_multiple size=cols multiple=2"},
      {{{9, 4}, {2, 8}, {3, 1024}, {7, 512}}, {{3, 1022}, {5, 17}}, "wrong.no_multiple size=cols multiple=4"},
      {{{9, 4}, {2, 8}, {3, 1024}, {7, 511}}, {{3, 1022}, {5, 17}}, ""},  // no rule
      {{{1, 1}, {1, 2}, {1, 3}}, {{1, 4}}, ""},                           // three are chance
      {{{9, 8}, {2, 8}, {3, 8}, {7, 8}}, {{3, 7}, {5, 5}}, ""},           // one extent is no rule
      {{{1, 1}, {1, 2}, {1, 3}, {1, 4}}, {}, ""},
  };
  for (const Row& row : rows) {
    const grade::Answer said = grade::sizes_apart(problem, row.right, row.wrong);
    INFO(row.found);
    CHECK((said ? said->described() : std::string()) == row.found);
  }
}

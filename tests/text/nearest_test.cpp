#include "text/nearest.h"

#include "tests/catch.h"

using namespace ridge;

TEST_CASE("the distance counts a swap of neighbours as one edit") {
  struct Case {
    const char *a, *b;
    size_t distance;
  };
  const Case cases[] = {{"", "", 0},        {"abc", "abc", 0},     {"abc", "acb", 1},
                        {"abc", "", 3},     {"grade", "garde", 1}, {"kitten", "sitting", 3},
                        {"list", "lst", 1}, {"ca", "abc", 3}};
  for (const Case& c : cases) {
    INFO(c.a << " and " << c.b);
    CHECK(text::edit_distance(c.a, c.b) == c.distance);
    CHECK(text::edit_distance(c.b, c.a) == c.distance);
  }
}

TEST_CASE("names that were probably meant are suggested, the nearest first") {
  const std::vector<std::string> names = {"grade", "trace", "bench", "graded", "x"};
  struct Case {
    const char* typed;
    std::vector<std::string> nearest;
  };
  const Case cases[] = {{"garde", {"grade", "graded"}}, {"ace", {"trace"}}, {"zzzzzzz", {}}, {"q", {}}};
  for (const Case& c : cases) {
    INFO(c.typed);
    CHECK(text::nearest(c.typed, names) == c.nearest);
  }
  CHECK(text::nearest("garde", names, 1) == std::vector<std::string>{"grade"});
}

TEST_CASE("names are listed with commas and \"or\"") {
  const std::vector<std::string> names = {"a", "b", "c"};
  const char* expected[] = {"", "a", "a or b", "a, b or c"};
  for (size_t n = 0; n < 4; ++n)
    CHECK(text::listed(std::span(names).first(n)) == expected[n]);
}

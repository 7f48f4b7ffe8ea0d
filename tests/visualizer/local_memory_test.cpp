// Local memory is laid out by words of all lanes: the picture must have as many sectors as its headline says.
#include "tests/catch.h"
#include "tests/visualizer/look.h"

namespace ridge::view {

TEST_CASE("the Warp view draws local memory as it lies, a word of all lanes in a line") {
  struct Case {
    const char* name;
    HandMade access;  // base and stride: offsets in each lane's own memory
    size_t sectors;
    const char* says;
    const char* row;
  };
  constexpr auto kLocal = trace::RecordSpace::local;
  const Case cases[] = {
      {"the same word",
       {.space = kLocal, .base = 8, .stride = 0},
       4,
       "4 sectors, all needed",
       "local word 2"},
      {"a word each",
       {.space = kLocal, .base = 0, .stride = 4},
       32,
       "32 sectors, 4 would do",
       "local word 31"},
      {"two in turn",
       {.space = kLocal, .mask = 0x3, .base = 0, .stride = 4},
       2,
       "2 sectors, 1 would do",
       "local word 1"},
      {"16 bytes",
       {.space = kLocal, .bytes = 16, .base = 0, .stride = 0},
       16,
       "16 sectors, all needed",
       "local word 3"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const Look look(std::vector<HandMade>{c.access});
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.says));
    CHECK(look.seen.regions_under("sector/") == c.sectors);
    CHECK(look.seen.says(c.row));
    CHECK(look.seen.says("global, local: "));
    CHECK(look.seen.find("lane/1")->tooltip().find("of its local memory") != std::string::npos);
  }
}

}  // namespace ridge::view

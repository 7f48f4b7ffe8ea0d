// What a person wrote into a generated file outlives every regeneration.
#include "harness/report/text/marked_text.h"

#include "tests/catch.h"

using ridge::report::MarkedBlock;
using ridge::report::rewritten;

namespace {

const MarkedBlock kOne = {"one", "generated 1\n", "fill in 1:\n"},
                  kTwo = {"two", "generated 2\n", "fill in 2:\n"},
                  kThree = {"three", "generated 3\n", "fill in 3:\n"};

std::string block(const std::string& key, const std::string& text, const std::string& words) {
  return "<!-- ridge: " + key + " -->\n" + text + "<!-- ridge: end -->\n" + words;
}

}  // namespace

TEST_CASE("a new file has every block with its first words") {
  CHECK(rewritten({kOne, kTwo}, "") ==
        block("one", "generated 1\n", "fill in 1:\n") + block("two", "generated 2\n", "fill in 2:\n"));
}

TEST_CASE("the student's text stays with its block when blocks are added, removed or changed") {
  const std::string before = "my title\n" + block("one", "old\n", "I measured 40%.\n\n<b>and</b> more") +
                             "\n" + block("three", "old\n", "");
  CHECK(rewritten({kOne, kTwo, kThree}, before) ==
        "my title\n" + block("one", "generated 1\n", "I measured 40%.\n\n<b>and</b> more\n") +
            block("two", "generated 2\n", "fill in 2:\n") + block("three", "generated 3\n", ""));
  // A block that is no longer generated stays, after the block that it followed.
  CHECK(rewritten({kThree}, before) == "my title\n" +
                                           block("one", "old\n", "I measured 40%.\n\n<b>and</b> more\n") +
                                           block("three", "generated 3\n", ""));
  CHECK(rewritten({kThree, kOne}, before) ==
        "my title\n" + block("three", "generated 3\n", "") +
            block("one", "generated 1\n", "I measured 40%.\n\n<b>and</b> more\n"));
}

TEST_CASE("writing again without changes leaves the file unchanged") {
  const std::string once = rewritten({kOne, kTwo}, block("one", "x\n", "mine\n"));
  CHECK(rewritten({kOne, kTwo}, once) == once);
}

TEST_CASE("a file with damaged markers loses no text") {
  struct Case {
    const char* name;
    std::string before;
  };
  const Case cases[] = {
      {"no end", "<!-- ridge: one -->\nmine 1\n" + block("two", "x\n", "mine 2\n")},
      {"no end at all", "<!-- ridge: one -->\nmine 1\nmine 2\n"},
      {"no beginning", "mine 1\n<!-- ridge: end -->\nmine 2\n"},
      {"twice, as a merge leaves it", block("one", "x\n", "mine 1\n") + block("one", "y\n", "mine 2\n")},
      {"no marks", "mine 1\nmine 2"},
      {"windows", "<!-- ridge: one -->\r\nx\r\n<!-- ridge: end -->\r\nmine 1\r\nmine 2\r\n"},
      {"in between",
       block("zero", "x\n", "mine 1\n") + block("one", "x\n", "") + block("half", "x\n", "mine 2\n")},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const std::string after = rewritten({kOne, kTwo}, c.before);
    CHECK_THAT(after,
               Catch::Contains("mine 1") && Catch::Contains("mine 2") && Catch::Contains("generated 1\n"));
    CHECK(rewritten({kOne, kTwo}, after) == after);
  }
}

#include "harness/report/text/source_diff.h"

#include <cstdlib>
#include <filesystem>

#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"

using namespace ridge;
using report::LineChange;

namespace {

// A PATH on which only diff is found, or nothing.
struct OnlyInPath {
  explicit OnlyInPath(const std::vector<std::string>& programs) {
    for (const std::string& program : programs)
      std::filesystem::create_symlink("/usr/bin/" + program, folder.path / program);
    setenv("PATH", folder.path.c_str(), 1);
  }
  ~OnlyInPath() { setenv("PATH", before.c_str(), 1); }
  tests::ScratchFolder folder;
  std::string before = std::getenv("PATH");
};

std::vector<std::optional<LineChange>> counted() {
  const std::vector<report::VersionPair> pairs = {
      {"a\nb\nc\n", "a\nx\nc\nd\n"},
      {"same\n", "same\n"},
      {"", "one\n"},
      {std::string("nul\0 here\n", 10), std::string("nul\0 there\n", 11)},
      {"no end of line", "no end of line\n"}};
  return report::count_changes(pairs);
}

const std::vector<std::optional<LineChange>> kExpected = {
    LineChange{2, 1}, LineChange{0, 0}, LineChange{1, 0}, LineChange{1, 1}, LineChange{1, 1}};

}  // namespace

TEST_CASE("added and removed lines are counted, by git and without it") {
  CHECK(counted() == kExpected);
  const OnlyInPath diff({"diff"});
  CHECK(counted() == kExpected);
}

TEST_CASE("a diff begins with its first changed lines, by git and without it") {
  const report::VersionPair pair = {"a\nb\nc\n", "a\nx\nc\n"};
  const std::string expected = "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n";
  CHECK(report::unified_diff(pair, false) == expected);
  CHECK(report::unified_diff({"a\n", "a\n"}, false).empty());
  CHECK_THAT(report::unified_diff(pair, true), Catch::StartsWith("\x1b[") && Catch::Contains("\x1b[31m-b"));
  const OnlyInPath diff({"diff"});
  CHECK(report::unified_diff(pair, false) == expected);
  CHECK_THAT(report::unified_diff(pair, true), Catch::StartsWith("\x1b[") && Catch::Contains("\x1b[31m-b"));
}

TEST_CASE("with neither git nor diff nothing is claimed") {
  const OnlyInPath nothing({});
  for (const auto& change : counted())
    CHECK_FALSE(change);
  CHECK_THROWS_WITH(report::unified_diff({"a", "b"}, false), Catch::Contains("install git"));
}

TEST_CASE("a change in words") {
  CHECK(report::change_words(LineChange{6, 1}) == "+6 -1");
  CHECK(report::change_words(LineChange{}) == "=");
  CHECK(report::change_words({}) == "?");
}

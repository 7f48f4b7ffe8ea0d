#include "text/source_difference.h"

#include <fmt/format.h>

#include <random>
#include <sstream>

#include "tests/catch.h"
#include "text/layout.h"

using namespace ridge;
using text::DiffLine;
using text::LineChange;

namespace {

std::string shown(const std::vector<DiffLine>& lines) {
  std::string text;
  for (const DiffLine& one : lines)
    text += fmt::format("{}{} ",
                        one.kind == DiffLine::Kind::added     ? '+'
                        : one.kind == DiffLine::Kind::removed ? '-'
                                                              : '=',
                        one.line);
  return text;
}

// `before` with the hunks applied, as patch(1) would.
std::string patched(std::string_view before, std::string_view diff) {
  const auto old_lines = text::lines_with_ends(before);
  std::string now;
  size_t next = 0;
  char kind = ' ';  // of the line before
  for (const std::string_view line : text::lines_with_ends(diff)) {
    if (line[0] == '@') {
      size_t first = 0, count = 1;
      char comma = 0;
      std::istringstream range{std::string(line.substr(4))};
      range >> first;
      if (range.peek() == ',') range >> comma >> count;
      for (const size_t start = count == 0 ? first : first - 1; next < start; ++next)
        now += old_lines[next];
    } else if (line[0] == '\\') {
      if (kind != '-') now.pop_back();
    } else {
      kind = line[0];
      if (line[0] != '-') now += line.substr(1);
      if (line[0] != '+') ++next;
    }
  }
  for (; next < old_lines.size(); ++next)
    now += old_lines[next];
  return now;
}

}  // namespace

TEST_CASE("added and removed lines are counted") {
  struct Case {
    std::string before, now;
    LineChange change;
  };
  const Case cases[] = {
      {"a\nb\nc\n", "a\nx\nc\nd\n", {2, 1}},
      {"same\n", "same\n", {0, 0}},
      {"", "one\n", {1, 0}},
      {"one\n", "", {0, 1}},
      {std::string("nul\0 here\n", 10), std::string("nul\0 there\n", 11), {1, 1}},
      {"no end of line", "no end of line\n", {1, 1}},
  };
  for (const Case& c : cases) {
    INFO(c.before << "-> " << c.now);
    CHECK(text::count_changes(c.before, c.now) == c.change);
  }
}

TEST_CASE("a diff begins with its first changed lines and has three lines around each") {
  CHECK(text::unified_diff("a\nb\nc\n", "a\nx\nc\n", false) == "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
  CHECK(text::unified_diff("a\n", "a\n", false).empty());
  CHECK(text::unified_diff("", "a\n", false) == "@@ -0,0 +1 @@\n+a\n");
  CHECK(text::unified_diff("a", "a\n", false) == "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  CHECK(text::unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nx\n6\n7\n8\n", false) ==
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
  CHECK(text::unified_diff("a\nb\n", "a\nx\n", true) ==
        "\x1b[36m@@ -1,2 +1,2 @@\x1b[m\n a\n\x1b[31m-b\x1b[m\n\x1b[32m+x\x1b[m\n");
}

TEST_CASE("changes that are at most six lines apart share a hunk") {
  for (const size_t between : {6u, 7u}) {
    std::string before = "a\n", now = "x\n";
    for (size_t i = 0; i < between; ++i) {
      before += fmt::format("{}\n", i);
      now += fmt::format("{}\n", i);
    }
    const std::string diff = text::unified_diff(before + "b\n", now + "y\n", false);
    size_t hunks = 0;
    for (const std::string_view line : text::lines_of(diff))
      hunks += line.starts_with("@@");
    CHECK(hunks == (between == 6 ? 1 : 2));
  }
}

TEST_CASE("applied to the version before, a diff gives the version after") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto version = [&] {
      std::string text;
      for (size_t lines = random() % 30; lines > 0; --lines)
        text += fmt::format("{}\n", random() % 5);
      if (!text.empty() && random() % 4 == 0) text.pop_back();
      return text;
    };
    const std::string before = version(), now = version();
    INFO(before << "->\n" << now);
    CHECK(patched(before, text::unified_diff(before, now, false)) == now);
  }
}

TEST_CASE("versions too large to be matched line by line are shown as replaced") {
  std::string before = "first\n", now = "first\n";
  for (int i = 0; i < 2500; ++i) {
    before += fmt::format("a{}\n", i);
    now += fmt::format("b{}\n", i);
  }
  CHECK(text::count_changes(before, now) == LineChange{2500, 2500});
  CHECK(patched(before, text::unified_diff(before, now, false)) == now);
}

TEST_CASE("a difference of code ignores comments, indents and empty lines") {
  struct Case {
    const char *name, *now, *before, *lines;
  };
  const Case cases[] = {
      {"the same", "a;\nb;\n", "a;\nb;\n", "=1 =2 "},
      {"a line changed", "a;\nB;\nc;\n", "a;\nb;\nc;\n", "=1 -2 +2 =3 "},
      {"a line was added", "a;\nb;\nc;\n", "a;\nc;", "=1 +2 =3 "},
      {"a line was removed", "a;\nc;\n", "a;\nb;\nc;\n", "=1 -2 =2 "},
      {"only a comment", "a;  // new\n", "a;\n", "=1 "},
      {"only an indent", "  a;\n\n\n\tb;\n", "a;\nb;\n", "=1 =4 "},
      {"all of it", "x;\ny;\n", "a;\n", "-1 +1 +2 "},
      {"nothing before", "a;\n", "", "+1 "},
      {"line ends of Windows", "a;\r\nb;\r\n", "a;\nb;\n", "=1 =2 "},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(shown(text::code_difference(c.now, c.before)) == c.lines);
  }
}

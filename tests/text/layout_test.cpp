#include "text/layout.h"

#include "tests/catch.h"
#include "text/numbers.h"

using namespace ridge;

TEST_CASE("numbers have a comma between each three digits") {
  const std::pair<uint64_t, const char*> cases[] = {{0, "0"},
                                                    {999, "999"},
                                                    {1000, "1,000"},
                                                    {1048576, "1,048,576"},
                                                    {UINT64_MAX, "18,446,744,073,709,551,615"}};
  for (const auto& [number, written] : cases)
    CHECK(text::with_thousands(number) == written);
}

TEST_CASE("widths count characters, not bytes or colour codes") {
  CHECK(text::columns_of("✓ ab") == 4);
  CHECK(text::columns_of("\x1b[31;1mab\x1b[0m") == 2);
  CHECK(text::padded("✓", 3) == "✓  ");
  CHECK(text::padded("long", 3) == "long");
}

TEST_CASE("a text is broken at blanks and every line is indented") {
  CHECK(text::wrapped("a b\n\nc", 40, 2) == "  a b\n\n  c\n");
  CHECK(text::wrapped("one two three four five", 22, 0) == "one two three four\nfive\n");
  CHECK(text::wrapped("  blanks \t are   one ", 40, 0) == "blanks are one\n");
  CHECK(text::wrapped("a-word-of-more-than-twenty-letters b", 10, 0) ==
        "a-word-of-more-than-twenty-letters\nb\n");
  CHECK(text::wrapped("", 40, 2).empty());
  CHECK(text::indented("a\n\n  b", 2) == "  a\n\n    b\n");
}

TEST_CASE("lines come without their ends, and with them they are the whole text") {
  using Lines = std::vector<std::string_view>;
  struct Case {
    std::string_view text;
    Lines lines, with_ends;
  };
  const Case cases[] = {{"", {}, {}},
                        {"a", {"a"}, {"a"}},
                        {"a\n", {"a"}, {"a\n"}},
                        {"a\r\n\nb", {"a", "", "b"}, {"a\r\n", "\n", "b"}}};
  for (const Case& c : cases) {
    CHECK(text::lines_of(c.text) == c.lines);
    CHECK(text::lines_with_ends(c.text) == c.with_ends);
  }
}

TEST_CASE("a file's name takes one line, whatever it contains") {
  CHECK(text::one_line("a\nPASS\r\tb\x1b[2J\x7f.cu") == "a?PASS??b?[2J?.cu");
  CHECK(text::one_line("Grüße, Ada.cu") == "Grüße, Ada.cu");
}

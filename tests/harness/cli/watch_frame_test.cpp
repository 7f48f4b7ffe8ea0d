// Watch mode's layout and keys, without a terminal.
#include "harness/cli/watch/watch_frame.h"

#include "harness/cli/watch/key_decoder.h"
#include "harness/report/text/fold.h"
#include "tests/catch.h"
#include "text/layout.h"

using namespace ridge;
using cli::WatchView;

namespace {

WatchView passed_view() {
  WatchView view;
  view.title = "01-kernel-basics/1-vector-add  Vector add";
  view.place = "rung 1 of 10";
  view.status = "Edit labs/01-kernel-basics/1-vector-add.cu and save it: every save is graded.";
  view.idea = "A thread computes its own index.";
  for (int i = 0; i < 30; ++i)
    view.result += "result line " + std::to_string(i) + "\n";
  view.trend = "the trend";
  view.notice = "Press n for the next rung.";
  view.may_go_next = true;
  return view;
}

report::Style style_of(int width, bool colour = false) {
  return {.colour = colour, .width = width};
}

}  // namespace

TEST_CASE("at any size a frame has no line wider than the terminal and no more lines") {
  for (const bool colour : {false, true}) {
    for (int columns : {10, 20, 40, 57, 80, 200}) {
      for (size_t rows : {1u, 2u, 3u, 5u, 9u, 14u, 24u, 60u}) {
        const cli::Frame frame = cli::compose(passed_view(), rows, style_of(columns, colour), 0);
        INFO(columns << " x " << rows);
        CHECK(frame.lines.size() <= rows);
        for (const std::string& line : frame.lines) {
          INFO(line);
          CHECK(text::columns_of(line) <= size_t(columns));
        }
        // The keys are what stays in a terminal too low for all.
        CHECK(frame.lines.back().find(columns < 20 ? "n" : "q") != std::string::npos);
      }
    }
  }
}

TEST_CASE("the body scrolls to its end and no further, and the rule shows what is below") {
  const cli::Frame top = cli::compose(passed_view(), 24, style_of(80), 0);
  CHECK(top.first == 0);
  CHECK(top.page > 5);
  CHECK(top.last_first == 30 - top.page);
  const auto rule = [](const cli::Frame& frame) { return frame.lines[frame.lines.size() - 4]; };
  CHECK_THAT(rule(top), Catch::StartsWith("── " + std::to_string(top.last_first) + " more lines below"));
  const cli::Frame end = cli::compose(passed_view(), 24, style_of(80), SIZE_MAX);
  CHECK(end.first == top.last_first);
  CHECK_THAT(rule(end), Catch::StartsWith("── the end"));
  CHECK(end.lines[end.lines.size() - 5] == "result line 29");
}

TEST_CASE("a question replaces the keys, and n is offered only after a pass") {
  WatchView view = passed_view();
  CHECK_THAT(cli::compose(view, 24, style_of(80), 0).lines.back(),
             Catch::StartsWith("n next  h hint  b bench"));
  view.may_go_next = false;
  CHECK_THAT(cli::compose(view, 24, style_of(80), 0).lines.back(), Catch::StartsWith("h hint  b bench"));
  CHECK(cli::compose(view, 24, style_of(30), 0).lines.back() == "h b t v l x ? q");
  view.question = "Put the skeleton back? [y/n]";
  CHECK(cli::compose(view, 24, style_of(80), 0).lines.back() == view.question);
}

TEST_CASE("lines are folded at spaces, with the indentation and colours of their beginning") {
  struct Row {
    const char* text;
    size_t width;
    std::vector<std::string> lines;
  };
  const Row rows[] = {
      {"short", 10, {"short"}},
      {"exactly te", 10, {"exactly te"}},
      {"one two three", 10, {"one two", "three"}},
      {"one two 34 five", 10, {"one two 34", "five"}},
      {"  in two three", 10, {"  in two", "  three"}},
      {"abcdefghijklmno", 10, {"abcdefghij", "klmno"}},
      {"a\tb", 20, {"a       b"}},
      {"table  with   gaps", 40, {"table  with   gaps"}},
      {"ééééé ééééé éé", 12, {"ééééé ééééé", "éé"}},
      {"\x1b[1mbold and long\x1b[0m", 10, {"\x1b[1mbold and\x1b[0m", "\x1b[1mlong\x1b[0m"}},
      {"a\n\nb\n", 10, {"a", "", "b"}},
      {"", 10, {}},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(report::folded(row.text, row.width) == row.lines);
  }
  CHECK(report::cut("abcdef", 4) == "abc…");
  CHECK(report::printable("a\x1b[2Jb\r\n\tc\x7f") == "a?[2Jb\n\tc?");
  CHECK(report::cut("abcd", 4) == "abcd");
  CHECK(report::cut("\x1b[1mabcdef\x1b[0m", 3) == "\x1b[1mab…\x1b[0m");
}

TEST_CASE("keys are decoded correctly however their bytes are split") {
  struct Row {
    std::string bytes;
    std::vector<int> keys;
  };
  const Row rows[] = {
      {"hq", {'h', 'q'}},
      {"\x1b[A\x1b[B", {cli::kUp, cli::kDown}},
      {"\x1bOA", {cli::kUp}},
      {"\x1b[5~\x1b[6~n", {cli::kPageUp, cli::kPageDown, 'n'}},
      {"\x1b[H\x1b[F\x1b[1~\x1b[4~", {cli::kHome, cli::kEnd, cli::kHome, cli::kEnd}},
      {"\x1b[1;5Cq", {'q'}},             // Ctrl and an arrow: nothing here
      {"é€n", {'n'}},                    // no letters of ours
      {"\x1b[200~xy\x1b[201~h", {'h'}},  // pasted
      {"\x1bh", {cli::kEscape, 'h'}},
      {"\x1b\x1b[A", {cli::kEscape, cli::kUp}},
  };
  for (const Row& row : rows) {
    for (size_t piece : {size_t(1), size_t(2), size_t(3), row.bytes.size()}) {
      cli::KeyDecoder decoder;
      std::vector<int> keys;
      for (size_t at = 0; at < row.bytes.size(); at += piece) {
        for (const int key : decoder.feed(std::string_view(row.bytes).substr(at, piece)))
          keys.push_back(key);
      }
      INFO(row.bytes << " in pieces of " << piece);
      CHECK(keys == row.keys);
      CHECK_FALSE(decoder.waiting());
    }
  }
  cli::KeyDecoder decoder;
  CHECK(decoder.feed("\x1b").empty());
  CHECK(decoder.waiting());
  CHECK(decoder.give_up() == std::vector<int>{cli::kEscape});
  CHECK_FALSE(decoder.waiting());
}

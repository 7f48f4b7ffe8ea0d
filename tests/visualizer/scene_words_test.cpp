// What is said of the place that a trace opens at.
#include "tests/catch.h"
#include "tests/visualizer/look.h"

namespace ridge::view {

TEST_CASE("the scene's words name their line where another is shown") {
  using trace::RecordKind;
  using trace::RecordSpace;
  auto trace =
      hand_made_trace({{.base = 0x7000000000},
                       {.kind = RecordKind::store, .space = RecordSpace::shared, .base = 0, .instruction = 1},
                       {.base = 0x7000000080}});
  trace.notes.scene.view = "warp";
  trace.notes.scene.line = "in[i]";
  trace.notes.scene.kind = "load";
  trace.notes.scene.text = "Neighbours ask for neighbours.";
  Look look(std::move(trace));
  CHECK(look.seen.says("Neighbours ask for neighbours."));
  CHECK_FALSE(look.seen.says("Line 2: Neighbours"));
  look.key(KeyCode::right);
  CHECK(look.seen.says("Line 2: Neighbours ask for neighbours."));
  look.key(KeyCode::right);  // the line again
  CHECK_FALSE(look.seen.says("Line 2: Neighbours"));
}

TEST_CASE("the scene's words say that a skeleton has nothing of it yet, and name no line of it") {
  struct Case {
    const char *name, *view, *kind;
    std::vector<HandMade> records;
    const char* says;  // where nothing is recorded
  };
  const Case cases[] = {
      {"another kind of access", "warp", "store", {{}}, ""},
      {"another, in a view of the launch", "pyramid", "store", {{}}, ""},
      {"no access at all", "warp", "load", {}, "touches no memory yet: what is marked TODO"},
      {"no access, banks", "banks", "load", {}, "touch no shared memory"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    auto trace = hand_made_trace(c.records);
    trace.notes.rung = "01-lab/1-rung";
    trace.notes.scene.view = c.view;
    trace.notes.scene.line = "nowhere";
    trace.notes.scene.kind = c.kind;
    trace.notes.scene.text = "Neighbours ask for neighbours.";
    Look look(std::move(trace), c.view);
    INFO(look.seen.all_text());
    CHECK(look.seen.says("Not here yet: Neighbours ask"));
    CHECK_FALSE(look.seen.says("Line "));
    CHECK(look.seen.says(c.says));
  }
}

}  // namespace ridge::view

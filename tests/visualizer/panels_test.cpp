// The panels beside the view: what they say, and what they are called.
#include "tests/catch.h"
#include "tests/visualizer/look.h"

namespace ridge::view {

TEST_CASE("Figures say which blocks their sums are of") {
  struct Case {
    std::array<uint32_t, 3> grid;
    const char* says;
  };
  for (const Case& c :
       {Case{{1, 1, 1}, "in the launch's one block"}, Case{{12, 12, 1}, "in 1 recorded block of 144"}}) {
    trace::AccessTrace trace = hand_made_trace({{.stride = 128}});
    trace.launch.grid = c.grid;
    const Look look(std::move(trace));
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.says));
    CHECK(look.seen.find("figure/global: sectors")->tooltip().find(c.says + 3) != std::string::npos);
  }
}

TEST_CASE("what Ctrl+S saves is named after the panel under the mouse") {
  const Look look(std::vector<HandMade>{{}}, "roofline");
  for (const char* id : {"view", "source", "figures", "time"}) {
    const Rect area = look.app.panel(id);
    CHECK(look.app.panel_at(area.centre()).id == (id == std::string("view") ? "roofline" : id));
  }
  CHECK(look.app.panel_at({-1, -1}).id == "window");
}

}  // namespace ridge::view

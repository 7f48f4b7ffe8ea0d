// How views show what is little, or nothing at all.
#include "tests/catch.h"
#include "tests/visualizer/look.h"
#include "visualizer/session/access_text.h"

namespace ridge::view {

TEST_CASE("the pyramid says that a launch asks for no memory, and draws no bar for nothing") {
  trace::AccessTrace trace = hand_made_trace({{.kind = trace::RecordKind::barrier}});
  trace.report.emplace();
  Look look(std::move(trace), "pyramid");
  INFO(look.seen.all_text());
  CHECK(look.seen.says("nothing: this launch asks for no memory"));
  CHECK_FALSE(look.seen.says("the level above had it all"));
  CHECK_FALSE(look.seen.says("0 B asked"));
  look.key('4');
  CHECK(look.seen.says("This launch asks for no memory"));
}

TEST_CASE("parts that are there are never 0%") {
  CHECK(percent_text(0) == "0%");
  CHECK(percent_text(0.001) == "<1%");
  CHECK(percent_text(0.005) == "<1%");
  CHECK(percent_text(0.0051) == "1%");
  CHECK(percent_text(0.26) == "26%");
  CHECK(percent_text(1) == "100%");
}

TEST_CASE("where the pyramid is narrow the quotient gives way, never part of a number") {
  trace::AccessTrace trace = hand_made_trace({{.stride = 128}});
  trace.report.emplace();
  trace::InstructionCounts counts;
  counts.space = "global", counts.ptx_line = 10, counts.bytes = 128'000'000;
  counts.sectors = 32'100'000, counts.ideal_sectors = 4'010'000;
  trace.report->instructions.push_back(counts);
  Look look(std::move(trace));
  for (const auto& [width, says] :
       {std::pair(1600.0f, "1.03 GB, 128 MB would do (8"), {1000.0f, "1.03 GB, 128 MB would do"}}) {
    look.seen.clear();
    look.app.draw(look.seen, {0, 0, width, 1000}, 10);
    INFO(look.seen.all_text());
    CHECK(look.seen.says(says));
    CHECK(look.seen.says("128 MB would do (") == (width > 1500));
  }
}

TEST_CASE("in Accesses the least bar shows its waste, and the mark of the place covers no words") {
  std::vector<HandMade> records(900, {.stride = 4});
  records.push_back({.stride = 128, .instruction = 2});
  Look look(records, "accesses");
  size_t waste = 0;
  for (const Shape& shape : look.seen.shapes())
    waste += shape.kind == ShapeKind::box && shape.area.h < 8 && shape.color == look.app.theme().waste;
  CHECK(waste == 1);
}

}  // namespace ridge::view

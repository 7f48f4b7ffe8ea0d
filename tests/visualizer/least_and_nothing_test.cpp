// How views show what is little, or nothing at all.
#include "tests/catch.h"
#include "tests/visualizer/look.h"
#include "visualizer/session/text/access_text.h"

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
  CHECK(look.seen.says("This launch accesses no memory"));
}

TEST_CASE("where nothing comes from memory the pyramid says what L2 kept, and else that it had it all") {
  for (const uint64_t ideal : {uint64_t{0}, uint64_t{4096}}) {
    trace::AccessTrace trace = hand_made_trace({{}});
    trace.report.emplace();
    trace::InstructionCounts counts;
    counts.space = "global", counts.ptx_line = 10, counts.bytes = 4096,
    counts.sectors = counts.ideal_sectors = 128;
    trace.report->instructions.push_back(counts);
    trace.report->l2_write_sectors = 128;
    trace.report->ideal_bytes = ideal;
    const Look look(std::move(trace), "pyramid");
    INFO(look.seen.all_text());
    CHECK(look.seen.says("nothing: the 4.1 kB that are needed were in L2 before") == (ideal != 0));
    CHECK(look.seen.says("nothing: the level above had it all") == (ideal == 0));
  }
}

TEST_CASE("existing parts are never shown as 0%") {
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

TEST_CASE("a low pyramid has a level's bytes beside its name, and no words on each other") {
  trace::AccessTrace trace = hand_made_trace({{.stride = 128}});
  Look look(trace);
  look.app.session().show(std::make_shared<LoadedTrace>(std::move(trace)), true);
  look.app.session().look_at("compare/pyramid");
  for (const float height : {480.0f, 600.0f, 1000.0f}) {
    look.seen.clear();
    look.app.draw(look.seen, {0, 0, 640, height}, 10);
    const Region* level = look.seen.find("level/1");
    REQUIRE(level);
    std::vector<Rect> words;
    for (const Shape& shape : look.seen.shapes())
      if (shape.kind == ShapeKind::text && level->area.contains(shape.area.centre()))
        words.push_back(shape.area);
    INFO(height << ": " << words.size());
    CHECK(words.size() >= 2);
    for (size_t i = 0; i < words.size(); ++i)
      for (size_t j = i + 1; j < words.size(); ++j)
        CHECK((std::abs(words[i].centre().y - words[j].centre().y) > 10 || words[i].right() <= words[j].x ||
               words[j].right() <= words[i].x));
  }
}

TEST_CASE("in a low window Banks' what if is a sentence, with rows only where they can be seen") {
  Look look(
      std::vector<HandMade>{{trace::RecordKind::load, trace::RecordSpace::shared, ~0u, 4, 0, 0, 128, 1}},
      "banks");
  look.key('x');
  for (const float height : {400.0f, 480.0f, 700.0f}) {
    look.seen.clear();
    look.app.draw(look.seen, {0, 0, 640, height}, 10);
    CHECK(look.seen.says("what if: 1 wavefront"));
    const Region *cell = look.seen.find("if/bank/0/0"), *panel = look.seen.find("pad/less");
    REQUIRE(panel);
    if (cell) CHECK((cell->area.bottom() <= panel->area.y && cell->area.h > 3));
    if (height > 600) CHECK(cell);
  }
}

}  // namespace ridge::view

#include "visualizer/ladders/ladder_figure.h"

#include <filesystem>

#include "harness/course/lab.h"
#include "tests/catch.h"
#include "text/whole_file.h"

using namespace ridge;

namespace {

report::Ladder ladder_of(std::optional<report::LadderFigure> second) {
  report::Ladder ladder{"05-gemm", "A ladder", "NVIDIA H200", {}};
  ladder.rungs.push_back(
      {"05-gemm/1-naive", "Naive", "Where it stands", "cublasSgemm", 1, 2, {}, {}, 0, false});
  ladder.rungs.push_back(
      {"05-gemm/2-tile", "A tile", "What changes", "cublasSgemm", 15, 19, {}, {}, 0, false});
  ladder.rungs[1].reference = std::move(second);
  return ladder;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("a ladder's figure shows every rung, its idea and what was measured, in light and in dark") {
  const std::string svg = view::ladder_figure(ladder_of(report::LadderFigure{18.94, "median of 3 runs"}));
  for (const char* words : {">1  Naive<", ">2  A tile<", ">Where it stands<", ">What changes<", ">18.9<"}) {
    INFO(words);
    CHECK(count(svg, words) == 2);
  }
  CHECK(count(svg, "not measured yet") == 2);  // rung 1
  CHECK(count(svg, "not begun") == 0);         // nobody's versions stand here
  CHECK_THAT(svg, Catch::Contains("with cublasSgemm: median of 3 runs"));
  CHECK_THAT(svg, Catch::Contains("prefers-color-scheme:dark"));
  CHECK(count(svg, "textLength") == 0);
}

TEST_CASE("a lab of which nothing was measured has no figure") {
  CHECK(view::ladder_figure(ladder_of(std::nullopt)).empty());
}

TEST_CASE("the footer of a ladder says of how many runs the medians are") {
  report::Ladder ladder = ladder_of(report::LadderFigure{18.94, "median of 3 runs in x", 3});
  ladder.rungs[0].reference = report::LadderFigure{1.5, "median of 1 run in x", 1};
  CHECK_THAT(view::ladder_figure(ladder), Catch::Contains("median of 1 to 3 runs in x."));
}

TEST_CASE("a bar beyond 300% is cut, and its rung's percentage is written") {
  const std::string whole = view::ladder_figure(ladder_of(report::LadderFigure{290, "x"}));
  const std::string cut = view::ladder_figure(ladder_of(report::LadderFigure{1350.9, "x"}));
  CHECK(count(cut, ">1350.9<") == 2);
  CHECK(count(cut, ">300%<") == 2);
  CHECK(count(cut, ">350%<") == 0);
  CHECK(count(cut, "<path") > count(whole, "<path"));
}

TEST_CASE("every measured lab has a ladder chart of its runs, and its chapter shows it") {
  const std::filesystem::path root = RIDGE_SOURCE_DIR;
  int charts = 0;
  for (const course::Lab& lab : course::load(root).labs) {
    INFO(lab.name << ": run build/release/bin/ridge-ladders");
    const std::string device = report::measured_device(root, lab.name);
    const std::string svg = view::ladder_figure(report::read_ladder(root, lab.name, device, {}));
    if (svg.empty()) continue;
    ++charts;
    CHECK(svg == text::read_file(root / "course/figures" / ("ladder-" + lab.name + ".svg")));
    CHECK_THAT(text::read_file(root / "course/chapters" / (lab.name + ".md")),
               Catch::Contains("](../figures/ladder-" + lab.name + ".svg)"));
  }
  CHECK(charts >= 13);
}

#include "visualizer/ladders/ladder_figure.h"

#include "tests/catch.h"

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

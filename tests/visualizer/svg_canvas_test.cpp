// What an SVG of one panel holds: its own shapes and words, and nothing of its neighbours'.
#include "visualizer/draw/svg_canvas.h"

#include "tests/catch.h"
#include "visualizer/draw/recorder.h"

namespace ridge::view {

TEST_CASE("an SVG of a part holds what reaches into it, and nothing else") {
  struct Case {
    const char* name;
    void (*draw)(Canvas& canvas, float x);  // 20 wide, from x on
  };
  static constexpr Color kInk{1, 2, 3, 255};
  const Case cases[] = {
      {"text on the left",
       [](Canvas& c, float x) {
         c.text({x, 50}, "abcd", kInk, {10, Face::text, Align::left});
       }},
      {"text on the right",
       [](Canvas& c, float x) {
         c.text({x + 20, 50}, "abcd", kInk, {10, Face::text, Align::right});
       }},
      {"text in the middle",
       [](Canvas& c, float x) {
         c.text({x + 10, 50}, "abcd", kInk, {10, Face::text, Align::centre});
       }},
      {"box",
       [](Canvas& c, float x) {
         c.box({x, 40, 20, 20}, kInk);
       }},
      {"frame",
       [](Canvas& c, float x) {
         c.frame({x, 40, 20, 20}, kInk);
       }},
      {"line",
       [](Canvas& c, float x) {
         c.line({x, 50}, {x + 20, 50}, kInk);
       }},
      {"hatch",
       [](Canvas& c, float x) {
         c.hatch({x, 40, 20, 20}, kInk);
       }},
      {"curve",
       [](Canvas& c, float x) {
         c.curve({x, 10}, {x, 50}, {x + 20, 50}, {x + 20, 90}, kInk);
       }},
      {"polyline",
       [](Canvas& c, float x) {
         c.polyline(std::array<Point, 2>{{{x, 50}, {x + 20, 60}}}, kInk);
       }},
      {"polygon",
       [](Canvas& c, float x) {
         c.polygon(std::array<Point, 3>{{{x, 50}, {x + 20, 60}, {x, 60}}}, kInk);
       }},
      {"disc",
       [](Canvas& c, float x) {
         c.disc({x + 10, 50}, 10, kInk);
       }},
      {"ring",
       [](Canvas& c, float x) {
         c.ring({x + 10, 50}, 9, kInk);
       }},
  };
  const Rect part{100, 0, 100, 100};
  Recorder ruler;
  const auto drawn = [&](const Case& c, float x) {
    SvgCanvas canvas(400, 100, ruler);
    canvas.push_clip(part);
    c.draw(canvas, x);
    canvas.pop_clip();
    const std::string file = canvas.svg(part);
    return file.find("#010203") != std::string::npos;
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(drawn(c, 140));
    CHECK(drawn(c, 90));  // half of it
    CHECK(drawn(c, 190));
    CHECK_FALSE(drawn(c, 70));
    CHECK_FALSE(drawn(c, 210));
  }
}

}  // namespace ridge::view

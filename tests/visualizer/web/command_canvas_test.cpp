// The canvas of the web page draws what the other canvases draw.
#include "visualizer/web/command_canvas.h"

#include "tests/catch.h"
#include "tests/visualizer/look.h"
#include "tests/visualizer/web/replay.h"

namespace ridge::view {
namespace {

// Hatches as lines, as the commands have them.
class LineRecorder : public Recorder {
 public:
  void hatch(Rect area, Color color, float spacing, float width) override {
    Canvas::hatch(area, color, spacing, width);
  }
};

LetterWidths recorder_widths() {
  return LetterWidths([](Face face, uint32_t) {
    return Recorder().text_width("x", {1, face, Align::left});
  });
}

// What a list may leave out: texts without letters.
std::vector<Shape> drawn(const Recorder& recorder) {
  std::vector<Shape> shapes = recorder.shapes();
  std::erase_if(shapes,
                [](const Shape& s) { return s.kind == ShapeKind::text && s.words.empty(); });
  return shapes;
}

bool near(const Rect& a, const Rect& b) {
  const auto close = [](float x, float y) {
    return std::abs(x - y) <= 0.01f + 1e-4f * std::abs(x);
  };
  return close(a.x, b.x) && close(a.y, b.y) && close(a.w, b.w) && close(a.h, b.h);
}

void compare(const Recorder& native, const Recorder& web) {
  const auto wanted = drawn(native), got = drawn(web);
  REQUIRE(wanted.size() == got.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    INFO("shape " << i << ", \"" << wanted[i].words << "\"");
    REQUIRE(wanted[i].kind == got[i].kind);
    REQUIRE(wanted[i].words == got[i].words);
    REQUIRE(wanted[i].visible == got[i].visible);
    if (wanted[i].kind != ShapeKind::image) REQUIRE(wanted[i].color == got[i].color);
    REQUIRE(near(wanted[i].area, got[i].area));
  }
}

const std::vector<HandMade> kRecords = {
    {},
    {.stride = 128},
    {.kind = trace::RecordKind::store,
     .space = trace::RecordSpace::shared,
     .base = 0,
     .stride = 128,
     .instruction = 1},
    {.kind = trace::RecordKind::store, .mask = 0xffff, .warp = 1, .instruction = 2},
};

}  // namespace

TEST_CASE("the commands of every view draw the shapes that the view draws natively") {
  LetterWidths widths = recorder_widths();
  for (const bool is_view_only : {true, false})
    for (const float width : {342.0f, 688.0f, 1400.0f})
      for (const trace::ViewDescription& view : trace::kViews) {
        INFO(view.id << ", " << width << " pixels wide, view only: " << is_view_only);
        Look look(kRecords, view.id);
        look.app.set_view_only(is_view_only);
        look.app.session().playback().go_to(2);
        look.app.session().playback().rest();
        const Rect area{0, 0, width, 600};
        LineRecorder native, web;
        look.app.draw(native, area, 0);
        CommandCanvas canvas(widths);
        look.app.draw(canvas, area, 0);
        Replay(canvas.commands(), web);
        compare(native, web);
      }
}

TEST_CASE("a picture of pixels is sent once, and again after the page keeps others") {
  LetterWidths widths = recorder_widths();
  CommandCanvas canvas(widths);
  Recorder seen;
  std::vector<Image> images(CommandCanvas::kPictures + 1);
  for (Image& image : images)
    image = {2, 1, {rgb(0x112233), rgb(0x445566)}, next_image_version()};
  const auto sent = [&](std::initializer_list<size_t> drawn) {
    canvas.clear();
    for (const size_t i : drawn)
      canvas.image({0, 0, 10, 10}, images[i]);
    return Replay(canvas.commands(), seen).pictures.size();
  };
  CHECK(sent({0, 0}) == 1);
  CHECK(sent({0}) == 0);
  CHECK(sent({1, 2, 3, 4, 5}) == 5);
  CHECK(sent({0}) == 0);
  CHECK(sent({6}) == 1);  // the page drops the oldest
  CHECK(sent({1}) == 0);
  CHECK(sent({0}) == 1);
}

TEST_CASE("pixels are sent with red in the low byte") {
  LetterWidths widths = recorder_widths();
  CommandCanvas canvas(widths);
  canvas.image({0, 0, 10, 10}, {1, 1, {Color{1, 2, 3, 4}}, next_image_version()});
  REQUIRE(canvas.commands().size() > 4);
  CHECK(canvas.commands()[4] == 0x04030201);
}

TEST_CASE("lines of one colour and width are one command, and another shape ends it") {
  LetterWidths widths = recorder_widths();
  CommandCanvas canvas(widths);
  const auto command_count = [&] {
    LineRecorder seen;
    Replay(canvas.commands(), seen);
    return std::pair(canvas.commands().size(), seen.count(ShapeKind::line));
  };
  canvas.line({0, 0}, {1, 1}, rgb(0xff0000), 1);
  canvas.line({1, 1}, {2, 2}, rgb(0xff0000), 1);
  CHECK(command_count() == std::pair<size_t, size_t>(4 + 2 * 4, 2));
  canvas.line({1, 1}, {2, 2}, rgb(0xff0000), 2);  // wider
  CHECK(command_count() == std::pair<size_t, size_t>(12 + 8, 3));
  canvas.box({0, 0, 1, 1}, rgb(0), 0);
  canvas.line({1, 1}, {2, 2}, rgb(0xff0000), 2);
  CHECK(command_count() == std::pair<size_t, size_t>(20 + 7 + 8, 4));
}

TEST_CASE(
    "each letter's width is asked for once, and a damaged byte counts as a replacement character") {
  std::vector<uint32_t> asked;
  LetterWidths widths([&](Face, uint32_t letter) {
    asked.push_back(letter);
    return letter < 128 ? 0.5f : 1.0f;
  });
  const TextStyle style{10, Face::text, Align::left};
  CHECK(widths.of("aba", style) == 15);
  CHECK(asked == std::vector<uint32_t>{'a', 'b'});
  CHECK(widths.of("\xc3\x97\xe2\x89\x88\xf0\x9f\x98\x80", style) == 30);  // U+D7, U+2248, U+1F600
  CHECK(asked == std::vector<uint32_t>{'a', 'b', 0xd7, 0x2248, 0x1f600});
  CHECK(widths.of("\xff"
                  "a\xc3",
                  style) == 25);
  CHECK(asked.back() == 0xfffd);
  widths.forget();
  CHECK(widths.of("a", style) == 5);
  CHECK(asked.back() == 'a');
}

}  // namespace ridge::view

// How Compare and the source pane show what changed between two versions of a source.
#include "tests/catch.h"
#include "tests/visualizer/hand_made.h"
#include "visualizer/app/app.h"
#include "visualizer/draw/recorder.h"

namespace ridge::view {
namespace {

std::shared_ptr<LoadedTrace> with_source(const std::string& source, int64_t stride = 4) {
  trace::AccessTrace trace = hand_made_trace({{.stride = stride}});
  trace.launch.sources = {{"kernel.cu", source}};
  return std::make_shared<LoadedTrace>(std::move(trace));
}

}  // namespace

TEST_CASE("Compare shows below which lines changed, and the source pane marks those that came") {
  const std::string before = "__global__ void copy(float* in) {\n  float a = in[8 * i];\n}\n",
                    now = "__global__ void copy(float* in) {\n  float a = in[i];\n}\n";
  App app;
  app.session().show(with_source(before, 32));
  app.session().show(with_source(now));
  Recorder seen;
  const auto look = [&](const char* view) {
    app.show_view(view);
    seen.clear();
    app.draw(seen, {0, 0, 1600, 1000}, 1);
  };
  look("compare");
  CHECK(seen.says("1 line of B went (-), 1 line of A came (+)"));
  CHECK(seen.says("  float a = in[8 * i];"));
  CHECK(seen.says("+2"));
  CHECK(app.session().command().find("--view compare") != std::string::npos);
  look("warp");
  CHECK_FALSE(seen.says("+2"));
  app.session().show(with_source(now));
  look("compare");
  CHECK(seen.says("The code of both is the same"));
  app.session().show(with_source(""));
  look("compare");
}

TEST_CASE("the view that was looked at stands twice in Compare, V goes through them, and C goes back") {
  App app;
  app.session().show(hand_made({{.stride = 32}, {.stride = 32}}));
  app.session().show(hand_made({{}, {}}));
  Recorder seen;
  const auto press = [&](char key) {
    app.press({KeyCode::character, key, false, false});
    seen.clear();
    app.draw(seen, {0, 0, 1600, 1000}, 1);
  };
  const auto twice = [&](std::string_view id) {
    return seen.regions_under(id) > 0 && seen.regions_under("b/" + std::string(id)) > 0;
  };
  press('6');
  press('c');
  CHECK(app.session().view == "compare");
  CHECK(twice("array/"));
  CHECK(app.session().command().find("--view compare/arrays") != std::string::npos);
  press('v');
  CHECK(twice("warp/"));
  press('v');
  CHECK(twice("group/"));
  press('v');
  CHECK(app.session().compared == "links");
  press('v');
  CHECK(twice("lane/"));
  press('v');
  CHECK(twice("level/"));
  press('c');
  CHECK(app.session().view == "pyramid");
  press('8');
  CHECK(twice("level/"));
  app.show_view("compare/grid");
  press('?');
  CHECK(twice("warp/"));
}

TEST_CASE("lines of a source that are too long go on below, and none is cut off in its code") {
  App app;
  const std::string code =
      "  out[(out_row + k) * rows + out_col] = tile[threadIdx.x][threadIdx.y + k] + another[threadIdx.x];";
  app.session().show(with_source("__global__ void copy() {\n" + code + "\n}\n"));
  for (const Rect screen : {Rect{0, 0, 640, 480}, Rect{0, 0, 1600, 1000}, Rect{0, 0, 3840, 2160}}) {
    Recorder seen;
    app.draw(seen, screen, 1);
    std::string letters;
    for (const Shape& shape : seen.shapes())
      if (shape.kind == ShapeKind::text && code.find(shape.words) != std::string::npos &&
          shape.words.size() > 3)
        letters += shape.words;
    CAPTURE(screen.w, letters);
    CHECK(letters.find("threadIdx.x];") != std::string::npos);
  }
}

}  // namespace ridge::view

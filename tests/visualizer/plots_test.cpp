// Roofline, ladder and pyramid: known runs stand at known places, and actual and ideal are both to be seen.
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/visualizer/hand_made.h"
#include "tests/visualizer/hand_made_runs.h"
#include "visualizer/draw/plot.h"
#include "visualizer/draw/recorder.h"
#include "visualizer/session/analysis/graded_work.h"
#include "visualizer/session/analysis/roofline.h"
#include "visualizer/views/view.h"

using namespace ridge::view;
namespace report = ridge::report;
namespace trace = ridge::trace;

namespace {

// 10^9 operations, 10^8 useful bytes; `moved` bytes of memory.
report::StoredRun modelled(int64_t number, double moved) {
  return run_with(number, false,
                  fmt::format(R"({{"traffic":{{"operations":1e9,"useful_bytes":1e8,"l1_bytes":1e8,)"
                              R"("l2_bytes":1e8,"dram_bytes":{},"peak_teraflops":66.9}}}})",
                              moved));
}

const Rect kArea{0, 0, 900, 600};

void draw(View& view, Session& session, Recorder& canvas, bool dark = true) {
  canvas.clear();
  view.draw({canvas, make_theme(dark), session, kArea});
}

}  // namespace

TEST_CASE("numbers have three digits and an SI prefix") {
  const std::vector<std::tuple<double, const char*, const char*>> table = {
      {4.26e12, "B/s", "4.26 TB/s"},
      {66.9e12, "FLOP/s", "66.9 TFLOP/s"},
      {0.5, "", "0.5"},
      {1, "", "1"},
      {999.7, "B", "1 kB"},
      {1e9, "B", "1 GB"},
      {0, "B", "0 B"},
      {0.000134, "s", "134 \u00b5s"},
  };
  for (const auto& [value, unit, words] : table)
    CHECK(with_si(value, unit) == words);
}

TEST_CASE("the numbers at an axis are plain where they have no unit, and end within the panel") {
  const Theme theme = make_theme(true);
  Recorder canvas;
  const Plot plot = make_plot(theme, kArea, {0.1, 1000, 0, 1}, {1, 10, 0, 1});
  draw_axes(canvas, theme, plot, "intensity", "", "rate", "B/s");
  bool plain = false;
  for (const Shape& shape : canvas.shapes())
    if (shape.kind == ShapeKind::text) {
      CHECK(shape.area.right() <= kArea.right());
      plain |= shape.words == "1000";
    }
  CHECK(plain);
}

TEST_CASE("a logarithmic axis puts a decade beside a decade and finds the way back") {
  LogAxis axis{1, 1000, 100, 400};
  CHECK(axis.place(1) == Approx(100));
  CHECK(axis.place(10) == Approx(200));
  CHECK(axis.value(300) == Approx(100));
  axis.zoom(10, 2);
  CHECK(axis.place(10) == Approx(200));
  axis.pan(50);
  CHECK(axis.place(10) == Approx(250));
}

TEST_CASE("a modelled run takes as long as the level that is slowest") {
  const auto& device = *ridge::warp_model::find_device("H200");
  const Roofs roofs = roofs_of(device, {});
  CHECK(roofs.dram.rate == Approx(4.26e12));
  struct Row {
    const char* traffic;
    const char* bound;
    double time_ms;
  };
  const Row table[] = {
      {R"("operations":1e9,"useful_bytes":1e8,"l1_bytes":1,"l2_bytes":1,"dram_bytes":4.26e9)", "HBM", 1.0},
      {R"("operations":1e9,"useful_bytes":1e8,"l1_bytes":1,"l2_bytes":9.7e9,"dram_bytes":1e8)", "L2", 1.0},
      {R"("operations":6.69e10,"useful_bytes":1e6,"l1_bytes":1,"l2_bytes":1,"dram_bytes":1e6)", "compute",
       1.0}};
  for (const Row& row : table) {
    const auto point = point_of(
        run_with(1, false, fmt::format(R"({{"traffic":{{{},"peak_teraflops":66.9}}}})", row.traffic)), device,
        roofs);
    REQUIRE(point);
    CHECK(point->bound == row.bound);
    CHECK(point->time_ms == Approx(row.time_ms));
  }
}

TEST_CASE("what a small size leaves in L2 counts as moved: no run is better than its ideal, and it is said") {
  const auto& device = *ridge::warp_model::find_device("H200");
  const Roofs roofs = roofs_of(device, {});
  for (const double moved : {0.0, 5e7}) {
    const auto point = point_of(modelled(1, moved), device, roofs);
    REQUIRE(point);
    CHECK(point->intensity() == Approx(point->ideal_intensity()));
    CHECK(point->roof_percent <= 100);
    CHECK(point->kept_in_l2() == Approx(1e8 - moved));
  }
  CHECK(point_of(modelled(1, 2e8), device, roofs)->kept_in_l2() == 0);
  Session session;
  session.set_device(&device);
  session.set_runs({modelled(1, 6e7)});
  Recorder canvas;
  draw(*make_view(trace::ViewKind::roofline), session, canvas);
  CHECK(canvas.says("with 40 MB that stay in L2 counted as moved"));
  CHECK(canvas.find("run/1")->tooltip().find("60 MB moved in the launch, 40 MB in L2") != std::string::npos);
}

TEST_CASE("runs without figures, damaged runs and runs of another device have no point") {
  const auto& device = *ridge::warp_model::find_device("H200");
  const Roofs roofs = roofs_of(device, {});
  for (const char* figures :
       {"", "{}", "no JSON", R"({"traffic":null})", R"({"traffic":{"dram_bytes":"much"}})",
        R"({"traffic":{"dram_bytes":0,"useful_bytes":0}})"})
    CHECK_FALSE(point_of(run_with(1, false, figures), device, roofs));
  CHECK_FALSE(point_of(modelled(1, 1e9), *ridge::warp_model::find_device("T4"), roofs));
}

TEST_CASE("a roof measured in a run replaces the description's") {
  const auto run = run_with(7, true, R"({"measured":{"time_ms":1,"gigabytes_per_second":100,"gigaflops":500,
    "roof":{"bandwidth_source":"measured","gigabytes_per_second":4111,"teraflops":52,"rate_source":"measured"}}})");
  const Roofs roofs = roofs_of(*ridge::warp_model::find_device("H200"), std::vector{run});
  CHECK(roofs.dram.rate == Approx(4.111e12));
  CHECK(roofs.fp32.rate == Approx(52e12));
  CHECK(roofs.dram.source == "measured in run 7");
}

TEST_CASE("the roofline shows each run, what it moved beside what would do, and answers what if") {
  Session session;
  session.set_device(ridge::warp_model::find_device("H200"));
  session.set_runs({modelled(1, 4e9), modelled(2, 1e9)});
  const auto view = make_view(trace::ViewKind::roofline);
  for (const bool dark : {true, false}) {
    Recorder canvas;
    draw(*view, session, canvas, dark);
    const Region* first = canvas.find("run/1");
    const Region* second = canvas.find("run/2");
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->area.centre().x < second->area.centre().x);  // fewer bytes: further right
    CHECK(first->area.centre().y > second->area.centre().y);  // and faster
    const Region* ideal = canvas.find("ideal/2");
    REQUIRE(ideal);
    CHECK(ideal->area.centre().x > second->area.centre().x);
    CHECK(canvas.says("10x the bytes needed"));
    CHECK(second->tooltip().find("1 GB moved, 100 MB would do") != std::string::npos);
    CHECK(second->tooltip().find("bound by HBM") != std::string::npos);
    CHECK(canvas.count(ShapeKind::polyline) == 1);  // the trail
  }
  Recorder canvas;
  draw(*view, session, canvas);
  const auto drag = canvas.find("run/2")->act;
  drag({GestureKind::drag, canvas.find("ideal/2")->area.centre(), {}});
  draw(*view, session, canvas);
  CHECK(canvas.says("What if it moved"));
  for (const char clears : {'f', kEscape}) {
    view->press(session, clears);
    draw(*view, session, canvas);
    CHECK_FALSE(canvas.says("What if it moved"));
    view->press(session, 'i');
  }
  view->press(session, 'f');
  view->press(session, 'i');  // of the run that was pinned by dragging: 1 GB
  draw(*view, session, canvas);
  CHECK(canvas.says("What if it moved 800 MB instead of 1 GB?"));
  view->press(session, 'o');
  view->press(session, 'o');
  draw(*view, session, canvas);
  CHECK(canvas.says("What if it moved 1.25 GB instead of 1 GB?"));
  session.set_runs({modelled(1, 4e9), modelled(2, 1e9), modelled(3, 2e8)});  // one more lands
  draw(*view, session, canvas);
  CHECK(canvas.find("run/3"));
}

TEST_CASE("fewer bytes through the level that bounds a run make it faster, and none where arithmetic does") {
  const auto& device = *ridge::warp_model::find_device("H200");
  const Roofs roofs = roofs_of(device, {});
  struct Case {
    const char* bound;
    double l1, l2, operations;
    double half;  // of the bytes: so many times as fast
  };
  // 4.26e9 bytes take 1 ms; L1 delivers 33.5e12 bytes per second, L2 9.7e12.
  for (const Case& c : {Case{"HBM", 1, 1, 1e9, 2}, Case{"HBM", 1, 9.7e9 * 0.8, 1e9, 1.25},
                        Case{"L1 and shared", 33.5e9 * 3, 1, 1e9, 2}, Case{"compute", 1, 1, 66.9e9 * 2, 1}}) {
    const auto run = run_with(
        1, false,
        fmt::format(R"({{"traffic":{{"operations":{},"useful_bytes":1e8,"l1_bytes":{},"l2_bytes":{},)"
                    R"("dram_bytes":4.26e9,"peak_teraflops":66.9}}}})",
                    c.operations, c.l1, c.l2));
    const auto point = point_of(run, device, roofs);
    REQUIRE(point);
    INFO(c.bound << " " << c.l2);
    CHECK(point->bound == c.bound);
    CHECK(point->time_ms / time_with(*point, roofs, point->level_bytes() / 2) == Approx(c.half).epsilon(0.01));
    Session session;
    session.set_device(&device);
    session.set_runs({run});
    const auto view = make_view(trace::ViewKind::roofline);
    Recorder canvas;
    draw(*view, session, canvas);
    view->press(session, 'i');
    draw(*view, session, canvas);
    INFO(canvas.all_text());
    CHECK(canvas.says(fmt::format("no faster: {} bounds it", c.bound)) == (c.half == 1));
    const Point run_at = canvas.find("run/1")->area.centre();  // the answer does not cover what it is about
    for (const Shape& shape : canvas.shapes())
      if (shape.kind == ShapeKind::frame && shape.color == make_theme(true).focus)
        CHECK_FALSE(shape.area.contains(run_at));
    CHECK(canvas.all_text().find("ideal: every byte once") < canvas.all_text().find("What if it moved"));
  }
}

TEST_CASE("modelled runs stand at the graded size where a measured run says how much work that is") {
  const auto& device = *ridge::warp_model::find_device("H200");
  // 192^3: 1.4e7 operations; measured at 4096^3.
  const auto counted = run_with(1, false,
                                R"({"size":"m = 192, n = 192, k = 192","traffic":{"operations":14155776,)"
                                R"("useful_bytes":442368,"l1_bytes":1.2e8,"l2_bytes":4e6,"dram_bytes":442368,)"
                                R"("peak_teraflops":66.9}})");
  const auto measured = run_with(2, true,
                                 R"({"size":"m = 4096, n = 4096, k = 4096","counted_size":"m = 192, n = 192, k = 192",)"
                                 R"("counts":[{"sectors":3760128,"wavefronts":0}],"measured":{"time_ms":142.2,)"
                                 R"("gigaflops":966.36,"gigabytes_per_second":1.4155}})");
  Session session;
  session.set_device(&device);
  session.set_runs({counted, measured});
  const RooflineRuns runs = roofline_runs(session, roofs_of(device, session.runs()));
  REQUIRE(runs.points.size() == 2);
  const RunPoint& scaled = runs.points[0];
  CHECK(scaled.size == "m = 4096, n = 4096, k = 4096");
  CHECK(scaled.counted_size == "m = 192, n = 192, k = 192");
  CHECK(scaled.operations == Approx(1.374e11).epsilon(0.01));
  CHECK(scaled.l1_bytes == Approx(1.2e8 * 9709).epsilon(0.01));
  CHECK(scaled.memory_is_least);
  CHECK(scaled.bytes == Approx(2.013e8).epsilon(0.01));
  CHECK(scaled.level() == RunLevel::l1);
  // The measured one stands where its sectors put it, far left of "every byte once".
  CHECK(runs.points[1].intensity() == Approx(1.374e11 / (32 * 3760128.0 * 9709)).epsilon(0.01));
  CHECK(runs.points[1].intensity() < runs.points[1].ideal_intensity() / 100);
  Recorder canvas;
  draw(*make_view(trace::ViewKind::roofline), session, canvas);
  CHECK(canvas.says("counted at m = 192, n = 192, k = 192, scaled to the graded size m = 4096"));
  session.set_runs({counted});
  draw(*make_view(trace::ViewKind::roofline), session, canvas);
  CHECK(canvas.says("Nothing measured says how much work the graded size is"));
}

TEST_CASE("a measured reference of the course stands in the roofline beside the runs") {
  Session session;
  session.set_device(ridge::warp_model::find_device("H200"));
  auto ladder = std::make_shared<report::Ladder>();
  ladder->lab = "04-tiled-gemm", ladder->device = "NVIDIA H200";
  report::LadderRung rung;
  rung.path = "04-tiled-gemm/1-naive";
  rung.reference_figures = R"({"measured":{"time_ms":1,"gigaflops":1000,"gigabytes_per_second":100}})";
  ladder->rungs = {rung, {}};
  session.set_ladder(ladder);
  session.set_runs({modelled(1, 4e9)});
  Recorder canvas;
  draw(*make_view(trace::ViewKind::roofline), session, canvas);
  REQUIRE(canvas.find("course/04-tiled-gemm/1-naive"));
  CHECK(canvas.says("reference 1, measured: 1 TFLOP/s"));
  CHECK(canvas.says("modelled: at most"));
  CHECK(canvas.regions_under("course/") == 1);
}

TEST_CASE("the ladder shows both figures of a rung and its idea") {
  Session session;
  auto ladder = std::make_shared<report::Ladder>();
  ladder->title = "Coalescing", ladder->device = "NVIDIA H200";
  report::LadderRung rung;
  rung.path = "02-coalescing/4-transpose-tiled", rung.title = "Through a tile",
  rung.idea = "Turn it in shared memory.";
  rung.reference = report::LadderFigure{39.4, "median of 4 runs"};
  rung.student = report::LadderFigure{31.2, "run 3 of this clone"};
  ladder->rungs = {rung, {}};
  session.set_ladder(ladder);
  const auto view = make_view(trace::ViewKind::ladder);
  Recorder canvas;
  draw(*view, session, canvas);
  CHECK(canvas.says("39.4"));
  CHECK(canvas.says("31.2"));
  CHECK(canvas.says("not measured yet"));
  const std::string text = canvas.find("rung/02-coalescing/4-transpose-tiled")->tooltip();
  for (const char* words :
       {"Turn it in shared memory.", "31.2% (run 3 of this clone)", "39.4% (median of 4 runs)"})
    CHECK(text.find(words) != std::string::npos);
}

TEST_CASE("the pyramid shows what was moved beside what would do, with the formula") {
  Session session;
  session.show(hand_made({{.stride = 8}}));  // a stride of two floats: 8 sectors, 4 would do
  const auto view = make_view(trace::ViewKind::pyramid);
  Recorder canvas;
  draw(*view, session, canvas);
  CHECK(canvas.says("256 B, 128 B would do (2x)"));
  CHECK(canvas.says("not counted in this trace"));
  const std::string text = canvas.find("level/1")->tooltip();
  CHECK(text.find("8 sectors * 32 B") != std::string::npos);
  CHECK(text.find("line 2: 256 B") != std::string::npos);
  CHECK(canvas.find("level/2")->tooltip().find("gpu-l2-cache/h200.txt") != std::string::npos);
}

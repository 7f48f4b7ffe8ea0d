// What is counted over all records by a thread, and the views that show it; shared memory that nobody
// declared; what other blocks send.
#include "visualizer/session/analysis/survey.h"

#include <cstring>

#include "tests/catch.h"
#include "tests/visualizer/look.h"
#include "visualizer/session/analysis/heat_map.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {
namespace {

using trace::RecordKind;
using trace::RecordSpace;

// Two blocks: the first reads every other float of a line and writes one, the second writes what was read.
std::shared_ptr<LoadedTrace> two_blocks() {
  trace::AccessTrace trace = hand_made_trace(
      {{.mask = 0xffff, .stride = 8}, {.kind = RecordKind::barrier, .space = RecordSpace::none}});
  trace.launch.grid = {2, 1, 1};
  trace::AccessTrace other = hand_made_trace({{.kind = RecordKind::store, .mask = 1}});
  trace::BlockRecords second(1);
  trace::TraceRecord record;
  trace::RecordCursor cursor(other.blocks[0]);
  while (cursor.next(record))
    second.append(record);
  trace.blocks.push_back(std::move(second));
  return std::make_shared<LoadedTrace>(std::move(trace));
}

}  // namespace

TEST_CASE("a survey counts what was touched, by whom last, and what each lane did") {
  const auto loaded = two_blocks();
  const Survey& survey = *loaded->survey(true);
  REQUIRE(survey.touches.arrays.size() == 1);
  const ArrayTouches& in = survey.touches.arrays[0];
  CHECK(survey.touches.complete);
  CHECK(in.touched == 4);
  CHECK(in.bytes_used == 16 * 4);  // the store's bytes were among those
  CHECK(in.sectors[0].reads == 1);
  CHECK(in.sectors[0].writes == 1);
  CHECK(in.sectors[0].used == 0x0f0f0f0f);
  CHECK(in.sectors[0].last_writer == 2);
  CHECK(in.sectors[0].last_reader == 1);
  CHECK(in.sectors[3].last_writer == 0);
  CHECK(in.fetched_sectors == 5);
  CHECK(in.ideal_sectors == Approx(3));  // 64 bytes of 4 sectors, and 4 bytes of 1
  CHECK(in.sectors[3].wasted == Approx(0.5));
  CHECK(in.sectors[0].first == TouchTime{0, 0});
  const HeatMap map = heat_map(loaded->trace().arrays[in.array], in);
  CHECK(map.cells[0].touches == 2);
  CHECK(map.cells[0].wasted == Approx(0.25));  // half of the load, nothing of the store
  CHECK(map.cells[3].wasted == Approx(0.5));
  CHECK(map.cells[0].last_writer == 2);
  CHECK(map.cells[4].touches == 0);
  REQUIRE(survey.warps.size() == 2);
  const WarpActivity& warp = survey.warps[0][0];
  CHECK(warp.accesses == 1);
  CHECK(warp.barriers == 1);
  CHECK(warp.full() == Approx(0.5));
  CHECK(warp.lanes[15] == 1);
  CHECK(warp.lanes[16] == 0);
}

TEST_CASE("an array of images is drawn as images, one row of pixels per row") {
  const auto map_of = [](std::vector<uint64_t> extent) {
    trace::TraceArray array;
    array.extent = extent;
    array.element_bytes = 2;
    array.bytes = 2;
    for (const uint64_t one : extent)
      array.bytes *= one;
    ArrayTouches touches;
    touches.sectors.resize(array.bytes / 32);
    return heat_map(array, touches);
  };
  const HeatMap image = map_of({3, 64, 64, 8});  // a row of pixels is 32 sectors, a pixel half of one
  CHECK(image.has_shape);
  CHECK(image.sectors_per_row == 32);
  CHECK(image.aspect == Approx(64.0 / (3 * 64)));
  CHECK(map_of({3, 16, 16, 128}).sectors_per_row == 128);
  CHECK(map_of({2, 8, 512, 64}).sectors_per_row == 4);    // 512 x 16 are no images: rows of 64 elements
  CHECK(map_of({3, 16, 16}).sectors_per_row == 1);
  CHECK_FALSE(map_of({64, 7, 7, 8}).has_shape);           // 112 bytes per row of pixels: 3.5 sectors
}

TEST_CASE("in a window the survey is no picture's work, and is shown as soon as it is there") {
  App app;
  app.session().in_background = true;
  app.session().show(two_blocks());
  Recorder seen;
  app.show_view("arrays");
  for (bool more = true; more;) {  // as a window goes on as long as draw() says so
    seen.clear();
    more = app.draw(seen, kScreen, 1);
    CHECK(seen.says("Counting") == (seen.count(ShapeKind::image) == 0));
  }
  CHECK(seen.count(ShapeKind::image) == 1);
  const Region* array = seen.find("array/0");
  REQUIRE(array);
  app.mouse_to({array->area.x + 1, array->area.y + 1});
  CHECK(array->tooltip().find("last written by block 1") != std::string::npos);
  app.show_view("grid");
  seen.clear();
  app.draw(seen, kScreen, 1);
  CHECK(seen.says("0: 50%"));
}

TEST_CASE("shared memory that was declared as bytes is named and valued by the words that are read") {
  struct Case {
    const char* name;
    uint32_t element_bytes, lane_bytes;
    const char* says;
  };
  const Case cases[] = {{"bytes read in words", 1, 4, "raw word 2"},
                        {"bytes read one by one", 1, 1, "raw[8]"},
                        {"a struct read in words", 0, 4, "raw word 2"},
                        {"a struct read by pairs of bytes", 0, 2, "raw + 8 B"},
                        {"floats", 4, 4, "raw[2]"}};
  for (const Case& c : cases) {
    INFO(c.name);
    trace::AccessTrace trace = hand_made_trace({});
    trace.arrays.push_back({0, 1024, "extern __shared__ raw", RecordSpace::shared, "raw"});
    trace.arrays.back().element_bytes = c.element_bytes;
    trace::TraceRecord record;
    record.space = RecordSpace::shared, record.bytes = c.lane_bytes, record.mask = 1;
    CHECK(element_name(trace, record, 8) == c.says);
  }
  trace::AccessTrace trace = hand_made_trace({});
  trace.arrays.push_back({0, 1024, "extern __shared__ raw", RecordSpace::shared, "raw", "uint8", 1, {1024}});
  trace::TraceRecord record;
  record.space = RecordSpace::shared, record.bytes = 4, record.mask = 1;
  const auto value = [&](auto number) {
    record.values.resize(4);
    std::memcpy(record.values.data(), &number, 4);
    return value_text(trace, record, 0);
  };
  CHECK(value(1.5f) == "1.5");
  CHECK(value(int32_t{17}) == "17");
  CHECK(value(0.0f) == "0");
}

TEST_CASE("what a trace leaves out is said where time ends, in small windows too, and in figures") {
  trace::AccessTrace trace = hand_made_trace({{}, {}});
  trace.blocks[0].count_dropped(1234);
  trace.blocks[0].count_without_values(2);
  App app;
  app.session().show(std::make_shared<LoadedTrace>(std::move(trace)));
  for (const Rect window : {Rect{0, 0, 640, 480}, kScreen}) {
    Recorder seen;
    app.draw(seen, window, 1);
    CHECK(seen.says("1,234"));
    CHECK(seen.says("left out"));
    REQUIRE(seen.find("left-out"));
    CHECK(seen.find("left-out")->tooltip().find("--limit") != std::string::npos);
    if (window.w > 1000) CHECK(seen.says("left out of 2 records"));
  }
}

TEST_CASE("the pyramid names lines of the kernel's own file, where the report has those of a header") {
  trace::AccessTrace trace = hand_made_trace({{}});
  trace.report = trace::LaunchReport{};
  trace::InstructionCounts counts;
  counts.space = "global", counts.line = 271, counts.ptx_line = 10, counts.bytes = 128;
  counts.sectors = counts.ideal_sectors = 4;
  trace.report->instructions.push_back(counts);
  const Look look(std::move(trace), "pyramid");
  CHECK(look.seen.says("100% by line 2"));
  CHECK_FALSE(look.seen.says("line 271"));
}

TEST_CASE("fences and copies between blocks say what they order, where they go and who asked") {
  struct Case {
    RecordKind kind;
    const char *instruction, *says;
    std::vector<uint64_t> receivers = {};
  };
  const Case cases[] = {
      {RecordKind::fence, "fence.proxy.async.shared::cta;", "there for copy engines"},
      {RecordKind::fence, "wgmma.fence.sync.aligned;", "an MMA may start"},
      {RecordKind::fence, "membar.gl;", "to all threads of the device, what these lanes wrote"},
      {RecordKind::fence, "membar.cta;", "to the block's threads, what these lanes wrote"},
      {RecordKind::fence, "fence.acq_rel.sys;", "those of the host too"},
      {RecordKind::fence, "fence.mbarrier_init.release.cluster;", "mbarriers that were made before"},
      {RecordKind::issue, "cp.async.bulk.tensor", "the bytes go to blocks 0 and 1", {0, 1}},
      {RecordKind::issue, "cp.async.bulk.tensor", "the bytes go to block 1", {1}},
      {RecordKind::store, "cp.async.bulk.tensor", "which block 1 asked for"},
  };
  for (const Case& c : cases) {
    INFO(c.instruction << ": " << c.says);
    trace::AccessTrace trace = hand_made_trace({});
    trace.launch.grid = {2, 1, 1};
    trace.launch.instructions[0].text = c.instruction;
    trace::TraceRecord record;
    record.kind = c.kind, record.mask = 1, record.receivers = c.receivers;
    if (c.kind == RecordKind::store) {
      record.space = RecordSpace::shared, record.shape = trace::RecordShape::runs, record.mask = 0;
      record.runs = {{0, 128, 128, 4}};
      record.place = {trace::PlaceKind::asked_by, 1, 0};
    }
    trace.blocks[0].append(record);
    Look look(std::move(trace));
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.says));
    CHECK(look.app.session().a()->lines().empty());  // what came from elsewhere is no cost of a line here
    for (const char* view : {"banks", "arrays", "grid", "accesses", "pyramid"}) {
      look.app.show_view(view);
      look.again();
    }
  }
}

}  // namespace ridge::view

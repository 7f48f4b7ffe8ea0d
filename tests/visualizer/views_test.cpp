// What each view must show for small traces, by what a recorder saw.
#include "tests/catch.h"
#include "tests/visualizer/look.h"

namespace ridge::view {
namespace {

constexpr HandMade kSharedColumn{
    trace::RecordKind::load, trace::RecordSpace::shared, 0xffffffffu, 4, 0, 0, 128, 1};

using Records = std::vector<HandMade>;

}  // namespace

TEST_CASE("the Warp view draws the sectors that an access fetches and says what would do") {
  struct Case {
    const char* name;
    HandMade access;
    size_t sectors, lanes;
    const char* says;
  };
  const Case cases[] = {
      {"coalesced", {}, 4, 32, "4 sectors, all needed"},
      {"stride 2", {.stride = 8}, 8, 32, "8 sectors, 4 would do"},
      {"stride 32", {.stride = 128}, 32, 32, "32 sectors, 4 would do"},
      {"one sector off", {.base = 0x7000000010}, 5, 32, "5 sectors, 4 would do"},
      {"half masked", {.mask = 0xffff}, 2, 32, "2 sectors, all needed"},
      {"all lanes the same", {.stride = 0}, 1, 32, "1 sector, all needed"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    Look look(Records{c.access});
    CHECK(look.seen.regions_under("sector/") == c.sectors);
    CHECK(look.seen.regions_under("lane/") == c.lanes);
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.says));
    CHECK(look.seen.says("4 B per lane, 16 of 32 lanes, line 2") == (c.access.mask == 0xffff));
    CHECK(look.seen.says("of 32 lanes") == (c.access.mask == 0xffff));
    CHECK(look.seen.count(ShapeKind::curve) == static_cast<size_t>(std::popcount(c.access.mask)));
  }
}

TEST_CASE("the Banks view draws 32 wavefronts for a column of an unpadded tile, one with padding") {
  Look look(Records{kSharedColumn}, "banks");
  CHECK(look.seen.says("32 wavefronts, 1 would do"));
  CHECK(look.seen.find("bank/0/31"));
  CHECK(look.seen.find("bank/0/31") != nullptr);
  CHECK(look.seen.find("bank/0/32") == nullptr);
  look.key('i');
  CHECK(look.seen.says("32 wavefronts now, 1 then, 1 at best"));
  look.key('o');
  look.key('x');
  CHECK(look.seen.says("32 wavefronts now, 1 then, 1 at best"));
}

TEST_CASE("the Banks view answers what if: other elements, another stride, by keys, buttons and dragging") {
  struct Case {
    const char *name, *keys, *says;
  };
  const Case cases[] = {
      // a column of a 32 x 32 tile of floats
      {"nothing", "", "Try it"},
      {"padding", "i", "32 wavefronts now, 1 then, 1 at best"},
      {"padding by two", "ii", "32 wavefronts now, 2 then, 1 at best"},
      {"a swizzle", "x", "32 wavefronts now, 1 then, 1 at best"},
      {"8 bytes per element", "e", "32 wavefronts now, 32 then, 2 at best"},
      {"8 bytes, padded", "ei", "32 wavefronts now, 2 then, 2 at best"},
      {"side by side", "k", "32 wavefronts now, 1 then, 1 at best"},
      {"every second", "kk", "32 wavefronts now, 2 then, 1 at best"},
      {"and back again", "kkjj", "Try it"},
      {"as it is", "ixekkf", "Try it"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    trace::AccessTrace trace = hand_made_trace({kSharedColumn});
    trace.arrays.push_back(
        {0, 4096, "__shared__ tile", trace::RecordSpace::shared, "tile", "float32", 4, {32, 32}});
    Look look(std::move(trace), "banks");
    for (const char* key = c.keys; *key; ++key)
      look.key(*key);
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.says));
  }
  Look look(Records{kSharedColumn}, "banks");
  look.app.mouse_down(look.seen.find("pad/more")->area.centre());
  look.app.mouse_up({});
  look.again();
  CHECK(look.seen.says("rows of 32 + 1"));
  const Point at = look.seen.find("pad")->area.centre();
  look.app.mouse_to(at);
  look.app.mouse_down(at);
  look.app.mouse_to({at.x + 40, at.y});
  look.app.mouse_up({at.x + 40, at.y});
  look.again();
  CHECK(look.seen.says("rows of 32 + 3"));
}

TEST_CASE("W, S, A, D and F zoom, move and fit what has an extent, about the cursor where it is over it") {
  Look look(Records(600), "arrays");
  const auto width_of_array = [&] {
    for (const Shape& shape : look.seen.shapes())
      if (shape.kind == ShapeKind::image) return shape.area.w;
    return 0.0f;
  };
  const float fitted = width_of_array();
  REQUIRE(fitted > 0);
  look.key('w');
  CHECK(width_of_array() > 1.2f * fitted);
  look.key('d');
  look.key('s');
  look.key('f');
  CHECK(width_of_array() == fitted);
  const Region* array = look.seen.find("array/0");
  REQUIRE(array);
  const Point corner{array->area.x + 1, array->area.y + 1};
  look.app.mouse_to(corner);
  look.key('w');
  for (const Shape& shape : look.seen.shapes())
    if (shape.kind == ShapeKind::image)
      CHECK(std::abs(shape.area.x - array->area.x) < 2);  // the corner stays
  look.app.mouse_away();
  look.key('f');

  // A view without an extent leaves the keys to the strip: fewer bars, each wider.
  look.app.show_view("warp");
  look.again();
  const auto strip = [&] { return look.seen.count(ShapeKind::box); };
  const size_t all = strip();
  for (int i = 0; i < 8; ++i)
    look.key('w');
  CHECK(strip() < all);
  look.key('f');
  CHECK(strip() == all);
}

TEST_CASE("without a trace the runs of a clone are shown, and other views say how to record one") {
  App app;
  Recorder seen;
  const auto look = [&](const char* view) {
    app.show_view(view);
    seen.clear();
    app.draw(seen, kScreen, 1);
    for (const char key : {'w', 'a', 'f', 'i', 'p', 't', ' '})
      app.press({KeyCode::character, key, false, false});
    for (const KeyCode code : {KeyCode::enter, KeyCode::left, KeyCode::up, KeyCode::tab, KeyCode::end})
      app.press({code, 0, false, false});
  };
  for (const char* view : {"warp", "banks", "arrays", "grid", "compare", "accesses"}) {
    INFO(view);
    look(view);
    CHECK(seen.says("ridge view LAB/RUNG"));
  }
  look("ladder");
  CHECK(seen.says("`ridge view LAB` shows it"));
  look("pyramid");
  CHECK(seen.says("HBM"));
  look("roofline");
  CHECK(seen.says("No run with figures"));
  CHECK(app.session().command() == "ridge-view --view roofline");
  app.session().message = "the trace is cut off";
  look("roofline");
  CHECK(seen.says("the trace is cut off"));
}

TEST_CASE("every view draws every kind of record on small, usual and large screens") {
  const std::vector<HandMade> records = {
      {}, kSharedColumn, {.kind = trace::RecordKind::store, .stride = 8, .instruction = 2}};
  Look look(records);
  for (const char* view :
       {"warp", "banks", "pyramid", "roofline", "ladder", "arrays", "grid", "compare", "accesses"})
    for (const Rect screen : {Rect{0, 0, 320, 240}, Rect{0, 0, 640, 480}, Rect{0, 0, 3840, 2160}})
      for (size_t at = 0; at < records.size(); ++at) {
        INFO(view << " " << screen.w << " access " << at);
        look.app.show_view(view);
        look.app.session().playback().go_to(at);
        look.seen.clear();
        look.app.draw(look.seen, screen, 0);
        CHECK(look.seen.shapes().size() > 20);
        for (const Shape& shape : look.seen.shapes()) {
          CHECK(std::isfinite(shape.area.x + shape.area.y + shape.area.w + shape.area.h));
        }
      }
}

TEST_CASE("the time strip has a row for each of 32 warps, and says how it is read") {
  Records records;
  for (uint32_t warp = 0; warp < 32; ++warp)
    records.push_back({.warp = warp});
  const Look look(records);
  CHECK(look.seen.says("warp 0"));
  CHECK(look.seen.says("warp 28"));
  CHECK(look.seen.says("Simulator order, not time"));
  CHECK(look.seen.says("waits, issues, barriers"));
}

TEST_CASE("event records say what is waited for and what reports its completion") {
  using enum trace::RecordKind;
  struct Case {
    trace::RecordKind kind;
    trace::RecordPlace place;
    const char *does, *says;
    trace::RecordUnit unit = trace::RecordUnit::threads;
  };
  const Case cases[] = {
      {issue,
       {trace::PlaceKind::matrix_group, 0, 1},
       "issues an MMA on the tensor cores",
       "group 1 of the warp's wgmma signals",
       trace::RecordUnit::matrix},
      {issue,
       {trace::PlaceKind::mbarrier, 24, 1},
       "issues a copy of 4 KB by the copy engine (TMA)",
       "full[3], phase 1 signals",
       trace::RecordUnit::tensor_copy},
      {init, {trace::PlaceKind::mbarrier, 8, 0}, "makes an mbarrier", "the mbarrier full[1]"},
      {issue,
       {trace::PlaceKind::mbarrier, 0, 3},
       "issues a copy",
       "the mbarrier full[0], phase 3 signals when it is done"},
      {wait, {trace::PlaceKind::mbarrier, 0, 3}, "waits", "for the mbarrier full[0], phase 3"},
      {waited,
       {trace::PlaceKind::matrix_group, 0, 2},
       "its wait is over",
       "group 2 of the warp's wgmma is complete"},
      {commit,
       {trace::PlaceKind::matrix_group, 0, 1},
       "commits a group of MMAs",
       "group 1 of the warp's wgmma"},
      {commit,
       {trace::PlaceKind::copy_group, 0, 1},
       "commits a group of copies",
       "group 1 of the warp's asynchronous copies"},
      {barrier, {}, "arrives at a barrier", "until all warps of the block are"},
      {divergence, {}, "the warp diverges", "each way runs by itself"},
  };
  for (const Case& c : cases) {
    INFO(c.does);
    trace::AccessTrace trace = hand_made_trace({});
    trace.arrays.push_back({0, 32, "__shared__ full", trace::RecordSpace::shared, "full", "uint64", 8, {4}});
    trace::TraceRecord record;
    record.kind = c.kind, record.place = c.place, record.mask = 1, record.moved_bytes = 4096;
    record.unit = c.unit;
    trace.blocks[0].append(record);
    const Look look(std::move(trace));
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.does));
    CHECK(look.seen.says(c.says));
  }
}

TEST_CASE("Banks says which unit reads past the lanes, and Warp speaks of banks there, not of sectors") {
  struct Case {
    trace::RecordUnit unit;
    const char* says;
  };
  for (const Case& c : {Case{trace::RecordUnit::matrix, "The tensor cores make this access"},
                        Case{trace::RecordUnit::tensor_copy, "A copy engine makes this access"}}) {
    trace::AccessTrace trace = hand_made_trace({});
    trace::TraceRecord record;
    record.space = trace::RecordSpace::shared, record.shape = trace::RecordShape::runs, record.mask = 1;
    record.unit = c.unit;
    trace.blocks[0].append(record);
    Look look(std::move(trace), "banks");
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.says));
    look.key('1');
    CHECK(look.seen.says("the warp only issued the operation"));
    CHECK_FALSE(look.seen.says("a sector of 32"));
  }
}

TEST_CASE("rows of an array without a name keep their place in it, which tells them apart") {
  trace::AccessTrace trace = hand_made_trace({{.stride = 128}});
  trace.arrays.back() = {0x7000000000, 4 * 4096, "cudaMalloc #1 at program.cu:12"};
  const Look look(std::move(trace));
  INFO(look.seen.all_text());
  CHECK(look.seen.says("+ 128 B"));
  CHECK(look.seen.says("+ 3,968 B"));
  CHECK(look.seen.says("cuda"));
}

TEST_CASE("many recorded blocks are framed each in its own place, and the shown one on top of them") {
  for (const uint64_t blocks : {4, 200}) {
    trace::AccessTrace trace = hand_made_trace({{}});
    trace.launch.grid = {400, 1, 1};
    for (uint64_t block = 1; block < blocks; ++block)
      trace.blocks.push_back(trace::BlockRecords(block));
    trace.placement.multiprocessors = 132, trace.placement.blocks_per_sm = 4;
    const Look look(std::move(trace), "grid");
    CHECK(look.seen.regions_under("block/") == blocks);
    std::vector<Rect> frames;
    const Rect all = look.seen.find("grid/blocks")->area;
    for (const Shape& shape : look.seen.shapes())
      if (shape.kind == ShapeKind::frame && all.contains(shape.area.centre())) frames.push_back(shape.area);
    REQUIRE(frames.size() == blocks);
    CHECK(frames.back().contains(look.seen.find("block/0")->area.centre()));
    if (blocks > 16) CHECK(frames.front().w < all.w / 132);
  }
}

}  // namespace ridge::view

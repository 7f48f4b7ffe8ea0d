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
    CHECK(look.seen.count(ShapeKind::curve) == static_cast<size_t>(std::popcount(c.access.mask)));
  }
}

TEST_CASE("the Banks view draws 32 passes for a column of an unpadded tile, and padding mends it") {
  Look look(Records{kSharedColumn}, "banks");
  CHECK(look.seen.says("32 passes, 1 would do"));
  CHECK(look.seen.says("pass 32"));
  CHECK(look.seen.find("bank/0/31") != nullptr);
  CHECK(look.seen.find("bank/0/32") == nullptr);
  look.key('i');
  CHECK(look.seen.says("32 passes now, 1 then, 1 at best"));
  look.key('o');
  look.key('x');
  CHECK(look.seen.says("32 passes now, 1 then, 1 at best"));
}

TEST_CASE("the Banks view answers what if: other elements, another stride, by keys, buttons and dragging") {
  struct Case {
    const char *name, *keys, *says;
  };
  const Case cases[] = {
      // a column of a 32 x 32 tile of floats
      {"nothing", "", "Try it"},
      {"padding", "i", "32 passes now, 1 then, 1 at best"},
      {"padding by two", "ii", "32 passes now, 2 then, 1 at best"},
      {"a swizzle", "x", "32 passes now, 1 then, 1 at best"},
      {"8 bytes an element", "e", "32 passes now, 32 then, 2 at best"},
      {"8 bytes, padded", "ei", "32 passes now, 2 then, 2 at best"},
      {"side by side", "k", "32 passes now, 1 then, 1 at best"},
      {"every second", "kk", "32 passes now, 2 then, 1 at best"},
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

TEST_CASE("keys step, jump to costly accesses and to the same line, and the mouse links lane and memory") {
  Look look(Records{{}, {.stride = 8, .instruction = 2}, {}, {.stride = 128, .instruction = 2}});
  Playback& playback = look.app.session().playback();
  playback.home();
  look.key(KeyCode::right);
  CHECK(playback.at() == 1);
  look.key('.');
  CHECK(playback.at() == 3);
  look.key(',');
  CHECK(playback.at() == 1);
  look.key(KeyCode::home);
  look.key(KeyCode::right, true);
  CHECK(playback.at() == 2);
  look.key(KeyCode::end);
  CHECK(playback.at() == 3);
  look.key(KeyCode::home);

  const Region* lane = look.seen.find("lane/7");
  REQUIRE(lane);
  look.app.mouse_to(lane->area.centre());
  CHECK(look.app.session().selected().lane == 7u);
  look.again();
  CHECK(look.seen.says("in[7]"));
  look.app.mouse_down(lane->area.centre());
  look.app.mouse_away();
  CHECK(look.app.session().selected().lane == 7u);
  look.key(KeyCode::escape);
  CHECK(look.app.session().selected().empty());
}

TEST_CASE("Accesses lists a line once, and its instructions below it when it is opened") {
  trace::AccessTrace trace = hand_made_trace({{.stride = 8},
                                              {.stride = 128, .instruction = 3},
                                              {.stride = 8, .instruction = 3},
                                              {.kind = trace::RecordKind::store, .instruction = 2}});
  trace.launch.instructions.push_back({"kernel.cu", 2, 13, "ld.global.f32 second"});  // of line 2, too
  Look look(std::move(trace), "accesses");
  CHECK(look.seen.regions_under("group/") == 2);
  CHECK(look.seen.regions_under("open/") == 1);  // the store is one instruction
  CHECK(look.seen.regions_under("access/") == 0);
  CHECK(look.seen.says("global load x 2   float a = in[i];"));
  CHECK(look.seen.says("48"));  // 8 + 32 + 8 sectors
  const auto press = [&](std::string_view id) {
    const Region* region = look.seen.find(id);
    REQUIRE(region);
    look.app.mouse_down(region->area.centre());
    look.app.mouse_up(region->area.centre());
    look.again();
  };
  press("open/0/2/1/0");
  CHECK(look.seen.regions_under("access/") == 2);
  CHECK(look.seen.says("ld.global.f32 second"));
  look.key('e');
  CHECK(look.seen.regions_under("access/") == 0);
  look.key('e');
  look.key(KeyCode::home);
  press("access/3");
  CHECK(look.app.session().playback().at() == 1);
  CHECK(look.app.session().view == "warp");
  look.key('9');
  press("group/0/2/1/0");  // the next of the line
  CHECK(look.app.session().playback().at() == 2);
  look.key('9');
  look.key(KeyCode::home);
  look.key(KeyCode::enter);  // what wastes most is the first line
  CHECK(look.app.session().source_line() == 2);
}

TEST_CASE("the time strip has a row for each of 32 warps, and says how it is read") {
  Records records;
  for (uint32_t warp = 0; warp < 32; ++warp)
    records.push_back({.warp = warp});
  const Look look(records);
  CHECK(look.seen.says("warp 0"));
  CHECK(look.seen.says("warp 28"));
  CHECK(look.seen.says("a row a warp"));
  CHECK(look.seen.says("waits, asks, barriers"));
}

TEST_CASE("Banks plays what it can show, and the strip says where the playback stands") {
  const HandMade shared{.space = trace::RecordSpace::shared, .base = 0, .instruction = 1};
  Look look(Records{{}, shared, {}, {}, shared, {}}, "banks");
  Playback& playback = look.app.session().playback();
  look.key(KeyCode::home);
  CHECK(look.seen.says("access 1 of 6   Space plays"));
  look.key(' ');
  CHECK(look.seen.says("playing shared memory, 1x"));
  std::vector<size_t> shown;
  for (int picture = 0; picture < 40; ++picture) {
    look.again(0.1);
    if (shown.empty() || shown.back() != playback.at()) shown.push_back(playback.at());
  }
  CHECK(shown == std::vector<size_t>{0, 1, 4});
  CHECK_FALSE(playback.playing());
  look.key('1');  // others play all
  look.key(KeyCode::home);
  look.key(' ');
  for (int picture = 0; picture < 40; ++picture)
    look.again(0.1);
  CHECK(playback.at() == 5);
}

TEST_CASE("a mouse that rests sees what comes under it") {
  Look look(Records{{}, {.stride = 128}});
  look.key(KeyCode::home);
  const Region* strip = look.seen.find("strip");
  REQUIRE(strip);
  look.app.mouse_to({strip->area.right() - 2, strip->area.centre().y});
  look.again();
  CHECK(look.seen.says("access 2 of 2, warp 0"));
  look.key('2');  // another picture, the same place
  CHECK(look.app.session().selected().access == 1u);
  look.app.mouse_away();
  look.again();
  CHECK_FALSE(look.app.session().selected().access);
}

TEST_CASE("P hides the cost and what tells it until a number was typed") {
  Look look(Records{{.stride = 8}});
  const size_t hatched = look.seen.count(ShapeKind::hatch, look.app.theme().waste);
  CHECK(look.seen.regions_under("sector/") == 8);
  look.key('p');
  CHECK_FALSE(look.seen.says("8 sectors"));
  CHECK(look.seen.regions_under("sector/") == 0);
  CHECK(look.seen.count(ShapeKind::curve) == 32);  // what is asked for stays to be seen
  look.key('2');
  CHECK_FALSE(look.seen.says("8 sectors"));
  CHECK_FALSE(look.seen.says("32 passes"));
  look.app.show_view("warp");
  look.key(KeyCode::backspace);
  look.key('4');
  look.key(KeyCode::enter);
  CHECK(look.seen.says("8 sectors, 4 would do; you said 4"));
  CHECK(look.seen.count(ShapeKind::hatch, look.app.theme().waste) == hatched);

  Look banks(Records{kSharedColumn}, "banks");
  banks.key('p');
  CHECK_FALSE(banks.seen.says("pass 32"));
  CHECK(banks.seen.says("How often must the banks be asked?"));
}

TEST_CASE("records that are no access say what is waited for, and what tells when it is done") {
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
       "begins a product on the tensor cores",
       "group 1 of the warp's wgmma tells",
       trace::RecordUnit::matrix},
      {issue,
       {trace::PlaceKind::mbarrier, 24, 1},
       "asks for a copy of 4 KB by the copy engine (TMA)",
       "full[3], phase 1 tells",
       trace::RecordUnit::tensor_copy},
      {init, {trace::PlaceKind::mbarrier, 8, 0}, "makes an mbarrier", "the mbarrier full[1]"},
      {issue,
       {trace::PlaceKind::mbarrier, 0, 3},
       "asks for a copy",
       "the mbarrier full[0], phase 3 tells when it is done"},
      {wait, {trace::PlaceKind::mbarrier, 0, 3}, "waits", "for the mbarrier full[0], phase 3"},
      {waited,
       {trace::PlaceKind::matrix_group, 0, 2},
       "has what it waited for",
       "group 2 of the warp's wgmma is complete"},
      {commit,
       {trace::PlaceKind::matrix_group, 0, 1},
       "closes a group of products",
       "group 1 of the warp's wgmma"},
      {commit,
       {trace::PlaceKind::copy_group, 0, 1},
       "closes a group of copies",
       "group 1 of the warp's asynchronous copies"},
      {barrier, {}, "arrives at a barrier", "until all warps of the block are"},
      {divergence, {}, "lanes part", "each way runs by itself"},
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

TEST_CASE("Banks says which unit reads past the lanes") {
  struct Case {
    trace::RecordUnit unit;
    const char* says;
  };
  for (const Case& c : {Case{trace::RecordUnit::matrix, "The tensor cores read this one"},
                        Case{trace::RecordUnit::tensor_copy, "A copy engine moves this one"}}) {
    trace::AccessTrace trace = hand_made_trace({});
    trace::TraceRecord record;
    record.space = trace::RecordSpace::shared, record.shape = trace::RecordShape::runs, record.mask = 1;
    record.unit = c.unit;
    trace.blocks[0].append(record);
    const Look look(std::move(trace), "banks");
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.says));
  }
}

TEST_CASE("a new trace becomes A, the old one B, and Tab changes them") {
  Look look(Records{{.stride = 8}});
  const LoadedTrace* old = look.app.session().a();
  look.app.session().show(hand_made({{}}));
  CHECK(look.app.session().b() == old);
  look.key('c');
  CHECK(look.seen.says("A 4  B 8"));
  look.key(KeyCode::tab);
  CHECK(look.app.session().a() == old);
}

TEST_CASE(
    "words of the program go away by themselves, cost no pictures meanwhile and are in none that is kept") {
  Look look(Records{{}});
  std::string copied;
  look.app.to_clipboard = [&](const std::string& text) { copied = text; };
  look.app.press({KeyCode::character, 'l', false, true});
  CHECK(copied.find("ridge-view --view warp") == 0);
  look.seen.clear();
  CHECK_FALSE(look.app.draw(look.seen, kScreen, 0.1));
  CHECK(look.seen.says("copied: ridge-view"));
  CHECK(look.app.toast_seconds() > 0);
  look.app.set_bare(true);
  look.again(0);
  CHECK_FALSE(look.seen.says("copied: ridge-view"));
  look.app.set_bare(false);
  look.again(look.app.toast_seconds());
  CHECK_FALSE(look.seen.says("copied: ridge-view"));
  CHECK(look.app.toast_seconds() == 0);
}

TEST_CASE("what cannot be opened is told, and what was open stays") {
  Look look(Records{{}});
  const LoadedTrace* before = look.app.session().a();
  CHECK_FALSE(look.app.session().open("/nowhere/at/all.rtrace"));
  look.again();
  CHECK(look.seen.says("/nowhere/at/all.rtrace"));
  CHECK(look.app.session().a() == before);
}

}  // namespace ridge::view

// What keys and the mouse do: playback, selection, prediction, two runs.
#include "tests/catch.h"
#include "tests/scratch_folder.h"
#include "tests/visualizer/look.h"
#include "visualizer/session/analysis/launch_change.h"

namespace ridge::view {
namespace {

using Catch::Matchers::Contains;

constexpr HandMade kConflict{
    trace::RecordKind::load, trace::RecordSpace::shared, 0xffffffffu, 4, 0, 0, 128, 1};

using Accesses = std::vector<HandMade>;

}  // namespace

TEST_CASE("keys step, jump to costly accesses and to the same line, and the mouse links lane and memory") {
  Look look(Accesses{{}, {.stride = 8, .instruction = 2}, {}, {.stride = 128, .instruction = 2}});
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

TEST_CASE("Banks plays what it can show, and the strip says where the playback stands") {
  const HandMade shared{.space = trace::RecordSpace::shared, .base = 0, .instruction = 1};
  Look look(Accesses{{}, shared, {}, {}, shared, {}}, "banks");
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

TEST_CASE("the words of the strip do not overlap at any width") {
  Look look(Accesses{{}, {}, {}});
  int beside = 0;
  for (float width = 400; width <= 1600; width += 40) {
    look.seen.clear();
    look.app.draw(look.seen, {0, 0, width, 720}, 10);
    const Shape *sentence = nullptr, *position = nullptr;
    for (const Shape& shape : look.seen.shapes()) {
      if (shape.words.find("Simulator order") != std::string::npos) sentence = &shape;
      if (shape.words.find("Space plays") != std::string::npos) position = &shape;
    }
    if (!sentence || !position) continue;
    ++beside;
    INFO("width " << width);
    CHECK(sentence->area.right() <= position->area.x);
  }
  CHECK(beside > 0);
}

TEST_CASE("a second trace never moves the first from shared to global memory") {
  using trace::RecordKind;
  using trace::RecordSpace;
  const HandMade tile{.kind = RecordKind::store, .space = RecordSpace::shared, .base = 0, .instruction = 1};
  auto trace = hand_made_trace({{.base = 0x7000000000}, tile});
  trace.notes.scene.view = "banks";
  trace.notes.scene.line = "tile[x]";
  trace.notes.scene.kind = "store";
  Look look(std::move(trace), "banks");
  REQUIRE(look.app.session().playback().at() == 1);
  // B wastes in global memory: three quarters of each sector.
  const tests::ScratchFolder folder;
  const auto other = hand_made({{.base = 0x7000000000, .stride = 64}, tile});
  trace::AccessTraceWriter writer(folder.path / "b.rtrace", other->launch());
  writer.add_block(other->trace().blocks[0]);
  writer.finish(other->trace().arrays);
  look.app.session().open_second(folder.path / "b.rtrace");
  CHECK(look.app.session().b());
  CHECK(look.app.session().playback().at() == 1);
}

TEST_CASE("a resting mouse gets the tooltip of what moves under it") {
  Look look(Accesses{{}, {.stride = 128}});
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

TEST_CASE("P hides the cost in every view until a number is typed") {
  Look look(Accesses{{.stride = 8}});
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

  Look banks(Accesses{kConflict}, "banks");
  banks.key('p');
  CHECK_FALSE(banks.seen.says("pass 32"));
  CHECK(banks.seen.says("How many wavefronts does this access need?"));
}

TEST_CASE("G goes to an access by its number, and no further than the last") {
  Look look(Accesses{{}, {}, {}, {}});
  const Playback& playback = look.app.session().playback();
  const auto type = [&](std::string_view letters, KeyCode end) {
    for (const char letter : letters)
      look.key(letter);
    look.key(end);
  };
  look.key('g');
  CHECK(look.seen.says("Go to which access, 1 to 4?"));
  type("3", KeyCode::enter);
  CHECK(playback.at() == 2);
  CHECK_FALSE(look.seen.says("Go to which access"));
  CHECK(look.app.session().view == "warp");  // the digits were none of the views' keys
  look.key('g');
  type("1", KeyCode::escape);
  CHECK(playback.at() == 2);
  for (const auto& [typed, at] : {std::pair("0", size_t{0}), {"", 0}, {"9999999999999", 3}}) {
    look.key('g');
    type(typed, KeyCode::enter);
    CHECK(playback.at() == at);
  }
}

TEST_CASE("the list of keys has a button, and the next click only closes it") {
  Look look(Accesses{{}, {}});
  const auto click = [&] {
    const Region* button = look.seen.find("keys");
    REQUIRE(button);
    look.app.mouse_down(button->area.centre());
    look.app.mouse_up(button->area.centre());
    look.again();
  };
  CHECK_FALSE(look.seen.says("go to an access by its number"));
  click();
  CHECK(look.seen.says("go to an access by its number"));
  click();
  CHECK_FALSE(look.seen.says("go to an access by its number"));
}

TEST_CASE("a copy that loads from global memory and stores to shared memory costs sectors and passes apart") {
  const HandMade load{.stride = 128},
      store{trace::RecordKind::store, trace::RecordSpace::shared, 0xffffffffu, 4, 0, 0, 4, 0};
  Look look(Accesses{load, store, load, store}, "accesses");
  REQUIRE(look.app.session().a()->lines().size() == 1);
  const LineCost& line = look.app.session().a()->lines().front();
  CHECK(line.global.actual == 64);
  CHECK(line.global.ideal == 8);
  CHECK(line.shared.actual == 2);
  CHECK(line.instructions == std::vector<uint32_t>{0});
  CHECK(look.seen.says("global load   float a = in[i];"));
  CHECK(look.seen.says("shared store   float a = in[i];"));
}

TEST_CASE("a new run says what it changed, and the figures keep what was before") {
  const auto spread = hand_made({{.stride = 128}}), dense = hand_made({{}});
  CHECK(
      news_of(*dense, *spread) ==
      "A new run: 4 sectors of global memory, 32 before (1/8 of them). C: both side by side, Tab: one after "
      "the other.");
  CHECK_THAT(news_of(*spread, *hand_made({kConflict})),
             Contains("32 sectors of global memory, 0 before; 0 wavefronts of shared memory, 32 before."));
  CHECK_THAT(news_of(*dense, *dense), Contains("as many sectors and wavefronts as before"));
  Look look(Accesses{{.stride = 128}});
  CHECK_FALSE(look.seen.says("B: 32 / 4 ideal"));
  look.app.session().show(dense);
  look.again();
  CHECK(look.seen.says("B: 32 / 4 ideal"));
}

TEST_CASE("a new trace becomes A, the old one B, and Tab changes them") {
  Look look(Accesses{{.stride = 8}});
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
  Look look(Accesses{{}});
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

TEST_CASE("a file that cannot be opened is reported, and the open trace stays") {
  Look look(Accesses{{}});
  const LoadedTrace* before = look.app.session().a();
  CHECK_FALSE(look.app.session().open("/nowhere/at/all.rtrace"));
  look.again();
  CHECK(look.seen.says("/nowhere/at/all.rtrace"));
  CHECK(look.app.session().a() == before);
}

}  // namespace ridge::view

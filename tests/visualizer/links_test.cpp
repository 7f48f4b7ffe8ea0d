// The Links view, and the level of the pyramid that is the memory of other devices.
#include <set>

#include "tests/catch.h"
#include "tests/visualizer/hand_made_links.h"
#include "tests/visualizer/look.h"
#include "visualizer/session/analysis/link_traffic.h"

namespace ridge::view {
namespace {

std::set<std::string> links_of(const Recorder& seen) {
  std::set<std::string> ids;
  for (const Region& region : seen.regions())
    if (region.id.starts_with("link/")) ids.insert(region.id);
  return ids;
}

bool overlap(const Rect& a, const Rect& b) {
  return !a.inset(0.5f).clipped(b.inset(0.5f)).empty();
}

std::string tooltip_of(const Recorder& seen, std::string_view id) {
  const Region* region = seen.find(id);
  REQUIRE(region);
  return region->tooltip();
}

}  // namespace

TEST_CASE("Links has an arrow for each direction that was used, and the ideal beside the bytes") {
  struct Case {
    const char* name;
    trace::AccessTrace trace;
    size_t links;
    const char* says;
  };
  Case cases[] = {
      {"ring of 4", ring_trace(), 4,
       "396 kB over 4 links; the busiest device 99.1 kB, 98.3 kB would do (1.01x)"},
      {"ring of 2", ring_trace(2), 2, "over 2 links"},
      {"mesh", mesh_trace(4), 12, "would do (2.4x)"},
      {"steps", steps_trace(), 5, "over 5 links; the busiest device"},
  };
  for (Case& c : cases) {
    INFO(c.name);
    const uint32_t devices = c.trace.links.devices;
    Look look(std::move(c.trace), "links");
    INFO(look.seen.all_text());
    CHECK(look.seen.says(c.says));
    CHECK(links_of(look.seen).size() == c.links);
    CHECK(look.seen.regions_under("device/") == devices);
    CHECK(look.seen.regions_under("port/") == 2 * devices);
  }
}

TEST_CASE("a link says who moved what, in requests of which sizes, and how many are signals") {
  Look look(ring_trace(), "links");
  const std::string ring = tooltip_of(look.seen, "link/0-1");
  INFO(ring);
  CHECK(ring.starts_with("device 0 to device 1: 99,072 bytes"));
  CHECK(ring.find("99,072 bytes stored by device 0 in 792 requests, 24 of them volatile") !=
        std::string::npos);
  CHECK(ring.find("97% of the requests carry a whole line of 128 bytes") != std::string::npos);
  CHECK(tooltip_of(look.seen, "device/0")
            .find("each device must send 98,304 bytes: 2 (N - 1) / N of the array") !=
        std::string::npos);
  CHECK(look.seen.says("97%"));  // of the requests
  Look mesh(mesh_trace(4), "links");
  const std::string both = tooltip_of(mesh.seen, "link/0-1");
  CHECK(both.find("stored by device 0") != std::string::npos);
  CHECK(both.find("32,000 bytes loaded by device 1 in 700 requests") != std::string::npos);
}

TEST_CASE("a chosen link shows its own request sizes, and Esc shows all again") {
  Look look(mesh_trace(4), "links");
  CHECK(look.seen.says("bytes per request"));
  CHECK_FALSE(look.seen.says("from 3 to 0"));
  Gesture press{GestureKind::press};
  look.seen.find("link/3-0")->act(press);
  look.again();
  CHECK(look.seen.says("bytes per request from 3 to 0"));
  look.key(KeyCode::escape);
  CHECK_FALSE(look.seen.says("from 3 to 0"));
}

TEST_CASE("N, B and a click go through the steps of several launches, and Esc shows all") {
  Look look(steps_trace(), "links");
  CHECK(look.seen.regions_under("launch/") == 7);
  look.key('n');
  CHECK(look.seen.says("step 1 of 7, relay: 32.8 kB over 4 links"));
  look.key('n');
  CHECK(look.seen.says("step 2 of 7"));
  look.key('b');
  look.key('b');
  CHECK(look.seen.says("step 1 of 7"));
  look.seen.find("launch/6")->act({GestureKind::press});
  look.again();
  CHECK(look.seen.says("step 7 of 7, copies: 40 kB over 1 link"));
  CHECK(links_of(look.seen) == std::set<std::string>{"link/0-2"});
  CHECK(look.seen.says("copies of the runtime have none"));
  look.key(KeyCode::escape);
  CHECK(links_of(look.seen).size() == 5);
  Look one(ring_trace(), "links");
  CHECK(one.seen.regions_under("launch/") == 0);
}

TEST_CASE("Links says why it is empty, and what to do") {
  Look single(hand_made_trace({{}}), "links");
  CHECK(single.seen.says("This trace is of one device"));
  CHECK(single.seen.all_text().find("--devices") != std::string::npos);
  trace::AccessTrace still = trace_of_devices(4);
  Look nothing(std::move(still), "links");
  CHECK(nothing.seen.says("4 devices, and nothing crossed"));
}

TEST_CASE("a record that accesses another device travels along its link while the playback moves") {
  Look look(ring_trace(), "links");
  look.app.set_view_only(true);  // without the pyramid at the side, where it travels, too
  const auto pulses = [&] {
    look.seen.clear();
    look.app.draw(look.seen, kScreen, 0.15);
    return look.seen.count(ShapeKind::disc, look.app.theme().useful);
  };
  Playback& playback = look.app.session().playback();
  playback.home();
  playback.rest();
  playback.toggle();
  size_t most = 0;
  for (int frame = 0; frame < 12; ++frame)
    most = std::max(most, pulses());
  CHECK(most == 4);  // 512 bytes
  const LoadedTrace& trace = *look.app.session().a();
  trace::TraceRecord record = trace.timelines()[0].record(1);
  const auto on = record_on_link(trace, record);
  REQUIRE(on);
  CHECK(on->source == 0);
  CHECK(on->destination == 1);
  CHECK(on->lines == 4);
  record.kind = trace::RecordKind::load;
  CHECK(record_on_link(trace, record)->source == 1);
  CHECK_FALSE(record_on_link(trace, trace.timelines()[0].record(0)));
}

TEST_CASE("no words of Links stand on each other, at any size of the picture") {
  for (const uint32_t devices : {2u, 3u, 4u, 8u})
    for (const auto& [width, height] : {std::pair(340.0f, 420.0f),
                                        {420.0f, 600.0f},
                                        {560.0f, 300.0f},
                                        {760.0f, 430.0f},
                                        {1100.0f, 560.0f},
                                        {1600.0f, 1000.0f}}) {
      App app;
      app.set_view_only(true);
      app.session().show(std::make_shared<LoadedTrace>(mesh_trace(devices)));
      app.show_view("links");
      Recorder seen;
      app.draw(seen, {0, 0, width, height}, 10);
      std::vector<Shape> words;
      for (const Shape& shape : seen.shapes())
        if (shape.kind == ShapeKind::text && shape.visible) words.push_back(shape);
      INFO(devices << " devices, " << width << " x " << height);
      CHECK(words.size() > devices);
      for (size_t a = 0; a < words.size(); ++a) {
        CHECK(words[a].area.right() <= width + 1);
        for (size_t b = a + 1; b < words.size(); ++b) {
          INFO(words[a].words << " | " << words[b].words);
          CHECK_FALSE(overlap(words[a].area, words[b].area));
        }
      }
    }
}

TEST_CASE("the pyramid has a level for the memory of other devices if there are any") {
  Look look(ring_trace(), "pyramid");
  INFO(look.seen.all_text());
  CHECK(look.seen.says("peers"));
  CHECK(look.seen.says("99.1 kB"));
  const std::string text = tooltip_of(look.seen, "level/4");
  CHECK(text.find("0 B loaded from other devices + 99,072 B stored or added there") !=
        std::string::npos);
  CHECK(text.find("ideal 98.3 kB: 2 (N - 1) / N of the array") != std::string::npos);
  CHECK(tooltip_of(look.seen, "level/3").find("not those of other devices") != std::string::npos);
  Look single(hand_made_trace({{}}), "pyramid");
  CHECK_FALSE(single.seen.says("peers"));
}

}  // namespace ridge::view

// Traces and calculators as a page drives them: settings, keys, the pointer, and what is said in words.
#include <fstream>

#include "tests/catch.h"
#include "tests/scratch_folder.h"
#include "tests/visualizer/hand_made.h"
#include "visualizer/draw/recorder.h"
#include "visualizer/web/surface.h"
#include "warp_model/access.h"
#include "warp_model/device.h"
#include "warp_model/occupancy.h"

namespace ridge::view {
namespace {

constexpr Rect kArea{0, 0, 688, 400};

std::string file_of(const std::vector<HandMade>& records) {
  const tests::ScratchFolder folder;
  const trace::AccessTrace made = hand_made_trace(records);
  trace::AccessTraceWriter writer(folder.path / "a.rtrace", made.launch);
  for (const trace::BlockRecords& block : made.blocks)
    writer.add_block(block);
  writer.finish(made.arrays);
  std::ifstream file(folder.path / "a.rtrace", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool open(Surface& surface, const std::string& bytes) {
  return surface.open({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "a.rtrace");
}

std::string result_of(const Surface& surface, std::string_view name) {
  const nlohmann::json state = surface.state();
  for (const auto& one : state["results"])
    if (one["name"] == name) return one["value"];
  return {};
}

bool says(const Surface& surface, std::string_view words) {
  return surface.state()["description"].get<std::string>().find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a page opens a trace, steps through it, and gets a description of what it shows") {
  const auto surface = make_surface("view");
  CHECK_FALSE(surface->state()["open"].get<bool>());
  REQUIRE(open(*surface, file_of({{}, {.stride = 128}, {.stride = 16, .instruction = 2}})));
  Recorder seen;
  surface->draw(seen, kArea, 10);
  CHECK(seen.regions_under("view/") == 0);  // no tabs: the page has a list
  CHECK(surface->state()["size"] == 3);
  CHECK(surface->state()["views"].size() == trace::kViews.size());

  CHECK(surface->set("at", 1));
  CHECK(says(*surface, "Access 2 of 3, warp 0 of block 0, line 2"));
  CHECK(says(*surface, "32 sectors, 4 would do"));
  CHECK(surface->press({KeyCode::right, 0, false, false}));
  CHECK(surface->state()["settings"]["at"] == 2);
  CHECK(says(*surface, "16 sectors"));
  CHECK(surface->set("view", 6));
  CHECK(says(*surface, "Grid view"));
  CHECK(surface->set("speed", 4));
  CHECK(surface->state()["settings"]["speed"] == 4);

  for (const auto& [name, value] : std::vector<std::pair<const char*, double>>{{"at", 3},
                                                                               {"at", -1},
                                                                               {"view", double(trace::kViews.size())},
                                                                               {"block", 1},
                                                                               {"speed", 3},
                                                                               {"nothing", 0},
                                                                               {"at", NAN}}) {
    INFO(name << " = " << value);
    CHECK_FALSE(surface->set(name, value));
  }
}

TEST_CASE("a cost that is to be predicted is not told in words") {
  const auto surface = make_surface("view");
  REQUIRE(open(*surface, file_of({{.stride = 128}})));
  CHECK(says(*surface, "32 sectors"));
  CHECK(surface->press({KeyCode::character, 'p', false, false}));
  CHECK_FALSE(says(*surface, "32 sectors"));
}

TEST_CASE("keys of the page and of the browser are left to them") {
  const auto surface = make_surface("view");
  REQUIRE(open(*surface, file_of({{}})));
  CHECK_FALSE(surface->press({KeyCode::character, 'l', false, false}));  // the page has the theme
  CHECK_FALSE(surface->press({KeyCode::character, 'q', false, true}));
}

TEST_CASE("what is no trace is not opened, and the message says why") {
  const auto surface = make_surface("window");
  CHECK(surface->state()["description"].get<std::string>().find("Drop a file here") != std::string::npos);
  const std::string whole = file_of({{}});
  for (const std::string& bytes :
       {std::string(), std::string("not a trace at all"), whole.substr(0, whole.size() / 2)}) {
    INFO(bytes.size() << " bytes");
    CHECK_FALSE(open(*surface, bytes));
    CHECK_FALSE(surface->state()["message"].get<std::string>().empty());
    Recorder seen;
    surface->draw(seen, kArea, 0);
    CHECK(seen.count(ShapeKind::text) > 0);
  }
  CHECK(open(*surface, whole));
  CHECK(surface->state()["message"] == "");
  CHECK(make_surface("no such kind") == nullptr);
}

TEST_CASE("the sector calculator counts as the virtual GPU does") {
  const auto surface = make_surface("sectors");
  for (const double element : {1, 4, 16})
    for (const double stride : {0, 1, 2, 3, 8, 33})
      for (const double offset : {0, 1, 7})
        for (const double lanes : {1, 20, 32}) {
          INFO(element << " B, stride " << stride << ", offset " << offset << ", " << lanes
                       << " lanes");
          REQUIRE(surface->set("element_bytes", element));
          REQUIRE((surface->set("stride", stride) && surface->set("offset", offset) &&
                   surface->set("lanes", lanes)));
          std::array<uint64_t, 32> addresses{};
          for (uint32_t lane = 0; lane < 32; ++lane)
            addresses[lane] = static_cast<uint64_t>(element * (offset + stride * lane));
          const auto cost = warp_model::global_cost(
              addresses.data(), lanes == 32 ? ~0u : (1u << static_cast<int>(lanes)) - 1,
              static_cast<uint32_t>(element));
          CHECK(result_of(*surface, "Sectors") == std::to_string(cost.sectors) + " (" +
                                                      std::to_string(cost.ideal_sectors) +
                                                      " would do)");
        }
  CHECK_FALSE(surface->set("element_bytes", 3));
  CHECK_FALSE(surface->set("stride", 65));
  CHECK_FALSE(surface->set("stride", 1.5));
}

TEST_CASE("the bank calculator shows what padding, a swizzle and the direction do") {
  struct Case {
    double element, columns, padding, down, swizzle;
    const char* wavefronts;
  };
  const Case cases[] = {
      {4, 32, 0, 1, 0, "32 (1 would do)"}, {4, 32, 1, 1, 0, "1 (1 would do)"},
      {4, 32, 0, 1, 1, "1 (1 would do)"},  {4, 32, 0, 0, 0, "1 (1 would do)"},
      {4, 16, 0, 1, 0, "16 (1 would do)"}, {8, 32, 0, 1, 0, "32 (2 would do)"},
      {4, 33, 0, 1, 1, "1 (1 would do)"},
  };
  const auto surface = make_surface("banks");
  for (const Case& one : cases) {
    INFO(one.element << " B, " << one.columns << " + " << one.padding << ", down " << one.down
                     << ", swizzle " << one.swizzle);
    REQUIRE((surface->set("element_bytes", one.element) && surface->set("columns", one.columns)));
    REQUIRE((surface->set("padding", one.padding) && surface->set("down_a_column", one.down)));
    REQUIRE(surface->set("swizzle", one.swizzle));
    CHECK(result_of(*surface, "Wavefronts") == one.wavefronts);
    Recorder seen;
    surface->draw(seen, kArea, 0);
    CHECK(seen.says(std::string(one.wavefronts).substr(0, 2)));
    CHECK_FALSE(seen.says("What if"));
  }
  CHECK(result_of(*surface, "Swizzle").find("not applied") != std::string::npos);
}

TEST_CASE("the occupancy calculator gives warp_model's figures") {
  const auto surface = make_surface("occupancy");
  for (size_t d = 0; d < warp_model::devices().size(); ++d)
    for (const double threads : {32, 96, 256, 1024})
      for (const double registers : {16, 64, 255})
        for (const double shared : {0, 49152, 200000}) {
          const auto wanted =
              warp_model::occupancy(warp_model::devices()[d], {static_cast<uint32_t>(threads),
                                                               static_cast<uint32_t>(registers), 0,
                                                               static_cast<uint32_t>(shared)});
          REQUIRE(
              (surface->set("device", static_cast<double>(d)) && surface->set("threads", threads)));
          REQUIRE((surface->set("registers", registers) && surface->set("shared_bytes", shared)));
          CHECK(result_of(*surface, "Blocks per SM") == std::to_string(wanted.blocks_per_sm));
          CHECK(result_of(*surface, "Limited by") == warp_model::name(wanted.limiter));
          Recorder seen;
          surface->draw(seen, kArea, 0);
          CHECK(seen.count(ShapeKind::box) >= wanted.warps_per_sm);
        }
}

TEST_CASE("the roofline's point is dragged and moved by keys, and stays under the roof") {
  const auto surface = make_surface("roofline");
  Recorder seen;
  surface->draw(seen, kArea, 0);
  const auto value = [&](const char* name) {
    return surface->state()["settings"][name].get<double>();
  };
  CHECK(result_of(*surface, "Bound by") == "memory bandwidth");
  surface->pointer(PointerKind::down, {600, 30}, 0, false);
  surface->pointer(PointerKind::move, {620, 25}, 0, false);
  CHECK(result_of(*surface, "Part of the roof") == "100%");
  CHECK(result_of(*surface, "Bound by") == "arithmetic");
  const double bytes = value("bytes");
  surface->pointer(PointerKind::up, {620, 25}, 0, false);
  surface->pointer(PointerKind::move, {200, 200}, 0, false);
  CHECK(value("bytes") == bytes);  // nothing is held
  CHECK(surface->press({KeyCode::left, 0, false, false}));
  CHECK(value("bytes") > bytes);
  const double time_us = value("time_us");
  CHECK(surface->press({KeyCode::down, 0, true, false}));
  CHECK(value("time_us") > time_us);
  CHECK_FALSE(surface->press({KeyCode::character, 'x', false, false}));
  CHECK_FALSE(surface->set("bytes", 0));
  CHECK(says(*surface, "Roofline of the H200"));
}

}  // namespace ridge::view

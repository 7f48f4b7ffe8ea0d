// The scene of every rung, traced from our solution and drawn: its heading, its sentence and its picture give
// the same number of sectors or wavefronts.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/scratch_folder.h"
#include "visualizer/app/app.h"
#include "visualizer/draw/recorder.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {
namespace {

namespace fs = std::filesystem;

// "02-coalescing/3-transpose-naive", ...: of every solution.
std::vector<std::string> rungs() {
  std::vector<std::string> all;
  for (const auto& lab : fs::directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "solutions"))
    if (lab.is_directory())
      for (const auto& file : fs::directory_iterator(lab.path()))
        if (file.path().extension() == ".cu")
          all.push_back(lab.path().filename().string() + "/" + file.path().stem().string());
  std::sort(all.begin(), all.end());
  return all;
}

// The numbers before "sectors" or "wavefronts" in a sentence.
std::vector<uint64_t> numbers_of(const std::string& sentence, const std::string& unit) {
  static const std::map<std::string, uint64_t> kWords = {{"one", 1},   {"two", 2},   {"three", 3},
                                                         {"four", 4},  {"eight", 8}, {"sixteen", 16},
                                                         {"each", 0}};
  std::vector<uint64_t> found;
  const std::regex pattern("(\\w+) (full )?" + unit + "s?\\b");
  for (std::sregex_iterator at(sentence.begin(), sentence.end(), pattern), end; at != end; ++at) {
    const std::string word = (*at)[1].str();
    if (std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }))
      found.push_back(std::stoull(word));
    else if (const auto known = kWords.find(word); known != kWords.end() && known->second)
      found.push_back(known->second);
  }
  return found;
}

size_t rows_of_banks(const Recorder& seen) {
  return static_cast<size_t>(std::count_if(seen.regions().begin(), seen.regions().end(),
                                           [](const Region& r) { return r.id.starts_with("bank/0/"); }));
}

void check_scene(const std::string& rung, const fs::path& file) {
  INFO(rung);
  App app;
  REQUIRE(app.session().open(file));
  const trace::TraceScene& scene = app.session().a()->trace().notes.scene;
  REQUIRE_FALSE(scene.text.empty());
  CHECK(app.session().has_scene());
  const auto* record = app.session().record();
  REQUIRE(record);
  const trace::RecordMark mark = app.session().timeline()->mark(app.session().playback().at());
  const auto look = [&](const char* view) {
    app.show_view(view);
    app.session().playback().rest();
    Recorder seen;
    app.draw(seen, {0, 0, 1600, 1400}, 1);
    return seen;
  };
  if (scene.view == "links") {
    const Recorder links = look("links");
    CHECK(links.says("would do ("));
    CHECK(links.regions_under("link/") > 0);
  }
  if (!mark.is_access()) return;
  INFO(scene.text << " (" << mark.actual << ", " << mark.ideal << " would do)");
  const std::string cost = cost_text(mark.space, mark.actual, mark.ideal);
  const Recorder warp = look("warp");
  CHECK(warp.says(cost));
  const bool by_lanes = record->shape != trace::RecordShape::runs;
  if (mark.space == trace::RecordSpace::global && by_lanes) CHECK(warp.regions_under("sector/") == mark.actual);
  if (mark.space == trace::RecordSpace::shared && by_lanes) {
    const Recorder banks = look("banks");
    CHECK(banks.says(cost));
    CHECK(rows_of_banks(banks) == mark.actual);
  }
  // A sentence that gives numbers gives the one of the picture, and may give others beside it.
  const std::string unit = mark.space == trace::RecordSpace::shared ? "wavefront" : "sector";
  const std::vector<uint64_t> said = numbers_of(scene.text, unit);
  if (!said.empty())
    CHECK(std::any_of(said.begin(), said.end(), [&](uint64_t n) { return n == mark.actual || n == mark.ideal; }));
}

void check_scenes(const std::vector<std::string>& names) {
  const tests::ScratchFolder folder;
  const std::string ridge = std::string(RIDGE_BINARY_DIR) + "/bin/ridge";
  if (!fs::exists(ridge)) {
    WARN("skipped: " << ridge << " is not built");
    return;
  }
  for (const std::string& rung : names) {
    const fs::path file = folder.path / "scene.rtrace";
    const std::string command = "RIDGE_ROOT=" RIDGE_SOURCE_DIR " " + ridge + " trace " + rung + " --solution -o " +
                                file.string() + " >" + (folder.path / "log").string() + " 2>&1";
    INFO(command);
    REQUIRE(std::system(command.c_str()) == 0);
    check_scene(rung, file);
  }
}

}  // namespace

TEST_CASE("heading, sentence and picture of every scene of the course agree", "[exhaustive]") {
  const std::vector<std::string> all = rungs();
  CHECK(all.size() >= 40);  // labs 01 to 06
  check_scenes(all);
}

// A trace takes nvcc and a run, two seconds in all.
TEST_CASE("heading, sentence and picture of scenes drawn by chance agree", "[long]") {
  constexpr size_t kDrawn = 5;
  const std::vector<std::string> all = rungs();
  std::vector<std::string> drawn;
  std::sample(all.begin(), all.end(), std::back_inserter(drawn), kDrawn, std::mt19937(std::random_device()()));
  CHECK(drawn.size() == kDrawn);
  check_scenes(drawn);
}

TEST_CASE("the numbers of a scene's sentence are found by their unit") {
  CHECK(numbers_of("128 bytes touch 32 sectors where 4 would do", "sector") == std::vector<uint64_t>{32});
  CHECK(numbers_of("in one wavefront, or two wavefronts", "wavefront") == std::vector<uint64_t>{1, 2});
  CHECK(numbers_of("in four full sectors", "sector") == std::vector<uint64_t>{4});
  CHECK(numbers_of("takes several wavefronts", "wavefront").empty());
}

}  // namespace ridge::view

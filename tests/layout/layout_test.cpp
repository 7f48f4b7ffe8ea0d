// The tree itself, as the design draws it: which folder may include which, and how long a file may be.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

// A module is the longest of these prefixes of a path. The set says what it may include besides itself.
const std::map<std::string, std::set<std::string>> kArrows = {
    {"text", {}},
    {"warp_model", {}},
    {"trace", {"warp_model", "text"}},
    {"virtual_gpu/ptx", {"text"}},
    {"virtual_gpu/machine", {"virtual_gpu/ptx", "warp_model", "text"}},
    {"virtual_gpu/observe", {"virtual_gpu/machine", "virtual_gpu/ptx", "warp_model", "trace", "text"}},
    {"virtual_gpu/runtime",
     {"virtual_gpu/observe", "virtual_gpu/machine", "virtual_gpu/ptx", "warp_model", "trace", "text"}},
    {"virtual_gpu/bench", {"virtual_gpu/machine", "trace", "text"}},
    {"harness/course", {"trace", "warp_model", "text"}},
    {"harness/problems", {"harness/course", "warp_model", "text"}},
    {"harness/sandbox", {}},
    {"harness/build", {"harness/sandbox", "harness/course", "text"}},
    {"harness/runner",
     {"harness/sandbox", "harness/build", "harness/problems", "harness/course", "trace", "warp_model",
      "text"}},
    {"harness/measure",
     {"harness/runner", "harness/build", "harness/problems", "harness/course", "trace", "warp_model",
      "text"}},
    {"harness/grade",
     {"harness/measure", "harness/runner", "harness/build", "harness/problems", "harness/course", "trace",
      "warp_model", "text"}},
    {"harness/tune", {"harness/build", "warp_model", "text"}},
    {"harness/report",
     {"harness/tune", "harness/grade", "harness/build", "harness/course", "trace", "warp_model", "text"}},
    {"harness/cli",
     {"harness/report", "harness/tune", "harness/grade", "harness/measure", "harness/runner", "harness/build",
      "harness/problems", "harness/course", "trace", "warp_model", "text"}},
    {"visualizer/draw", {}},
    {"visualizer/session", {"trace", "warp_model", "harness/report", "text"}},
    {"visualizer/views",
     {"visualizer/draw", "visualizer/session", "trace", "warp_model", "harness/report", "text"}},
    {"visualizer/ladders",
     {"visualizer/views", "visualizer/draw", "visualizer/session", "trace", "warp_model", "harness/report",
      "text"}},
    {"visualizer/export",
     {"visualizer/views", "visualizer/draw", "visualizer/session", "trace", "warp_model", "harness/report",
      "text"}},
    {"visualizer/app",
     {"visualizer/views", "visualizer/draw", "visualizer/session", "trace", "warp_model", "text"}},
    {"visualizer/shell",
     {"visualizer/app", "visualizer/export", "visualizer/views", "visualizer/draw", "visualizer/session",
      "trace", "warp_model", "harness/report", "text"}},
    {"leaderboard", {"harness/report", "harness/grade", "harness/course", "text"}},
};

std::string module_of(const std::string& path) {
  std::string best;
  for (const auto& [module, allowed] : kArrows)
    if (path.starts_with(module + "/") && module.size() > best.size()) best = module;
  return best;
}

std::vector<fs::path> files_under(const std::string& folder, const std::set<std::string>& endings) {
  std::vector<fs::path> files;
  fs::path root = fs::path(RIDGE_SOURCE_DIR) / folder;
  if (!fs::exists(root)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file() && endings.contains(entry.path().extension().string()))
      files.push_back(entry.path());
  return files;
}

const std::vector<std::string> kFolders = {"text",    "warp_model", "trace",       "virtual_gpu",
                                           "harness", "visualizer", "leaderboard", "tests"};

}  // namespace

TEST_CASE("no file includes a module that the design draws no arrow to") {
  const std::regex include_line(R"re(^\s*#\s*include\s*"([^"]+)")re");
  int checked = 0;
  for (const std::string& folder : kFolders) {
    if (folder == "tests") continue;
    for (const fs::path& file : files_under(folder, {".h", ".cpp", ".cu", ".cuh", ".inc"})) {
      std::string relative = fs::relative(file, RIDGE_SOURCE_DIR).string();
      std::string from = module_of(relative);
      INFO(relative << " belongs to no module of the design");
      REQUIRE_FALSE(from.empty());
      std::ifstream text(file);
      for (std::string line; std::getline(text, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, include_line)) continue;
        std::string to = module_of(match[1].str());
        if (to.empty() || to == from) continue;
        ++checked;
        INFO(relative << " includes " << match[1].str() << ": the design has no arrow " << from << " -> "
                      << to);
        CHECK(kArrows.at(from).contains(to));
      }
    }
  }
  CHECK(checked > 20);
}

TEST_CASE("the arrows of the design have no circle") {
  for (const auto& [module, allowed] : kArrows) {
    std::set<std::string> reached, open(allowed.begin(), allowed.end());
    while (!open.empty()) {
      std::string next = *open.begin();
      open.erase(open.begin());
      if (!reached.insert(next).second) continue;
      for (const std::string& further : kArrows.at(next))
        open.insert(further);
    }
    INFO(module);
    CHECK_FALSE(reached.contains(module));
  }
}

// A student's file has at most 120 lines; where it drives the copy engine and wgmma, 200; and the header that
// explains those two, of which wgmma's lists of registers are a quarter, 350.
TEST_CASE("no source file is longer than 500 lines, and a student's file is under 120, with wgmma 200") {
  std::vector<std::string> folders = kFolders;
  for (const char* more : {"labs", "solutions", "cmake"})
    folders.push_back(more);
  for (const std::string& folder : folders) {
    const bool student = folder == "labs" || folder == "solutions";
    for (const fs::path& file : files_under(folder, {".h", ".cpp", ".cu", ".cuh", ".inc", ".cmake"})) {
      std::ifstream text(file);
      int lines = 0, most = student ? 120 : 500;
      for (std::string line; std::getline(text, line); ++lines)
        if (student && line == "#include \"hopper.cuh\"") most = 200;
      if (student && file.filename() == "hopper.cuh") most = 350;
      INFO(fs::relative(file, RIDGE_SOURCE_DIR).string() << " has " << lines << " lines");
      CHECK(lines <= most);
    }
  }
}

TEST_CASE("no folder or file is named for nothing in particular") {
  const std::set<std::string> vague = {"utils", "util", "common", "helpers", "helper", "manager", "misc"};
  for (const std::string& folder : kFolders)
    for (const fs::path& file : files_under(folder, {".h", ".cpp", ".cu"})) {
      INFO(file.string());
      CHECK_FALSE(vague.contains(file.stem().string()));
      CHECK_FALSE(vague.contains(file.parent_path().filename().string()));
    }
}

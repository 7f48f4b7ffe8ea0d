// Checks which folder includes which, against the module diagram of docs/architecture.md.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
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
    {"virtual_gpu/headers", {}},  // CUDA's names, for clang
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
    {"harness/exam", {"harness/tune", "harness/course", "warp_model", "text"}},
    {"harness/report",
     {"harness/tune", "harness/grade", "harness/build", "harness/course", "trace", "warp_model", "text"}},
    {"harness/cli",
     {"harness/report", "harness/tune", "harness/grade", "harness/measure", "harness/runner", "harness/build",
      "harness/problems", "harness/course", "trace", "warp_model", "text", "leaderboard/client"}},
    {"leaderboard/client", {}},
    {"leaderboard",
     {"leaderboard/client", "harness/exam", "harness/report", "harness/grade", "harness/build", "harness/course", "text"}},
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
    {"visualizer/web",
     {"visualizer/app", "visualizer/views", "visualizer/draw", "visualizer/session", "trace", "warp_model", "text"}},
    {"visualizer/shell",
     {"visualizer/app", "visualizer/export", "visualizer/views", "visualizer/draw", "visualizer/session",
      "trace", "warp_model", "harness/report", "text"}},
    {"leaderboard", {"harness/report", "harness/grade", "harness/build", "harness/course", "text"}},
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

TEST_CASE("a file includes only modules that its own module may use") {
  const std::regex include_line(R"re(^\s*#\s*include\s*"([^"]+)")re");
  int checked = 0;
  for (const std::string& folder : kFolders) {
    if (folder == "tests") continue;
    for (const fs::path& file : files_under(folder, {".h", ".cpp", ".cu", ".cuh", ".inc"})) {
      std::string relative = fs::relative(file, RIDGE_SOURCE_DIR).string();
      std::string from = module_of(relative);
      INFO(relative << " belongs to no module: add its folder to kArrows and to docs/architecture.md");
      REQUIRE_FALSE(from.empty());
      std::ifstream text(file);
      for (std::string line; std::getline(text, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, include_line)) continue;
        std::string to = module_of(match[1].str());
        if (to.empty() || to == from) continue;
        ++checked;
        INFO(relative << " includes " << match[1].str() << ", and " << from << " may not use " << to);
        CHECK(kArrows.at(from).contains(to));
      }
    }
  }
  CHECK(checked > 20);
}

TEST_CASE("the modules have no circular dependency") {
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

TEST_CASE("the top level of the repository holds the parts of the project and nothing else") {
  const std::set<std::string> parts = {
      ".ci",        ".clang-format", ".gitignore",  "CMakeLists.txt", "CMakePresets.json",
      "HACKING.md", "README.md",     "cmake",       "course",         "docs",
      "harness",    "labs",          "leaderboard", "ridge",          "solutions",
      "tests",      "text",          "trace",       "virtual_gpu",    "visualizer",
      "warp_model"};
  const std::string list = std::string("git -C '") + RIDGE_SOURCE_DIR + "' ls-files 2>&1";
  FILE* const pipe = popen(list.c_str(), "r");
  REQUIRE(pipe);
  std::string names;
  for (int letter; (letter = std::fgetc(pipe)) != EOF;)
    names += static_cast<char>(letter);
  if (pclose(pipe) != 0) {  // a copy without the history
    WARN("skipped: git lists nothing here: " << names);
    return;
  }
  std::istringstream lines(names);
  for (std::string file; std::getline(lines, file);) {
    const std::string name = file.substr(0, file.find('/'));
    INFO(file << " was committed: remove it, or add it here if it is a part of the project");
    CHECK(parts.contains(name));
  }
}

TEST_CASE("no file or folder has a name that says nothing, such as utils") {
  const std::set<std::string> vague = {"utils", "util", "common", "helpers", "helper", "manager", "misc"};
  for (const std::string& folder : kFolders)
    for (const fs::path& file : files_under(folder, {".h", ".cpp", ".cu"})) {
      INFO(file.string());
      CHECK_FALSE(vague.contains(file.stem().string()));
      CHECK_FALSE(vague.contains(file.parent_path().filename().string()));
    }
}

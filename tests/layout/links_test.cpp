// Checks that the documentation names files that exist.
#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <string>

#include "tests/catch.h"
#include "tests/layout/tree.h"

namespace {

namespace fs = std::filesystem;

using ridge::layout::lines_of;
using ridge::layout::project_files;

// A place in the tree that `name` may mean: a path from the root, or from a folder that a page is about.
bool exists_somewhere(const std::string& name) {
  for (const char* folder : {"", "harness", "leaderboard", "visualizer", "virtual_gpu",
                             "tests/harness/report", "tests/harness/cli"})
    for (const char* ending : {"", ".h", ".cpp"})
      if (fs::exists(fs::path(RIDGE_SOURCE_DIR) / folder / (name + ending))) return true;
  return false;
}

}  // namespace

TEST_CASE("links between Markdown pages lead to files that exist") {
  const std::regex link(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  int checked = 0;
  for (const std::string& file : project_files({".md"})) {
    const fs::path folder = (fs::path(RIDGE_SOURCE_DIR) / file).parent_path();
    for (const std::string& line : lines_of(file))
      for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
        ++checked;
        INFO(file << " links to " << (*at)[1].str());
        CHECK(fs::exists(folder / (*at)[1].str()));
      }
  }
  CHECK(checked > 50);
}

// `harness/grade/timed.cpp`, or `grade/timed.cpp` on a page about the harness; patterns and folders of a clone
// are left out.
TEST_CASE("docs/ names files and folders that exist") {
  const std::regex path(R"(`([a-z_]+/[a-z_./0-9-]*[a-z_0-9])/?`)");
  int checked = 0;
  for (const std::string& file : project_files({".md"})) {
    if (!file.starts_with("docs/")) continue;
    for (const std::string& line : lines_of(file))
      for (std::sregex_iterator at(line.begin(), line.end(), path), end; at != end; ++at) {
        const std::string name = (*at)[1].str();
        if (name.starts_with("build/") || name == "lane/7") continue;
        ++checked;
        INFO(fmt::format("{} names {}, which does not exist", file, name));
        CHECK(exists_somewhere(name));
      }
  }
  CHECK(checked > 50);
}

// `grade` ("every finding in the code has its row in the table, and every row is used")
TEST_CASE("docs/recipes.md names test cases that exist") {
  std::string tests, recipes;
  for (const std::string& file : project_files({".cpp"}))
    if (file.starts_with("tests/"))
      for (const std::string& line : lines_of(file))
        tests += line + "\n";
  for (const std::string& line : lines_of("docs/recipes.md"))
    recipes += line + " ";
  const std::regex name(R"re(`[a-z_]+` \("([^"]+)"\))re");
  int checked = 0;
  for (std::sregex_iterator at(recipes.begin(), recipes.end(), name), end; at != end; ++at) {
    ++checked;
    INFO("docs/recipes.md names the test case " << (*at)[1].str());
    CHECK(tests.find("\"" + (*at)[1].str() + "\"") != std::string::npos);
  }
  CHECK(checked >= 6);
}

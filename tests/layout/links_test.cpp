// Checks that the documentation names files that exist.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
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

// The anchor of a heading, as code hosts and the course's site make it (course/site/program/assemble/slug.mjs): in
// lower case, without punctuation, each blank a hyphen. Bytes of UTF-8 are letters here, but for × and dashes.
std::string anchor_of(std::string heading) {
  heading = std::regex_replace(heading, std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1");
  heading = std::regex_replace(heading, std::regex("×|–|—|→|“|”|…"), "");
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) || c == '_' || c == '-')
      anchor += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

// The anchors of a page; a heading that is there twice has "-1" at its second place.
std::set<std::string> anchors_of(const std::vector<std::string>& lines) {
  std::set<std::string> anchors;
  std::map<std::string, int> times;
  bool code = false;
  for (const std::string& line : lines) {
    if (line.starts_with("```")) code = !code;
    const size_t level = line.find_first_not_of('#');
    if (code || level == 0 || level == std::string::npos || line[level] != ' ') continue;
    const std::string anchor = anchor_of(line.substr(level + 1));
    const int before = times[anchor]++;
    anchors.insert(before ? fmt::format("{}-{}", anchor, before) : anchor);
  }
  return anchors;
}

}  // namespace

TEST_CASE("links between Markdown pages lead to headings that exist") {
  const std::regex link(R"(\]\(([^)#: ]*)#([^)]+)\))");
  int checked = 0;
  for (const std::string& file : project_files({".md"})) {
    const fs::path folder = fs::path(file).parent_path();
    for (const std::string& line : lines_of(file))
      for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
        const std::string to = (*at)[1].str();
        const std::string target = to.empty() ? file : (folder / to).lexically_normal().string();
        if (!target.ends_with(".md")) continue;  // a line of code on a host
        ++checked;
        INFO(file << " links to #" << (*at)[2].str() << " of " << target);
        CHECK(anchors_of(lines_of(target)).contains((*at)[2].str()));
      }
  }
  CHECK(checked > 20);
}

TEST_CASE("anchors are made as code hosts make them") {
  CHECK(anchor_of("Rung 4: bytes in flight") == "rung-4-bytes-in-flight");
  CHECK(anchor_of("`cp.async` with one buffer, then two") == "cpasync-with-one-buffer-then-two");
  CHECK(anchors_of({"# A", "```", "# no heading", "```", "## Part", "## Part"}) ==
        std::set<std::string>{"a", "part", "part-1"});
}

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

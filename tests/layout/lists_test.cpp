// Checks lists that a compiler does not: what a file defines must be in the list that uses it.
#include <regex>
#include <set>
#include <string>

#include "tests/catch.h"
#include "tests/layout/tree.h"

namespace {

using ridge::layout::lines_of;
using ridge::layout::project_files;

// The first groups of all matches in a file.
std::set<std::string> names_in(const std::string& file, const std::string& pattern) {
  const std::regex name(pattern);
  std::set<std::string> names;
  for (const std::string& line : lines_of(file))
    for (std::sregex_iterator at(line.begin(), line.end(), name), end; at != end; ++at)
      names.insert((*at)[1]);
  return names;
}

}  // namespace

TEST_CASE("every command that a file defines is in the program's list") {
  const auto listed = names_in("harness/cli/program.cpp", R"(\b(add_\w+)\b)");
  int checked = 0;
  for (const std::string& file : project_files({".cpp"})) {
    if (!file.starts_with("harness/cli/commands/")) continue;
    for (const std::string& command : names_in(file, R"(^void (add_\w+)\(CLI::App&)")) {
      ++checked;
      INFO(file << " defines " << command << "; add it to the list in harness/cli/program.cpp");
      CHECK(listed.contains(command));
    }
  }
  CHECK(checked >= 20);
}

TEST_CASE("every call of the runtime that the runner follows is recorded, and exported") {
  const std::string folder = "harness/runner/child/calls/";
  const auto recorded = names_in(folder + "observed_functions.cpp", R"(^(?:OBSERVED|OBSERVED_MS|DRIVER_FUNCTION)\((\w+),)");
  const auto exported = names_in(folder + "observed_functions.list", R"(^  (\w+);)");
  CHECK(recorded.size() > 20);
  CHECK(recorded == exported);
  for (const std::string& call :
       names_in(folder + "stream_order.cpp", R"re("((__)?cuda[A-Z]\w+)")re")) {
    INFO(call << " is not recorded: add it to observed_functions.cpp");
    CHECK(recorded.contains(call));
  }
}

TEST_CASE("every lab has its row in the README and on the start page") {
  const auto in_readme = names_in("README.md", R"(^\| \[\d\d [^\]]+\]\(labs/([\w-]+)\))");
  const auto on_start_page = names_in("course/concepts/00-start-here.md", R"(^\| (\d\d) )");
  int labs = 0;
  for (const std::string& file : project_files({".toml"})) {
    if (!file.starts_with("labs/") || !file.ends_with("/lab.toml")) continue;
    ++labs;
    const std::string lab = file.substr(5, file.find('/', 5) - 5);
    INFO(lab << " has no row in the table of README.md, or of course/concepts/00-start-here.md");
    CHECK(in_readme.contains(lab));
    CHECK(on_start_page.contains(lab.substr(0, 2)));
  }
  CHECK(labs >= 14);
}

TEST_CASE("every number of a launch report has its name in the JSON") {
  const auto named = names_in("trace/reports/report_fields.h", R"(, report\.(\w+)\))");
  const std::regex fields(R"(^  (?:uint64_t|uint32_t|double|bool) ([\w ={},.]+);)"), field(R"((\w+) ?(?:=|\{))");
  bool inside = false;
  int checked = 0;
  for (const std::string& line : lines_of("trace/launch_report.h")) {
    if (line == "struct LaunchReport {") inside = true;
    if (inside && line == "};") break;
    std::smatch match;
    if (!inside || !std::regex_search(line, match, fields)) continue;
    const std::string names = match[1];
    for (std::sregex_iterator at(names.begin(), names.end(), field), end; at != end; ++at) {
      ++checked;
      INFO((*at)[1] << " of LaunchReport; add it to trace/reports/report_fields.h");
      CHECK(named.contains((*at)[1]));
    }
  }
  CHECK(checked >= 40);
}

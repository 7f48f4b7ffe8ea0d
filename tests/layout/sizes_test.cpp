// How long files and lines may be, and how many files a folder may hold.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "tests/catch.h"
#include "tests/layout/tree.h"

namespace {

using ridge::layout::lines_of;
using ridge::layout::project_files;
using ridge::layout::width_of;

bool is_student_file(const std::string& file) {
  return file.starts_with("labs/") || file.starts_with("solutions/");
}

// A student's file is as long as its idea needs: under 120 lines as a rule, under 220 where it drives the
// copy engine and wgmma. The header of those instructions is mostly lists of registers.
int most_lines(const std::string& file, const std::vector<std::string>& lines) {
  if (file == "labs/include/hopper.cuh") return 400;
  if (!is_student_file(file)) return 500;
  // Nothing of a transfer task is given: a solution is all kernels of an algorithm.
  if (file.starts_with("solutions/13-transfer-tasks/")) return 260;
  const bool hopper =
      std::find(lines.begin(), lines.end(), "#include \"hopper.cuh\"") != lines.end();
  return hopper ? 220 : 140;
}

constexpr int kMostFilesPerFolder = 25;

// Folders that hold more, with the reason.
const std::map<std::string, std::string> kLargeFolders = {
    {"course/measured/nvidia-h200", "one file per run of a lab"},
    {"course/figures", "one file per figure"},
};

// A source file whose header is beside it is explained there; a program of tests/ by its name.
bool explains_itself(const std::string& file, const std::set<std::string>& files) {
  if (file.starts_with("tests/")) return true;
  return file.ends_with(".cpp") && files.contains(file.substr(0, file.size() - 4) + ".h");
}

}  // namespace

TEST_CASE("no source file is too long") {
  for (const std::string& file :
       project_files({".h", ".cpp", ".cu", ".cuh", ".inc", ".cmake", ".py", ".sh"})) {
    const auto lines = lines_of(file);
    INFO(file << " has " << lines.size() << " lines: divide it by idea");
    CHECK(static_cast<int>(lines.size()) <= most_lines(file, lines));
  }
}

TEST_CASE("no line of a student's file is over 100 columns") {
  for (const std::string& file : project_files({".h", ".cu", ".cuh"})) {
    if (!is_student_file(file)) continue;
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      if (width_of(line) <= 100) continue;
      INFO(fmt::format("{}:{} has {} columns: run clang-format-14 -i on it", file, number,
                       width_of(line)));
      CHECK(false);
    }
  }
}

// Table rows and pictures cannot wrap.
TEST_CASE("Markdown wraps at 100 columns") {
  for (const std::string& file : project_files({".md"})) {
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      if (line.starts_with('|') || line.starts_with("![") || width_of(line) <= 100) continue;
      INFO(fmt::format("{}:{} has {} columns: wrap it", file, number, width_of(line)));
      CHECK(false);
    }
  }
}

TEST_CASE("a page of docs/ is under 250 lines, and HACKING.md is one screen") {
  for (const std::string& file : project_files({".md"})) {
    if (!file.starts_with("docs/") && file != "HACKING.md") continue;
    const size_t lines = lines_of(file).size();
    INFO(file << " has " << lines << " lines: divide it by task");
    CHECK(lines < (file == "HACKING.md" ? 60 : 250));
  }
}

TEST_CASE("a folder holds at most 25 files") {
  std::map<std::string, int> counts;
  for (const std::string& file : project_files())
    if (const size_t slash = file.rfind('/'); slash != std::string::npos)
      ++counts[file.substr(0, slash)];
  for (const auto& [folder, count] : counts) {
    if (kLargeFolders.contains(folder)) continue;
    INFO(fmt::format("{} holds {} files: divide it into folders named for ideas", folder, count));
    CHECK(count <= kMostFilesPerFolder);
  }
}

TEST_CASE("a source file opens with a sentence on what it is for") {
  const auto listed = project_files({".h", ".cpp", ".cu", ".cuh"});
  const std::set<std::string> files(listed.begin(), listed.end());
  for (const std::string& file : files) {
    if (explains_itself(file, files)) continue;
    const auto lines = lines_of(file);
    INFO(file << " opens without a comment");
    CHECK((!lines.empty() && lines.front().starts_with("//")));
  }
}

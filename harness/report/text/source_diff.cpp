#include "harness/report/text/source_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "harness/build/process.h"
#include "harness/grade/scratch_folder.h"

namespace ridge::report {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", file.string()));
}

// Nobody's own settings: an external diff tool or other prefixes would not be understood here.
build::Finished git_diff(const fs::path& folder, std::vector<std::string> options) {
  std::vector<std::string> command = {"git",           "-C",           folder.string(),
                                      "diff",          "--no-index",   "--no-ext-diff",
                                      "--no-textconv", "--no-renames", "--text"};
  command.insert(command.end(), options.begin(), options.end());
  return build::run(command,
                    {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"}, {"LC_ALL", "C"}},
                    build::Keep::output_only);
}

build::Finished plain_diff(const fs::path& before, const fs::path& after, bool colour) {
  return build::run(
      {"diff", "-u", "--text", colour ? "--color=always" : "--color=never", before.string(), after.string()},
      {{"LC_ALL", "C"}}, build::Keep::output_only);
}

// Both end with 0 for no difference, 1 for one, and more when they could not tell.
bool told(const build::Finished& finished) {
  return finished.started && (finished.status == 0 || finished.status == 1);
}

LineChange counted(const std::string& hunks) {
  LineChange change;
  std::istringstream lines(hunks);
  for (std::string line; std::getline(lines, line);) {
    change.added += line.starts_with("+");
    change.removed += line.starts_with("-");
  }
  return change;
}

// The tools' own headers name scratch files.
std::string from_first_hunk(const std::string& text) {
  size_t line = 0;
  while (line < text.size()) {
    size_t start = line;
    while (start < text.size() && text[start] == '\x1b')
      start = text.find('m', start) + 1;
    if (text.compare(start, 2, "@@") == 0) return text.substr(line);
    line = text.find('\n', line);
    line = line == std::string::npos ? text.size() : line + 1;
  }
  return "";
}

}  // namespace

std::vector<std::optional<LineChange>> count_changes(std::span<const VersionPair> pairs) {
  std::vector<std::optional<LineChange>> changes(pairs.size());
  if (pairs.empty()) return changes;
  const grade::ScratchFolder scratch(fs::temp_directory_path());
  const fs::path before = scratch.path() / "before", after = scratch.path() / "after";
  fs::create_directories(before);
  fs::create_directories(after);
  for (size_t i = 0; i < pairs.size(); ++i) {
    write_file(before / fmt::format("{}", i), pairs[i].before);
    write_file(after / fmt::format("{}", i), pairs[i].after);
  }
  const build::Finished finished = git_diff(scratch.path(), {"--numstat", "before", "after"});
  if (told(finished)) {
    std::fill(changes.begin(), changes.end(), LineChange{});  // what does not differ is not listed
    std::istringstream lines(finished.output);
    for (std::string line; std::getline(lines, line);) {  // "6\t1\tbefore => after/12" or ".../12"
      const size_t index = std::strtoull(line.c_str() + line.rfind('/') + 1, nullptr, 10);
      if (index >= changes.size()) continue;
      LineChange change;
      std::istringstream numbers(line);
      numbers >> change.added >> change.removed;
      // "-" for a file with zero bytes, which git does not count the lines of, but shows.
      changes[index] = numbers ? change : counted(unified_diff(pairs[index], false));
    }
    return changes;
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    const std::string name = fmt::format("{}", i);
    const build::Finished one = plain_diff(before / name, after / name, false);
    if (told(one)) changes[i] = counted(from_first_hunk(one.output));
  }
  return changes;
}

std::string unified_diff(const VersionPair& pair, bool colour) {
  const grade::ScratchFolder scratch(fs::temp_directory_path());
  const fs::path before = scratch.path() / "before.cu", after = scratch.path() / "after.cu";
  write_file(before, pair.before);
  write_file(after, pair.after);
  build::Finished finished =
      git_diff(scratch.path(), {colour ? "--color=always" : "--color=never", "before.cu", "after.cu"});
  if (!told(finished)) finished = plain_diff(before, after, colour);
  if (!told(finished))
    throw std::runtime_error("neither git nor diff could be run to compare two versions; install git");
  return from_first_hunk(finished.output);
}

std::string change_words(const std::optional<LineChange>& change) {
  if (!change) return "?";
  if (*change == LineChange{}) return "=";
  return fmt::format("+{} -{}", change->added, change->removed);
}

}  // namespace ridge::report

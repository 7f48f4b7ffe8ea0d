#include "harness/cli/skeleton.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "harness/build/process.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/grade/diagnosis/not_started.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> git(const fs::path& root, std::vector<std::string> arguments) {
  std::vector<std::string> command = {"git", "-c", "core.quotePath=false", "-C", root.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const build::Finished finished = build::run(command, {{"LC_ALL", "C"}}, build::Keep::output_only);
  if (!finished.started || finished.status != 0) return std::nullopt;
  return finished.output;
}

bool marked(const std::string& text) {
  return text.find(grade::kSkeletonMark) != std::string::npos;
}

std::optional<std::string> skeleton_in_git(const fs::path& root, const fs::path& file) {
  const std::string name = file.lexically_relative(root).generic_string();
  const auto commits = git(root, {"log", "--format=%H", "--", name});
  if (!commits) return std::nullopt;
  std::istringstream lines(*commits);
  for (std::string commit; std::getline(lines, commit);) {
    const auto text = git(root, {"show", commit + ":./" + name});
    if (text && marked(*text)) return text;
  }
  return std::nullopt;
}

}  // namespace

std::string skeleton_of(const fs::path& root, const course::Rung& rung, Records& records) {
  if (const auto text = skeleton_in_git(root, rung.skeleton)) return *text;
  std::optional<std::string> seen;
  records.with([&](report::Store& store) { seen = store.remembered_skeleton(rung.path()); });
  if (seen && marked(*seen)) return *seen;
  throw MachineError(
      fmt::format("the skeleton of {} is neither in git's history nor among the versions seen here; get {} "
                  "from a fresh clone",
                  rung.path(), rung.skeleton.lexically_relative(root).string()));
}

}  // namespace ridge::cli

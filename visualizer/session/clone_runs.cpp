#include "visualizer/session/clone_runs.h"

#include <fmt/format.h>

namespace ridge::view {

namespace fs = std::filesystem;

CloneRuns::CloneRuns(const fs::path& file) {
  std::error_code error;
  for (const fs::path& start : {fs::absolute(file, error).parent_path(), fs::current_path(error)}) {
    for (fs::path folder = start; !folder.empty(); folder = folder.parent_path()) {
      if (fs::is_directory(folder / "labs", error)) {
        root_ = folder;
        return;
      }
      if (folder == folder.root_path()) break;
    }
  }
}

fs::path CloneRuns::store() const {
  return root_.empty() ? fs::path() : report::Store::file_under(root_);
}

std::array<CloneRuns::Stamp, 2> CloneRuns::stamps() const {
  const auto stamp = [](const fs::path& file) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    if (error) return Stamp{};
    const uint64_t bytes = fs::file_size(file, error);
    return error ? Stamp{} : Stamp{static_cast<int64_t>(written.time_since_epoch().count()), bytes};
  };
  return {stamp(store()), stamp(store().string() + "-wal")};
}

bool CloneRuns::refresh(Session& session) {
  if (root_.empty()) return false;
  const auto now = stamps();
  if (done_ && now == read_) return false;
  const std::string before = std::exchange(session.message, {});
  session.read_runs(root_);
  if (session.message.empty()) {
    read_ = stamps();
    done_ = true;
    session.message = before;
  }
  const std::string lab = session.a() ? lab_of(session.a()->trace().notes.rung) : std::string();
  if (lab.empty()) return true;
  try {
    session.set_ladder(std::make_shared<report::Ladder>(
        report::read_ladder(root_, lab, std::string(session.device().product_name), session.runs())));
  } catch (const std::exception& error) {
    session.message = fmt::format("The ladder could not be read: {}", error.what());
  }
  return true;
}

}  // namespace ridge::view

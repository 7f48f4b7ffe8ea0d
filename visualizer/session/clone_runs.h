// The runs and the ladder of the clone that a trace lies in, read again when a graded run has landed.
#pragma once

#include <array>
#include <filesystem>
#include <utility>

#include "visualizer/session/session.h"

namespace ridge::view {

class CloneRuns {
 public:
  // The clone is the nearest folder above `file` (above the current folder, where there is none) that has
  // labs/.
  explicit CloneRuns(const std::filesystem::path& file);

  const std::filesystem::path& root() const { return root_; }  // empty: none
  std::filesystem::path store() const;                         // the file to watch
  // True: something was read. Reading a store closes it too, which a watch reports, so an unchanged one is
  // not read again. What cannot be read becomes the session's message, leaves the runs as they were, and is
  // tried again at the next call.
  bool refresh(Session& session);

 private:
  using Stamp = std::pair<int64_t, uint64_t>;  // of the store's file or its log: when written, bytes
  std::array<Stamp, 2> stamps() const;
  std::filesystem::path root_;
  std::array<Stamp, 2> read_{};
  bool done_ = false;
};

}  // namespace ridge::view

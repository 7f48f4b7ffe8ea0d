// The runs and the ladder of the clone that a trace lies in, read again when a graded run has landed or a
// trace of another lab is opened. A window reads in a thread of its own: a store that another program holds
// is waited for, and no picture waits with it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "visualizer/session/session.h"

namespace ridge::view {

class CloneRuns {
 public:
  // The clone is the nearest folder above `file` (above the current folder, where there is none) that has
  // labs/; `file` may be that folder.
  explicit CloneRuns(const std::filesystem::path& file);
  ~CloneRuns();
  CloneRuns(const CloneRuns&) = delete;
  CloneRuns& operator=(const CloneRuns&) = delete;

  const std::filesystem::path& root() const { return root_; }  // empty: none
  std::filesystem::path store() const;                         // the file to watch
  // Reads here and now, and waits for a store that is locked: for pictures. What cannot be read becomes the
  // session's message and leaves the runs as they were.
  void refresh(Session& session);

  // From now on a thread reads, and calls `wake` when there is something to take.
  void start(std::function<void()> wake);
  void
  look();  // the store may have changed. Reading closes it, which a watch reports: unchanged it is not read
  // True: what was read since is the session's now. Asks for another reading when the session's lab or device
  // is another than the last one asked for.
  bool take(Session& session);

 private:
  struct Request {
    std::string lab, device;
    bool operator==(const Request&) const = default;
  };
  struct Read {
    std::vector<report::StoredRun> runs;
    std::shared_ptr<const report::Ladder> ladder;
    std::string message;                   // why something could not be read
    bool have_runs = false, busy = false;  // busy: another program holds the store
  };
  using Stamp = std::pair<int64_t, uint64_t>;  // of the store's file or its log: when written, bytes
  static Request request_of(const Session& session);
  std::array<Stamp, 2> stamps() const;
  Read read(const Request& request, int busy_ms) const;
  std::optional<Read> read_when_free(const Request& request);  // none: it is to stop
  static void give(Read read, Session& session);
  void run();

  std::filesystem::path root_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::atomic<bool> stop_ = false;
  bool look_ = false;
  std::optional<Request> requested_;  // the last one asked for
  std::optional<Read> done_;    // to be taken
  std::string shown_message_;            // the last message, told once
  std::thread thread_;
};

}  // namespace ridge::view

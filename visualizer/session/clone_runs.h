// The runs and the ladder of the clone that contains a trace, read again after a graded run or when
// a trace of another lab is opened. A window reads in a separate thread: it waits for a store that
// another program has locked, and pictures do not.
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
  // The clone is the nearest folder with labs/ above `file` (or the current folder, if `file` is
  // empty); `file` may be that folder.
  explicit CloneRuns(const std::filesystem::path& file);
  ~CloneRuns();
  CloneRuns(const CloneRuns&) = delete;
  CloneRuns& operator=(const CloneRuns&) = delete;

  const std::filesystem::path& root() const { return root_; }  // empty: none
  std::filesystem::path store() const;                         // file to watch
  // Reads immediately and waits for a locked store: for pictures. If reading fails, the session
  // gets a message and keeps its runs.
  void refresh(Session& session);

  // Starts a thread that reads and calls `wake` when there is something to take.
  void start(std::function<void()> wake);
  // The store may have changed. Reading also triggers the watch, so an unchanged store is not read.
  void look();
  // Returns true when the session received new data. Requests another reading when the session's
  // lab or device differ from the last request.
  bool take(Session& session);

 private:
  struct Request {
    std::string lab, device;
    bool operator==(const Request&) const = default;
  };
  struct Read {
    std::vector<report::StoredRun> runs;
    std::shared_ptr<const report::Ladder> ladder;
    std::string message;                   // why reading failed
    bool have_runs = false, busy = false;  // busy: another program has the store locked
  };
  // Modification time and size of the store's file or of its log.
  using Stamp = std::pair<int64_t, uint64_t>;
  static Request request_of(const Session& session);
  std::array<Stamp, 2> stamps() const;
  Read read(const Request& request, int busy_ms) const;
  std::optional<Read> read_when_free(const Request& request);  // no value: the thread must stop
  static void give(Read read, Session& session);
  void run();

  std::filesystem::path root_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::atomic<bool> stop_ = false;
  bool look_ = false;
  std::optional<Request> requested_;  // the last request
  std::optional<Read> done_;    // waiting to be taken
  std::string shown_message_;            // the last message, shown once
  std::thread thread_;
};

}  // namespace ridge::view

// Flushes the database's log for waiting answers, and tidies it periodically.
#include "leaderboard/http/disk_thread.h"

#include "harness/report/store/database.h"

namespace ridge::leaderboard {

namespace {
// The first commit afterwards waits for the disk once, because SQLite restarts the log: therefore
// not often.
constexpr std::chrono::seconds kTidyEvery{60};
}  // namespace

DiskThread::~DiskThread() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void DiskThread::when_on_disk(Done done) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(done));
  }
  changed_.notify_one();
}

void DiskThread::run() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    changed_.wait_for(lock, kTidyEvery, [this] { return over_ || !waiting_.empty(); });
    const std::vector<Done> served = std::exchange(waiting_, {});
    lock.unlock();
    if (!served.empty()) {
      const std::string trouble = wait_for_disk();
      for (const Done& done : served)
        done(trouble);
    }
    tidy_now_and_then();
    lock.lock();
  }
}

std::string DiskThread::wait_for_disk() {
  try {
    database_.wait_for_disk();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

// A failure here loses nothing: the log grows until the next time, and writers get the error.
void DiskThread::tidy_now_and_then() {
  const auto now = std::chrono::steady_clock::now();
  if (now - tidied_ < kTidyEvery) return;
  tidied_ = now;
  try {
    database_.tidy();
  } catch (const report::StoreError&) {
  }
}

}  // namespace ridge::leaderboard

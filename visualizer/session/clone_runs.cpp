#include "visualizer/session/clone_runs.h"

#include <fmt/format.h>

namespace ridge::view {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMostRuns = 500;
// Interval of retries for a store that could not be read.
constexpr auto kTryAgain = std::chrono::seconds(2);
// Maximum wait of one try for the store: closing a window may take this long.
constexpr int kOneTryMs = 50;

}  // namespace

CloneRuns::CloneRuns(const fs::path& file) {
  std::error_code error;
  for (const fs::path& start : {fs::absolute(file, error), fs::current_path(error)}) {
    for (fs::path folder = start; !folder.empty(); folder = folder.parent_path()) {
      if (fs::is_directory(folder / "labs", error)) {
        root_ = folder;
        return;
      }
      if (folder == folder.root_path()) break;
    }
  }
}

CloneRuns::~CloneRuns() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  change_.notify_all();
  if (thread_.joinable()) thread_.join();
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

CloneRuns::Request CloneRuns::request_of(const Session& session) {
  return {session.lab(), std::string(session.device().product_name)};
}

CloneRuns::Read CloneRuns::read(const Request& request, int busy_ms) const {
  Read read;
  try {
    if (auto store = report::Store::open_to_read(root_, busy_ms)) {
      report::RunFilter filter;
      filter.lab = request.lab;
      filter.solutions = true;
      filter.newest = kMostRuns;
      read.runs = store->runs(filter);
    }
    read.have_runs = true;
  } catch (const std::exception& error) {
    const auto* complaint = dynamic_cast<const report::StoreError*>(&error);
    read.busy = complaint && complaint->kind == report::StoreError::Kind::busy;
    read.message = fmt::format("The runs of this clone could not be read: {}", error.what());
    return read;
  }
  // No lab is specified: use that of the newest run, otherwise the first.
  std::string lab = request.lab;
  if (lab.empty() && !read.runs.empty()) lab = lab_of(read.runs.back().rung);
  std::error_code ignored;
  if (lab.empty())
    for (const fs::directory_entry& entry : fs::directory_iterator(root_ / "labs", ignored))
      if (fs::exists(entry.path() / "lab.toml", ignored) && (lab.empty() || entry.path().filename() < lab))
        lab = entry.path().filename();
  if (lab.empty()) return read;
  try {
    read.ladder = std::make_shared<report::Ladder>(report::read_ladder(root_, lab, request.device, read.runs));
  } catch (const std::exception& error) {
    read.message = fmt::format("The ladder could not be read: {}", error.what());
  }
  return read;
}

// Waits as long as elsewhere for a grader, but in steps, so that closing a window need not wait for
// it.
std::optional<CloneRuns::Read> CloneRuns::read_when_free(const Request& request) {
  for (int waited_ms = 0; !stop_; waited_ms += kOneTryMs) {
    Read read = this->read(request, kOneTryMs);
    if (!read.busy || waited_ms >= report::Store::kBusyMs) return read;
  }
  return std::nullopt;
}

void CloneRuns::give(Read read, Session& session) {
  if (!read.message.empty()) session.message = read.message;
  if (!read.have_runs) return;
  session.set_runs(std::move(read.runs));
  session.set_ladder(std::move(read.ladder));
}

void CloneRuns::refresh(Session& session) {
  if (!root_.empty()) give(read(request_of(session), report::Store::kBusyMs), session);
}

void CloneRuns::start(std::function<void()> wake) {
  if (root_.empty()) return;
  wake_ = std::move(wake);
  thread_ = std::thread([this] { run(); });
}

void CloneRuns::look() {
  {
    std::lock_guard lock(mutex_);
    look_ = true;
  }
  change_.notify_all();
}

bool CloneRuns::take(Session& session) {
  if (!thread_.joinable()) return false;
  const Request now = request_of(session);
  std::optional<Read> read;
  {
    std::lock_guard lock(mutex_);
    if (requested_ != now) {
      requested_ = now;
      done_.reset();
      change_.notify_all();
      return false;
    }
    read.swap(done_);
  }
  if (!read) return false;
  if (read->message.empty() && !shown_message_.empty() && session.message == shown_message_)
    session.message.clear();  // it no longer applies
  const bool said = read->message == shown_message_;
  shown_message_ = read->message;
  if (said) read->message.clear();
  give(std::move(*read), session);
  return true;
}

void CloneRuns::run() {
  std::optional<Request> have;  // what was read, with the modification times
  std::array<Stamp, 2> stamped{};
  bool again = false;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto due = [&] { return stop_ || look_ || (requested_ && requested_ != have); };
    if (again)
      change_.wait_for(lock, kTryAgain, due);
    else
      change_.wait(lock, due);
    if (stop_) return;
    look_ = false;
    if (!requested_ || (!again && requested_ == have && stamps() == stamped)) continue;
    const Request request = *requested_;
    lock.unlock();
    std::optional<Read> read = read_when_free(request);
    if (!read) return;
    const auto now = stamps();
    lock.lock();
    again = !read->have_runs;
    have = request, stamped = now;
    if (requested_ != request) continue;  // the request changed meanwhile
    done_ = std::move(*read);
    wake_();
  }
}

}  // namespace ridge::view

#include "visualizer/shell/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace ridge::view {

FileWatch::FileWatch(const std::filesystem::path& file, std::function<void()> wake, What what) : what_(what) {
  if (file.empty()) return;
  notify_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  stop_ = eventfd(0, EFD_CLOEXEC);
  if (notify_ < 0 || stop_ < 0) return;
  folder_ = std::filesystem::absolute(file).parent_path();
  name_ = file.filename().string();
  if (!watch_folder() &&
      inotify_add_watch(notify_, folder_.parent_path().c_str(), IN_CREATE | IN_MOVED_TO) < 0)
    return;
  thread_ = std::thread([this, wake = std::move(wake)] { run(wake); });
}

// The folder, not the file: a new trace is a new file under the old name.
bool FileWatch::watch_folder() {
  const uint32_t events = IN_MOVED_TO | IN_CLOSE_WRITE | (what_ == What::changes ? IN_MODIFY | IN_DELETE : 0);
  return watches_folder_ = inotify_add_watch(notify_, folder_.c_str(), events) >= 0;
}

bool FileWatch::is_ours(std::string_view changed) const {
  if (changed == name_) return true;
  return what_ == What::changes && changed.starts_with(name_) && changed.substr(name_.size()) == "-wal";
}

FileWatch::~FileWatch() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stop_, &one, sizeof one);
    thread_.join();
  }
  if (notify_ >= 0) close(notify_);
  if (stop_ >= 0) close(stop_);
}

void FileWatch::run(const std::function<void()>& wake) {
  alignas(inotify_event) char buffer[4096];
  // `ridge trace` puts the file there twice, records first and then its notes: one change to whoever looks.
  constexpr int kQuietMs = 200;
  bool waiting = false;
  for (;;) {
    pollfd both[] = {{notify_, POLLIN, 0}, {stop_, POLLIN, 0}};
    const int ready = poll(both, 2, waiting ? kQuietMs : -1);
    if (ready < 0 && errno != EINTR) return;
    if (ready == 0) {
      waiting = false;
      changed_ = true;
      wake();
      continue;
    }
    if (ready > 0 && both[1].revents) return;
    const ssize_t bytes = read(notify_, buffer, sizeof buffer);
    bool ours = false;
    for (ssize_t at = 0; at < bytes;) {
      inotify_event event;
      std::memcpy(&event, buffer + at, sizeof event);
      ours |= event.len > 0 && is_ours(buffer + at + sizeof event);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
    if (!watches_folder_ && watch_folder()) ours = true;  // it came, and the file may be in it
    waiting |= ours;
  }
}

}  // namespace ridge::view

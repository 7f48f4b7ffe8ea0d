#include "visualizer/shell/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace ridge::view {

FileWatch::FileWatch(const std::filesystem::path& file, std::function<void()> wake) {
  if (file.empty()) return;
  notify_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  stop_ = eventfd(0, EFD_CLOEXEC);
  const auto folder = std::filesystem::absolute(file).parent_path();
  // The folder, not the file: a new trace is a new file under the old name.
  if (notify_ < 0 || stop_ < 0 ||
      inotify_add_watch(notify_, folder.c_str(), IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
    return;
  thread_ = std::thread([this, name = file.filename().string(), wake = std::move(wake)] { run(name, wake); });
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

void FileWatch::run(std::string name, const std::function<void()>& wake) {
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
      ours |= event.len > 0 && name == buffer + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
    waiting |= ours;
  }
}

}  // namespace ridge::view

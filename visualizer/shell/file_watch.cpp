#include "visualizer/shell/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace ridge::view {

using Events = text::FileWatch::Events;

FileWatch::FileWatch(const std::filesystem::path& file, std::function<void()> wake, What what)
    : file_(file, what == What::whole ? Events::finished_writes : Events::every_write,
            what == What::changes ? "-wal" : "") {
  if (file.empty() || file_.descriptor() < 0 || (stop_ = eventfd(0, EFD_CLOEXEC)) < 0) return;
  thread_ = std::thread([this, wake = std::move(wake)] { run(wake); });
}

FileWatch::~FileWatch() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stop_, &one, sizeof one);
    thread_.join();
  }
  if (stop_ >= 0) close(stop_);
}

void FileWatch::run(const std::function<void()>& wake) {
  // `ridge trace` writes the file twice, first with records and then with notes: treat it as one
  // change.
  constexpr int kQuietMs = 200;
  bool waiting = false;
  for (;;) {
    pollfd both[] = {{file_.descriptor(), POLLIN, 0}, {stop_, POLLIN, 0}};
    const int ready = poll(both, 2, waiting ? kQuietMs : -1);
    if (ready < 0 && errno != EINTR) return;
    if (ready == 0) {
      waiting = false;
      changed_ = true;
      wake();
      continue;
    }
    if (ready > 0 && both[1].revents) return;
    waiting |= file_.changed();
  }
}

}  // namespace ridge::view

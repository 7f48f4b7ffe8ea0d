#include "harness/cli/watch/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>

namespace ridge::cli {

FileWatch::FileWatch(std::filesystem::path file) : file_(std::move(file)) {
  inotify_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  watch_folder();
  stamp_ = stamp_now();
}

FileWatch::~FileWatch() {
  if (inotify_ >= 0) close(inotify_);
}

// The folder and not the file: a rename puts another file in its place, which a watch on the file would not
// see.
void FileWatch::watch_folder() {
  if (inotify_ < 0) return;
  inotify_add_watch(inotify_, file_.parent_path().c_str(),
                    IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_CREATE | IN_MOVED_FROM | IN_DELETE);
}

FileWatch::Stamp FileWatch::stamp_now() const {
  std::error_code error;
  Stamp stamp;
  stamp.time = std::filesystem::last_write_time(file_, error);
  stamp.size = std::filesystem::file_size(file_, error);
  return error ? stamp_ : stamp;  // between removal and rename there is no file: wait for it
}

bool FileWatch::changed() {
  bool told = false, lost = false;
  alignas(inotify_event) char buffer[4096];
  while (inotify_ >= 0) {
    const ssize_t size = read(inotify_, buffer, sizeof buffer);
    if (size <= 0) break;
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, buffer + at, sizeof event);
      const char* name = event.len > 0 ? buffer + at + sizeof event : "";
      told |= file_.filename() == name || (event.mask & IN_Q_OVERFLOW) != 0;
      lost |= (event.mask & IN_IGNORED) != 0;
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  if (lost) watch_folder();  // the folder itself was replaced, as a checkout may do
  const Stamp now = stamp_now();
  told |= now != stamp_;
  stamp_ = now;
  return told;
}

}  // namespace ridge::cli

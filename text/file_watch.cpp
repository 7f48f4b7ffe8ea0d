#include "text/file_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>
#include <string_view>
#include <system_error>

namespace ridge::text {

FileWatch::FileWatch(std::filesystem::path file, Events events, std::string companion_suffix)
    : events_(events) {
  if (file.empty()) return;
  file_ = std::filesystem::absolute(file);
  folder_ = file_.parent_path();
  if (!companion_suffix.empty()) companion_ = file_.filename().string() + companion_suffix;
  inotify_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (inotify_ >= 0 && !watch_folder())
    inotify_add_watch(inotify_, folder_.parent_path().c_str(), IN_CREATE | IN_MOVED_TO);
  stamp_ = stamp_now();
}

FileWatch::~FileWatch() {
  if (inotify_ >= 0) close(inotify_);
}

// Watch the folder, not the file: a rename puts another file in its place, which a watch on the
// file would miss.
bool FileWatch::watch_folder() {
  const uint32_t mask =
      IN_CLOSE_WRITE | IN_MOVED_TO |
      (events_ == Events::every_write ? IN_MODIFY | IN_CREATE | IN_MOVED_FROM | IN_DELETE : 0);
  return watches_folder_ = inotify_add_watch(inotify_, folder_.c_str(), mask) >= 0;
}

FileWatch::Stamp FileWatch::stamp_now() const {
  if (events_ != Events::every_write) return {};
  std::error_code error;
  Stamp stamp;
  stamp.time = std::filesystem::last_write_time(file_, error);
  if (!error) stamp.size = std::filesystem::file_size(file_, error);
  return error ? stamp_ : stamp;  // between removal and rename there is no file: keep waiting
}

bool FileWatch::changed() {
  bool reported = false, lost = false;
  alignas(inotify_event) char buffer[4096];
  while (inotify_ >= 0) {
    const ssize_t size = read(inotify_, buffer, sizeof buffer);
    if (size <= 0) break;
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, buffer + at, sizeof event);
      const std::string_view name = event.len > 0 ? buffer + at + sizeof event : "";
      if (watches_folder_)
        reported |= name == file_.filename() || (!companion_.empty() && name == companion_);
      reported |= (event.mask & IN_Q_OVERFLOW) != 0;
      lost |= (event.mask & IN_IGNORED) != 0;
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  if (lost) watches_folder_ = false;  // the folder itself was replaced, for example by a checkout
  // The file may already exist there.
  if (inotify_ >= 0 && !watches_folder_ && watch_folder()) reported |= !lost;
  const Stamp now = stamp_now();
  reported |= now != stamp_;
  stamp_ = now;
  return reported;
}

}  // namespace ridge::text

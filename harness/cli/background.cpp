#include "harness/cli/background.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace ridge::cli {

Background::Background() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Background::~Background() {
  if (thread_.joinable()) thread_.join();
  close(event_);
}

void Background::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event_, &one, sizeof one);  // full means awake already
}

void Background::start(Work work) {
  thread_ = std::thread([this, work = std::move(work)] {
    std::string result;
    try {
      result = work([this](std::string_view text) {
        const std::lock_guard lock(guard_);
        news_.progress = text;
        wake();
      });
    } catch (const std::exception& error) {
      result = std::string("ridge: ") + error.what() + "\n";
    }
    const std::lock_guard lock(guard_);
    news_.result = std::move(result);
    wake();
  });
}

Background::News Background::take() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = read(event_, &count, sizeof count);
  News news;
  {
    const std::lock_guard lock(guard_);
    std::swap(news, news_);
  }
  if (news.result) thread_.join();
  return news;
}

}  // namespace ridge::cli

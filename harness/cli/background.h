// One piece of work beside the watch loop, which must keep hearing keys and saves while a grade runs.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace ridge::cli {

class Background {
 public:
  using Report = std::function<void(std::string_view)>;    // progress, from the work
  using Work = std::function<std::string(const Report&)>;  // returns what to show at the end

  Background();
  ~Background();  // waits for the work
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  int descriptor() const { return event_; }  // readable when progress or the end is to be taken
  bool busy() const { return thread_.joinable(); }
  void start(Work work);  // only when not busy

  struct News {
    std::string progress;               // the latest; may be empty
    std::optional<std::string> result;  // there: the work has ended
  };
  News take();

 private:
  void wake();
  int event_ = -1;
  std::mutex guard_;
  News news_;
  std::thread thread_;
};

}  // namespace ridge::cli

// Runs one piece of work of the watch loop in a separate process: the loop still receives keys and
// saves, can end the work at any moment, and survives its crashes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ridge::cli {

class WorkProcess {
 public:
  using Report = std::function<void(std::string_view)>;    // progress, from the work
  using Work = std::function<std::string(const Report&)>;  // its return value is the result

  WorkProcess() = default;
  ~WorkProcess() { cancel(); }
  WorkProcess(const WorkProcess&) = delete;
  WorkProcess& operator=(const WorkProcess&) = delete;

  // Forks, so no other thread and no open database may exist. The child has no terminal; its
  // standard output and error arrive as `said`. Throws std::system_error, and std::logic_error when
  // this process has a store open. Only when not busy.
  void start(const Work& work);
  void cancel();  // kills it and everything that it started
  bool busy() const { return process_ > 0; }
  int descriptor() const { return pipe_; }  // readable when there is news; -1 when not busy

  struct News {
    std::string progress;  // the latest; may be empty
    std::string said;      // complete lines
    bool ended = false;
    std::optional<std::string> result;  // missing at the end: `failure` says why
    std::string failure;
  };
  News take();

 private:
  int end();  // waits; the status of waitpid
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string unread_;
};

}  // namespace ridge::cli

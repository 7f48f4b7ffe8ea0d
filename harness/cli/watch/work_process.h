// One piece of work beside the watch loop, in a process of its own: the loop keeps hearing keys and saves,
// can end the work at any moment, and outlives whatever happens to it.
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
  using Work = std::function<std::string(const Report&)>;  // what it returns is handed over at the end

  WorkProcess() = default;
  ~WorkProcess() { cancel(); }
  WorkProcess(const WorkProcess&) = delete;
  WorkProcess& operator=(const WorkProcess&) = delete;

  // Forks, so no other thread and no open database may be there. The child has no terminal; what it writes to
  // standard output and error is handed over as `said`. Throws std::system_error, and std::logic_error when
  // this process has a store open. Only when not busy.
  void start(const Work& work);
  void cancel();  // ends it with all that it started
  bool busy() const { return process_ > 0; }
  int descriptor() const { return pipe_; }  // readable when there is news; -1 when not busy

  struct News {
    std::string progress;  // the latest; may be empty
    std::string said;      // lines of their own
    bool ended = false;
    std::optional<std::string> result;  // missing at the end: `failure` says why
    std::string failure;
  };
  News take();

 private:
  int end();  // waits; the status as waitpid has it
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string unread_;
};

}  // namespace ridge::cli

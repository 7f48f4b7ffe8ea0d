// A child process in a group of its own: started with a chosen CUDA runtime, spoken to over a private socket,
// its output kept to the first few KB, and killed with everything it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ridge::runner {

struct StartOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::filesystem::path library_folder;                          // LD_LIBRARY_PATH
  std::filesystem::path working_folder;                          // empty: the parent's
  std::vector<std::pair<std::string, std::string>> environment;  // added; an empty value removes
  int memory_descriptor = -1;                                    // handed on as kMemoryDescriptor
  size_t printed_limit = 4096;
};

struct ChildEnd {
  // closed: still runs but closed its socket. nonsense: sent what is no reply, or one without the token.
  enum class How { exited, signalled, timed_out, closed, nonsense };
  How how = How::exited;
  int code = 0;               // exit status or signal
  std::string words() const;  // "ended with exit status 3", "was stopped by signal 11 (...)"
};

class ChildProcess {
 public:
  explicit ChildProcess(const StartOptions& options);  // throws std::system_error
  ~ChildProcess();                                     // kills the group
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends a command and waits for its reply. After a ChildEnd the process is gone.
  std::variant<nlohmann::json, ChildEnd> ask(nlohmann::json command, double limit_seconds);
  ChildEnd wait(double limit_seconds);  // for its end
  // What it wrote to standard output and error so far, cut at the limit.
  std::string printed() const;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Woke { packet, closed, ended, late };
  Woke wait_for_something(Clock::time_point deadline, bool for_packet);
  void drain_output();
  ChildEnd finish(ChildEnd::How how);

  pid_t process_ = -1;
  int socket_ = -1, output_ = -1;
  int status_ = 0;
  bool reaped_ = false, finished_ = false;
  size_t printed_limit_;
  std::string printed_;
  size_t printed_beyond_ = 0;
  std::string token_;
  int64_t next_id_ = 1;
};

}  // namespace ridge::runner

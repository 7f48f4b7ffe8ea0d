// A child process in its own group, below a keeper (harness/sandbox/keeper.h). It is started with a
// chosen CUDA runtime, communicates over a private socket, has limits on output, memory and disk,
// and is ended with everything that it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ridge::runner {

struct StartOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::filesystem::path library_folder;                          // value of LD_LIBRARY_PATH
  std::filesystem::path working_folder;                          // empty: the parent's
  // Added; an empty value removes the variable.
  std::vector<std::pair<std::string, std::string>> environment;
  int memory_descriptor = -1;                                    // becomes kMemoryDescriptor
  size_t printed_limit = 4096;
  // bubblewrap and its arguments (harness/sandbox/bubblewrap.h), put before the program. The
  // started process is then bubblewrap, and the program is a descendant, which its first reply
  // identifies.
  std::vector<std::string> wrapper;
  // What the child writes to kReportDescriptor is appended to this file, which the child cannot
  // access: it cannot change written lines. Empty: there is no such descriptor.
  std::filesystem::path report_file;
  int64_t most_memory_bytes = 0;  // of the host, without the shared memory; 0: no limit
  int64_t most_folder_bytes = 0;  // in working_folder; 0: no limit
};

struct ChildEnd {
  // closed: still runs but closed its socket. malformed: sent an invalid reply, one without the
  // token, or one from another process. over_limit: exceeded its memory or disk limit.
  enum class How { exited, signalled, timed_out, closed, malformed, over_limit };
  How how = How::exited;
  int code = 0;               // exit status or signal
  std::string note = {};      // over_limit: which limit
  std::string words() const;  // "ended with exit status 3", "was stopped by signal 11 (...)"
};

class ChildProcess {
 public:
  explicit ChildProcess(const StartOptions& options);  // throws std::system_error
  ~ChildProcess();                                     // ends all its processes
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends a command and waits for its reply. After a ChildEnd the process no longer exists.
  std::variant<nlohmann::json, ChildEnd> ask(nlohmann::json command, double limit_seconds);
  ChildEnd wait(double limit_seconds);  // until it ends
  // Its standard output and error so far, cut at the limit, without terminal control characters.
  std::string printed() const;
  // The process that answers, as identified by the kernel; -1 before the first reply.
  pid_t answering() const { return answering_; }
  void set_shared_bytes(int64_t bytes) { shared_bytes_ = bytes; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Woke { packet, closed, ended, late, over_limit };
  Woke wait_for_something(Clock::time_point deadline, bool for_packet);
  void drain_output();
  void drain_report();
  ChildEnd finish(ChildEnd::How how);
  // Nullopt: nothing arrived, or not from the process that answers.
  std::optional<std::string> receive();
  bool is_over_limit();

  pid_t process_ = -1;  // the keeper
  int lifeline_ = -1;
  int socket_ = -1, output_ = -1, report_ = -1, report_file_ = -1;
  int status_ = 0;
  bool reaped_ = false, finished_ = false;
  bool wrapped_;
  pid_t answering_ = -1;
  int answering_descriptor_ = -1;  // a pidfd
  int64_t most_memory_bytes_, most_folder_bytes_, shared_bytes_ = 0;
  std::filesystem::path folder_;
  Clock::time_point looked_;
  std::string greed_;
  size_t printed_limit_;
  std::string printed_;
  size_t printed_beyond_ = 0;
  int64_t reported_bytes_ = 0;
  std::string token_;
  int64_t next_id_ = 1;
};

}  // namespace ridge::runner

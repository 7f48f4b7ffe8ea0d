// A child process in a group of its own, below a keeper (harness/sandbox/keeper.h): started with a chosen
// CUDA runtime, spoken to over a private socket, its output kept to the first few KB, its appetite watched,
// and ended with everything it started.
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
  std::filesystem::path library_folder;                          // LD_LIBRARY_PATH
  std::filesystem::path working_folder;                          // empty: the parent's
  std::vector<std::pair<std::string, std::string>> environment;  // added; an empty value removes
  int memory_descriptor = -1;                                    // handed on as kMemoryDescriptor
  size_t printed_limit = 4096;
  // bubblewrap and its arguments (harness/sandbox/bubblewrap.h), put before the program. The process started
  // is then bubblewrap, and the program a descendant, which its first reply makes known.
  std::vector<std::string> wrapper;
  // What the child writes to kReportDescriptor is appended to this file, which the child cannot reach: lines
  // once written cannot be taken back. Empty: there is no such descriptor.
  std::filesystem::path report_file;
  int64_t most_memory_bytes = 0;  // of the host, beside what both sides share; 0: not watched
  int64_t most_folder_bytes = 0;  // in working_folder; 0: not watched
};

struct ChildEnd {
  // closed: still runs but closed its socket. malformed: sent what is no reply, or one without the token, or
  // from another process. over_limit: took more memory or disk than it may.
  enum class How { exited, signalled, timed_out, closed, malformed, over_limit };
  How how = How::exited;
  int code = 0;               // exit status or signal
  std::string note = {};      // over_limit: what it took
  std::string words() const;  // "ended with exit status 3", "was stopped by signal 11 (...)"
};

class ChildProcess {
 public:
  explicit ChildProcess(const StartOptions& options);  // throws std::system_error
  ~ChildProcess();                                     // ends all of it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends a command and waits for its reply. After a ChildEnd the process is gone.
  std::variant<nlohmann::json, ChildEnd> ask(nlohmann::json command, double limit_seconds);
  ChildEnd wait(double limit_seconds);  // for its end
  // What it wrote to standard output and error so far, cut at the limit, without what would steer a terminal.
  std::string printed() const;
  // The process that answers, as the kernel names it to us; -1 before the first reply.
  pid_t answering() const { return answering_; }
  void set_shared_bytes(int64_t bytes) { shared_bytes_ = bytes; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Woke { packet, closed, ended, late, over_limit };
  Woke wait_for_something(Clock::time_point deadline, bool for_packet);
  void drain_output();
  void drain_report();
  ChildEnd finish(ChildEnd::How how);
  std::optional<std::string> receive();  // nullopt: nothing came, or not from the process that answers
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

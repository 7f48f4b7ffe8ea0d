#include "harness/runner/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <system_error>

#include "harness/runner/messages.h"
#include "harness/runner/process_usage.h"
#include "harness/runner/throw_errno.h"
#include "harness/sandbox/environment.h"
#include "harness/sandbox/keeper.h"

namespace ridge::runner {

namespace {

constexpr std::chrono::seconds kMostEnding{5};
// On a busy machine an answer may take this many times its limit before the process is ended.
constexpr int kMostTimesLimit = 10;
constexpr std::chrono::milliseconds kLooksAtWaiting{200};
// Maximum wait from the end of the connection to that of the process, for a process that continues
// to run.
constexpr std::chrono::seconds kMostFromCloseToEnd{5};
// About 20 KB per launch; a grading has hundreds of launches.
constexpr int64_t kMostReportBytes = int64_t{256} << 20;

std::string random_token() {
  uint64_t words[2];
  if (getrandom(words, sizeof words, 0) != sizeof words) throw_errno("could not get random bytes");
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

std::vector<std::string> environment_for(const StartOptions& options) {
  std::map<std::string, std::string> variables;
  for (const std::string& text : sandbox::passed_on_environment()) {
    const size_t equals = text.find('=');
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  variables["LD_LIBRARY_PATH"] = options.library_folder.string();
  for (const auto& [name, value] : options.environment) {
    if (value.empty())
      variables.erase(name);
    else
      variables[name] = value;
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : variables)
    lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs between fork and exec: only calls that are safe in a copy of a multi-threaded program.
[[noreturn]] void become(const StartOptions& options, char* const* arguments, char* const* environment,
                         int socket, int output, int report, int lifeline) {
  setpgid(0, 0);
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Move the descriptors away from the numbers that they will get.
  socket = fcntl(socket, F_DUPFD_CLOEXEC, 20);
  output = fcntl(output, F_DUPFD_CLOEXEC, 20);
  int memory = options.memory_descriptor >= 0 ? fcntl(options.memory_descriptor, F_DUPFD_CLOEXEC, 20) : -1;
  if (report >= 0) report = fcntl(report, F_DUPFD_CLOEXEC, 20);
  lifeline = fcntl(lifeline, F_DUPFD_CLOEXEC, 20);
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(output, 1);
  dup2(output, 2);
  dup2(socket, kSocketDescriptor);
  if (memory >= 0) dup2(memory, kMemoryDescriptor);
  if (report >= 0) dup2(report, kReportDescriptor);
  dup2(lifeline, sandbox::kLifelineDescriptor);
  if (!options.working_folder.empty() && chdir(options.working_folder.c_str()) != 0) _exit(126);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

}  // namespace

std::string ChildEnd::words() const {
  switch (how) {
    case How::exited:
      return fmt::format("ended with exit status {}", code);
    case How::signalled:
      return fmt::format("was stopped by signal {} ({})", code, strsignal(code));
    case How::timed_out:
      return "did not answer in time";
    case How::closed:
      return "closed the connection it was to answer on";
    case How::malformed:
      return "sent an answer that is not one of the runner's";
    case How::over_limit:
      return "was stopped: it " + note;
  }
  return "";
}

ChildProcess::ChildProcess(const StartOptions& options)
    : wrapped_(!options.wrapper.empty()),
      most_memory_bytes_(options.most_memory_bytes),
      most_folder_bytes_(options.most_folder_bytes),
      folder_(options.working_folder),
      printed_limit_(options.printed_limit) {
  int sockets[2], pipes[2], reports[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    throw_errno("could not make a socket pair");
  if (pipe2(pipes, O_CLOEXEC) != 0) throw_errno("could not make a pipe");
  if (!options.report_file.empty()) {
    report_file_ = open(options.report_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (report_file_ < 0 || pipe2(reports, O_CLOEXEC) != 0) throw_errno("could not make the report's pipe");
    // The child opens its end again by name, perhaps as another user.
    if (geteuid() == 0) [[maybe_unused]]
      int ignored = fchmod(reports[1], 0622);
    report_ = reports[0];
    fcntl(report_, F_SETFL, O_NONBLOCK);
  }
  int yes = 1;  // the kernel then reports the sender of every packet
  setsockopt(sockets[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
  std::vector<std::string> arguments = {sandbox::find_keeper().string()};
  arguments.insert(arguments.end(), options.wrapper.begin(), options.wrapper.end());
  arguments.push_back(options.program.string());
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = environment_for(options);
  std::vector<char*> argument_pointers = pointers_to(arguments),
                     environment_pointers = pointers_to(environment);
  token_ = random_token();
  const sandbox::Lifeline lifeline = sandbox::make_lifeline();
  lifeline_ = lifeline.kept;
  process_ = fork();
  if (process_ == 0)
    become(options, argument_pointers.data(), environment_pointers.data(), sockets[1], pipes[1], reports[1],
           lifeline.given);
  int fork_error = errno;
  if (reports[1] >= 0) close(reports[1]);
  close(sockets[1]);
  close(pipes[1]);
  close(lifeline.given);
  socket_ = sockets[0];
  output_ = pipes[0];
  if (process_ < 0) {
    for (int descriptor : {socket_, output_, report_, report_file_, lifeline_})
      if (descriptor >= 0) close(descriptor);
    errno = fork_error;
    throw_errno("could not start a process");
  }
  // Called in parent and child, since either may be first; the second call has no effect.
  setpgid(process_, process_);
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  finish(ChildEnd::How::exited);
  for (int descriptor : {socket_, output_, report_, report_file_, answering_descriptor_})
    if (descriptor >= 0) close(descriptor);
}

void ChildProcess::drain_output() {
  char bytes[4096];
  // Bounded, so that a child with endless output cannot block the parent here.
  for (int chunk = 0; chunk < 64; ++chunk) {
    ssize_t count = read(output_, bytes, sizeof bytes);
    if (count <= 0) return;
    size_t kept = std::min(static_cast<size_t>(count), printed_limit_ - printed_.size());
    printed_.append(bytes, kept);
    printed_beyond_ += static_cast<size_t>(count) - kept;
  }
}

void ChildProcess::drain_report() {
  if (report_ < 0) return;
  std::vector<char> bytes(64 * 1024);
  for (int chunk = 0; chunk < 1024; ++chunk) {
    ssize_t count = read(report_, bytes.data(), bytes.size());
    if (count <= 0) return;
    reported_bytes_ += count;
    if (reported_bytes_ > kMostReportBytes) continue;
    // On a full disk the report is incomplete, which is detected later.
    [[maybe_unused]] ssize_t written = write(report_file_, bytes.data(), static_cast<size_t>(count));
  }
}

std::string ChildProcess::printed() const {
  std::string text = printed_;
  for (char& letter : text)
    if ((static_cast<unsigned char>(letter) < 32 && letter != '\n' && letter != '\t') || letter == 127)
      letter = '?';
  if (printed_beyond_ == 0) return text;
  return fmt::format("{}\n[and {} bytes more]", text, printed_beyond_);
}

bool ChildProcess::is_over_limit() {
  auto now = Clock::now();
  if (answering_ < 0 || now - looked_ < std::chrono::milliseconds(100)) return false;
  looked_ = now;
  if (int64_t bytes = memory_of(answering_) - shared_bytes_;
      most_memory_bytes_ > 0 && bytes > most_memory_bytes_)
    greed_ = fmt::format("held {:.1f} GB of the host's memory and may hold {:.1f}",
                         static_cast<double>(bytes) / 1e9, static_cast<double>(most_memory_bytes_) / 1e9);
  else if (reported_bytes_ > kMostReportBytes)
    greed_ = fmt::format("wrote more than {} MB to the virtual GPU's report", kMostReportBytes >> 20);
  else if (most_folder_bytes_ > 0 && bytes_in(folder_) > most_folder_bytes_)
    greed_ = fmt::format("wrote more than {:.1f} GB of files", static_cast<double>(most_folder_bytes_) / 1e9);
  return !greed_.empty();
}

ChildProcess::Woke ChildProcess::wait_for_something(Clock::time_point deadline, bool for_packet) {
  const Clock::time_point start = Clock::now(), last = start + kMostTimesLimit * (deadline - start);
  std::optional<std::map<std::string, uint64_t>> waits_before;
  while (true) {
    const auto now = Clock::now();
    // Exclude the time in which the machine did not schedule the process.
    if (for_packet && answering_ >= 0 && !waits_before && now - start > kLooksAtWaiting)
      waits_before = waits_of(answering_);
    if (now >= deadline && waits_before) {
      auto waits_now = waits_of(answering_);
      const std::chrono::duration<double> waited(longest_wait_since(*waits_before, waits_now));
      deadline = std::min(last, deadline + std::chrono::duration_cast<Clock::duration>(waited));
      waits_before = std::move(waits_now);
    }
    if (now >= deadline) return Woke::late;
    // Round up: within the last millisecond the limit is not exceeded, and the waiting time must
    // still be examined.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
    // Poll the process too: it can end without its socket closing when a copy of it still runs.
    // poll ignores negative descriptors.
    pollfd wanted[3] = {{output_, POLLIN, 0}, {for_packet ? socket_ : -1, POLLIN, 0}, {report_, POLLIN, 0}};
    poll(wanted, 3, static_cast<int>(std::min<int64_t>(left, 20)));
    drain_output();
    drain_report();
    if (for_packet && (wanted[1].revents & POLLIN)) return Woke::packet;
    if (!reaped_ && waitpid(process_, &status_, WNOHANG) == process_) {
      reaped_ = true;
      drain_output();
      return Woke::ended;
    }
    if (for_packet && (wanted[1].revents & (POLLHUP | POLLERR))) return Woke::closed;
    if (for_packet && is_over_limit()) return Woke::over_limit;
    // Its output is closed: avoid a busy loop.
    if ((wanted[0].revents | wanted[2].revents) & POLLHUP) usleep(1000);
  }
}

// Lets the keeper end all processes, which frees memory and device, and reaps it. Returns how the
// program ended if it ended by itself.
ChildEnd ChildProcess::finish(ChildEnd::How how) {
  if (!finished_) {
    close(lifeline_);
    siginfo_t ended{};
    for (auto deadline = Clock::now() + kMostEnding; !reaped_ && Clock::now() < deadline;) {
      if (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
          ended.si_pid != 0)
        break;
      usleep(200);
    }
    // The keeper was killed, or a process cannot end: kill what can still be reached.
    kill(-process_, SIGKILL);
    if (answering_descriptor_ >= 0) {
      syscall(SYS_pidfd_send_signal, answering_descriptor_, SIGKILL, nullptr, 0);
      pollfd gone{answering_descriptor_, POLLIN, 0};
      if (wrapped_) poll(&gone, 1, 3000);
    }
  }
  finished_ = true;
  bool by_itself = reaped_;
  if (!reaped_) {
    while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
  }
  drain_output();
  drain_report();
  ChildEnd end{how, 0, greed_};
  if (!by_itself) return end;
  // bubblewrap reports a signal as 128 plus its number.
  if (wrapped_ && WIFEXITED(status_) && WEXITSTATUS(status_) > 128)
    return {ChildEnd::How::signalled, WEXITSTATUS(status_) - 128};
  if (WIFSIGNALED(status_)) return {ChildEnd::How::signalled, WTERMSIG(status_)};
  return {ChildEnd::How::exited, WEXITSTATUS(status_)};
}

ChildEnd ChildProcess::wait(double limit_seconds) {
  auto deadline = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  wait_for_something(deadline, false);
  return finish(ChildEnd::How::timed_out);
}

std::optional<std::string> ChildProcess::receive() {
  std::string packet(kLargestPacket, '\0');
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  iovec piece{packet.data(), packet.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t length = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
  packet.resize(static_cast<size_t>(std::max<ssize_t>(length, 0)));
  if (length <= 0) return packet;
  ucred sender{};
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part))
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS)
      std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
  if (answering_ < 0 && sender.pid > 0) {
    answering_ = sender.pid;
    answering_descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, sender.pid, 0));
  }
  // A packet that is too long was truncated, so it is not a reply of the runner.
  if (sender.pid != answering_ || (message.msg_flags & MSG_TRUNC)) return std::nullopt;
  return packet;
}

std::variant<nlohmann::json, ChildEnd> ChildProcess::ask(nlohmann::json command, double limit_seconds) {
  auto deadline = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  int64_t id = next_id_++;
  command["id"] = id;
  if (id == 1) command["token"] = token_;
  std::string text = command.dump();
  // Sending to a child that has ended fails; waiting then tells how it ended.
  bool sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  switch (wait_for_something(deadline, true)) {
    case Woke::late:
      return finish(ChildEnd::How::timed_out);
    case Woke::ended:
      return finish(ChildEnd::How::exited);
    case Woke::closed: {
      // At exit the socket closes shortly before the process can be reaped.
      if (wait_for_something(Clock::now() + kMostFromCloseToEnd, false) == Woke::ended)
        return finish(ChildEnd::How::exited);
      return finish(ChildEnd::How::closed);
    }
    case Woke::over_limit:
      return finish(ChildEnd::How::over_limit);
    case Woke::packet:
      break;
  }
  std::optional<std::string> packet = receive();
  if (!packet) return finish(ChildEnd::How::malformed);
  if (packet->empty()) {
    if (wait_for_something(Clock::now() + kMostFromCloseToEnd, false) == Woke::ended)
      return finish(ChildEnd::How::exited);
    return finish(ChildEnd::How::closed);
  }
  nlohmann::json reply = nlohmann::json::parse(*packet, nullptr, false);
  if (!sent || !reply.is_object() || reply.value("token", nlohmann::json()) != token_ ||
      reply.value("id", nlohmann::json()) != id || !reply.value("ok", nlohmann::json()).is_boolean())
    return finish(ChildEnd::How::malformed);
  return reply;
}

}  // namespace ridge::runner

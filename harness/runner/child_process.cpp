#include "harness/runner/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <map>
#include <system_error>

#include "harness/runner/messages.h"

extern char** environ;

namespace ridge::runner {

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string random_token() {
  uint64_t words[2];
  if (getrandom(words, sizeof words, 0) != sizeof words) fail("could not get random bytes");
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

std::vector<std::string> environment_for(const StartOptions& options) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    std::string text = *entry;
    size_t equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  // Would make float32 products of the library TF32 ones; and nothing may be loaded into the child but what
  // we chose.
  for (const char* unwanted : {"NVIDIA_TF32_OVERRIDE", "LD_PRELOAD", "LD_AUDIT"})
    variables.erase(unwanted);
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

// Between fork and exec only calls that are safe in a copy of a threaded program.
[[noreturn]] void become(const StartOptions& options, char* const* arguments, char* const* environment,
                         int socket, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Out of the way of the numbers they are to have.
  socket = fcntl(socket, F_DUPFD_CLOEXEC, 20);
  output = fcntl(output, F_DUPFD_CLOEXEC, 20);
  int memory = options.memory_descriptor >= 0 ? fcntl(options.memory_descriptor, F_DUPFD_CLOEXEC, 20) : -1;
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(output, 1);
  dup2(output, 2);
  dup2(socket, kSocketDescriptor);
  if (memory >= 0) dup2(memory, kMemoryDescriptor);
  if (!options.working_folder.empty() && chdir(options.working_folder.c_str()) != 0) _exit(126);
  execve(options.program.c_str(), arguments, environment);
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
    case How::nonsense:
      return "sent an answer that is not one of the runner's";
  }
  return "";
}

ChildProcess::ChildProcess(const StartOptions& options) : printed_limit_(options.printed_limit) {
  int sockets[2], pipes[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    fail("could not make a socket pair");
  if (pipe2(pipes, O_CLOEXEC) != 0) fail("could not make a pipe");
  std::vector<std::string> arguments = {options.program.string()};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = environment_for(options);
  std::vector<char*> argument_pointers = pointers_to(arguments),
                     environment_pointers = pointers_to(environment);
  token_ = random_token();
  pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0)
    become(options, argument_pointers.data(), environment_pointers.data(), sockets[1], pipes[1], parent);
  int fork_error = errno;
  close(sockets[1]);
  close(pipes[1]);
  socket_ = sockets[0];
  output_ = pipes[0];
  if (process_ < 0) {
    close(socket_);
    close(output_);
    errno = fork_error;
    fail("could not start a process");
  }
  setpgid(process_, process_);  // whichever of the two comes first; the other one fails harmlessly
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  finish(ChildEnd::How::exited);
  close(socket_);
  close(output_);
}

void ChildProcess::drain_output() {
  char bytes[4096];
  // A bound, so that a child that prints without end cannot hold the parent here.
  for (int chunk = 0; chunk < 64; ++chunk) {
    ssize_t count = read(output_, bytes, sizeof bytes);
    if (count <= 0) return;
    size_t kept = std::min(static_cast<size_t>(count), printed_limit_ - printed_.size());
    printed_.append(bytes, kept);
    printed_beyond_ += static_cast<size_t>(count) - kept;
  }
}

std::string ChildProcess::printed() const {
  if (printed_beyond_ == 0) return printed_;
  return fmt::format("{}\n[and {} bytes more]", printed_, printed_beyond_);
}

ChildProcess::Woke ChildProcess::wait_for_something(Clock::time_point deadline, bool for_packet) {
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Woke::late;
    // A process can end without its socket closing, when a copy of it lives on: so look now and then.
    pollfd wanted[2] = {{output_, POLLIN, 0}, {socket_, POLLIN, 0}};
    poll(wanted, for_packet ? 2 : 1, static_cast<int>(std::min<decltype(left)>(left, 20)));
    drain_output();
    if (for_packet && (wanted[1].revents & POLLIN)) return Woke::packet;
    if (!reaped_ && waitpid(process_, &status_, WNOHANG) == process_) {
      reaped_ = true;
      drain_output();
      return Woke::ended;
    }
    if (for_packet && (wanted[1].revents & (POLLHUP | POLLERR))) return Woke::closed;
    if (wanted[0].revents & POLLHUP) usleep(1000);  // its output is closed; do not spin
  }
}

// Ends the whole group and reaps the process; says what became of it if it ended by itself.
ChildEnd ChildProcess::finish(ChildEnd::How how) {
  if (!finished_) kill(-process_, SIGKILL);
  finished_ = true;
  bool by_itself = reaped_;
  if (!reaped_) {
    while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
  }
  drain_output();
  ChildEnd end{how, 0};
  if (!by_itself) return end;
  if (WIFSIGNALED(status_)) return {ChildEnd::How::signalled, WTERMSIG(status_)};
  return {ChildEnd::How::exited, WEXITSTATUS(status_)};
}

ChildEnd ChildProcess::wait(double limit_seconds) {
  auto deadline = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  wait_for_something(deadline, false);
  return finish(ChildEnd::How::timed_out);
}

std::variant<nlohmann::json, ChildEnd> ChildProcess::ask(nlohmann::json command, double limit_seconds) {
  auto deadline = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  int64_t id = next_id_++;
  command["id"] = id;
  if (id == 1) command["token"] = token_;
  std::string text = command.dump();
  // A child that has ended cannot be sent to; waiting then tells how it ended.
  bool sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  switch (wait_for_something(deadline, true)) {
    case Woke::late:
      return finish(ChildEnd::How::timed_out);
    case Woke::ended:
      return finish(ChildEnd::How::exited);
    case Woke::closed: {
      // An exit closes the socket a moment before the process can be waited for.
      if (wait_for_something(Clock::now() + std::chrono::milliseconds(500), false) == Woke::ended)
        return finish(ChildEnd::How::exited);
      return finish(ChildEnd::How::closed);
    }
    case Woke::packet:
      break;
  }
  std::string packet(kLargestPacket, '\0');
  ssize_t length = recv(socket_, packet.data(), packet.size(), 0);
  if (length <= 0) {
    if (wait_for_something(Clock::now() + std::chrono::milliseconds(500), false) == Woke::ended)
      return finish(ChildEnd::How::exited);
    return finish(ChildEnd::How::closed);
  }
  packet.resize(static_cast<size_t>(length));
  nlohmann::json reply = nlohmann::json::parse(packet, nullptr, false);
  if (!sent || !reply.is_object() || reply.value("token", nlohmann::json()) != token_ ||
      reply.value("id", nlohmann::json()) != id || !reply.value("ok", nlohmann::json()).is_boolean())
    return finish(ChildEnd::How::nonsense);
  return reply;
}

}  // namespace ridge::runner

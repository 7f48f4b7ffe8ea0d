// Starts workers. They drop root between fork and exec, so neither the worker nor bubblewrap ever
// has it.
#include "leaderboard/program/local_workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "leaderboard/jobs/gpu_shares.h"
#include "leaderboard/program/packed_folder.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;
constexpr std::chrono::seconds kPause{1};
constexpr int kNiceness = 10;  // below the server, which must answer while they compute

bool drop_root() {
  return setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
         setresuid(kNobody, kNobody, kNobody) == 0;
}

// Tests in a process of the user nobody.
bool nobody_can_run(const fs::path& program, const fs::path& file) {
  const pid_t child = fork();
  if (child == 0)
    _exit(drop_root() && access(program.c_str(), X_OK) == 0 && access(file.c_str(), R_OK) == 0 ? 0
                                                                                               : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void give_to_nobody(const fs::path& folder) {
  if (geteuid() == 0 && chown(folder.c_str(), kNobody, kNobody) != 0)
    throw std::runtime_error(fmt::format("cannot give {} to the user nobody: {}", folder.string(),
                                         std::strerror(errno)));
}

void remove_left_folder(const fs::path& note) {
  std::ifstream stream(note);
  std::string left;
  std::error_code ignored;
  if (std::getline(stream, left) &&
      left.starts_with((fs::temp_directory_path() / "ridge-class-").string()) &&
      left.find("..") == left.npos)
    fs::remove_all(left, ignored);
}

fs::path new_folder() {
  std::string name = (fs::temp_directory_path() / "ridge-class-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error(fmt::format("cannot make {}: {}", name, std::strerror(errno)));
  give_to_nobody(name);
  return name;
}

}  // namespace

LocalWorkers::LocalWorkers(LocalWorkerOptions options)
    : options_(std::move(options)),
      programs_(fs::read_symlink("/proc/self/exe").parent_path()),
      clone_(options_.clone),
      scratch_(options_.count > 0 ? new_folder() : fs::path()) {
  if (options_.count == 0) return;
  remove_left_folder(options_.note);
  std::ofstream(options_.note) << scratch_.string() << "\n";
  // A clone in root's home is not readable for other users: the workers then get a copy of what
  // they need.
  if (geteuid() == 0 && !nobody_can_run(programs_ / "ridge-class", clone_ / "labs")) {
    const fs::path copy = scratch_ / "clone";
    copy_for_grading(programs_, clone_, copy);
    programs_ = copy / "bin";
    clone_ = copy;
  }
  const std::vector<std::string> gpus =
      gpu_per_worker(options_.count, gpus_of(std::getenv("CUDA_VISIBLE_DEVICES")));
  for (int i = 0; i < options_.count; ++i)
    all_.push_back({fmt::format("{}local-{}", options_.name, i), gpus[static_cast<size_t>(i)]});
}

LocalWorkers::~LocalWorkers() {
  for (const One& one : all_)
    if (one.process > 0) kill(one.process, SIGKILL);
  for (const One& one : all_)
    if (one.process > 0) waitpid(one.process, nullptr, 0);
  std::error_code ignored;
  if (!scratch_.empty()) fs::remove_all(scratch_, ignored);
}

void LocalWorkers::start() {
  for (One& one : all_)
    start(one);
}

void LocalWorkers::start(One& one) {
  const fs::path scratch = scratch_ / fs::path(one.name).filename();
  fs::create_directories(scratch);
  give_to_nobody(scratch);
  const std::string program = (programs_ / "ridge-class").string();
  std::vector<std::string> words = {program,     "worker",        "--server", options_.url,
                                    "--name",    one.name,        "--clone",  clone_.string(),
                                    "--scratch", scratch.string()};
  words.insert(words.end(), {"--idle", std::to_string(options_.most_idle_ms)});
  if (options_.unsafe) words.emplace_back("--unsafe");
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int token[2];
  if (pipe2(token, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe for a worker");
  const pid_t parent = getpid();
  one.process = fork();
  if (one.process == 0) {
    [[maybe_unused]] const int niceness = nice(kNiceness);
    if (geteuid() == 0 && !drop_root()) _exit(3);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // after the change of user, which clears it
    if (getppid() != parent) _exit(0);
    setpgid(0, 0);
    dup2(token[0], 0);
    setenv("CUDA_VISIBLE_DEVICES", one.gpu.c_str(), 1);
    setenv("RIDGE_ROOT", clone_.c_str(), 1);  // a path that the worker can read
    execv(program.c_str(), arguments.data());
    _exit(127);
  }
  close(token[0]);
  const std::string line = options_.token + "\n";
  [[maybe_unused]] const ssize_t written = write(token[1], line.data(), line.size());
  close(token[1]);
  one.started = std::chrono::steady_clock::now();
}

void LocalWorkers::watch(const std::function<void(const std::string&)>& gone) {
  for (One& one : all_) {
    int status = 0;
    if (one.process > 0 && waitpid(one.process, &status, WNOHANG) == one.process) {
      one.process = -1;
      one.refused = WIFEXITED(status) && WEXITSTATUS(status) == 3;
      if (one.refused)
        refusal_ =
            "the workers refuse this machine; the reason is above, and `ridge class doctor` repeats it";
      gone(one.name);
    }
    if (one.process < 0 && !one.refused && std::chrono::steady_clock::now() - one.started > kPause)
      start(one);
  }
}

}  // namespace ridge::leaderboard

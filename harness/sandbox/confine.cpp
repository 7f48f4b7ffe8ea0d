#include "harness/sandbox/confine.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "harness/sandbox/own_network.h"

namespace ridge::sandbox {

namespace {

void lower_limit(__rlimit_resource_t which, int64_t most) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, static_cast<rlim_t>(most));
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(which, &limit);
}

// When memory runs out, the kernel should kill this process and not the student's editor.
void be_first_to_go() {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] ssize_t written = write(file, "1000", 4);
  close(file);
}

}  // namespace

bool become_user(unsigned id) {
  if (geteuid() != 0) return false;
  if (setgroups(0, nullptr) != 0 || setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0) return false;
  // After a change of user, a process by default may not open its own /proc/self/fd, nor may the
  // parent inspect it, and the death signal is lost: restore these.
  prctl(PR_SET_DUMPABLE, 1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return geteuid() == id;
}

Confined confine_this_process(const Confinement& confinement) {
  Confined confined;
  be_first_to_go();
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_FSIZE, confinement.most_file_bytes);
  lower_limit(RLIMIT_CPU, confinement.most_cpu_seconds);
  if (confinement.become_user) confined.user = become_user(*confinement.become_user);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (confinement.landlock) confined.files = confine_files(confinement.policy);
  confined.loopback = confinement.own_network && has_loopback_alone();
  if (confinement.filter_calls) confined.calls = filter_calls(confined.loopback);
  return confined;
}

std::vector<std::string> to_arguments(const Confinement& confinement) {
  std::vector<std::string> arguments;
  if (confinement.become_user)
    arguments.insert(arguments.end(), {"--become", std::to_string(*confinement.become_user)});
  if (confinement.filter_calls) arguments.emplace_back("--filter-calls");
  if (confinement.own_network) arguments.emplace_back("--own-network");
  if (confinement.landlock) {
    arguments.emplace_back("--landlock");
    if (confinement.policy.gpu) arguments.emplace_back("--gpu");
    for (const auto& path : confinement.policy.readable)
      arguments.insert(arguments.end(), {"--read", path.string()});
    for (const auto& path : confinement.policy.writable)
      arguments.insert(arguments.end(), {"--write", path.string()});
  }
  return arguments;
}

Confinement from_arguments(const std::vector<std::string>& arguments, size_t& at) {
  Confinement confinement;
  for (; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    bool more = at + 1 < arguments.size();
    if (word == "--filter-calls")
      confinement.filter_calls = true;
    else if (word == "--own-network")
      confinement.own_network = true;
    else if (word == "--landlock")
      confinement.landlock = true;
    else if (word == "--gpu")
      confinement.policy.gpu = true;
    else if (word == "--become" && more)
      confinement.become_user = static_cast<unsigned>(std::stoul(arguments[++at]));
    else if (word == "--read" && more)
      confinement.policy.readable.emplace_back(arguments[++at]);
    else if (word == "--write" && more)
      confinement.policy.writable.emplace_back(arguments[++at]);
    else
      break;
  }
  return confinement;
}

}  // namespace ridge::sandbox

#include "harness/runner/sandbox_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "harness/runner/process_usage.h"
#include "harness/sandbox/bubblewrap.h"

namespace ridge::runner {

namespace {

using sandbox::Mechanism;

constexpr unsigned kNobody = 65534;

// How many of the sandboxes to try have failed, for the virtual GPU and for a GPU: the next grading
// begins there.
std::array<std::atomic<size_t>, 2> failed{};

std::vector<SandboxChoice> all_sandboxes() {
  std::vector<SandboxChoice> all;
  std::string missing = sandbox::find_bubblewrap() ? "" : "bwrap is not installed (package bubblewrap)";
  for (Mechanism mechanism : sandbox::mechanisms_to_try()) {
    switch (mechanism) {
      case Mechanism::bubblewrap:
        if (geteuid() == 0) all.push_back({mechanism, missing, false, true});
        all.push_back({mechanism, missing, false, false});
        break;
      case Mechanism::limits:
        all.push_back({mechanism, "", true, false});
        all.push_back({mechanism, "", false, false});
        break;
      case Mechanism::none:
        all.push_back({});
        break;
    }
  }
  return all;
}

}  // namespace

std::vector<SandboxChoice> sandboxes_to_try(bool gpu) {
  std::vector<SandboxChoice> all = all_sandboxes();
  size_t skip = std::min(failed[gpu].load(), all.size() - 1);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(skip));
  return all;
}

void remember_working(const SandboxChoice& choice, bool gpu) {
  std::vector<SandboxChoice> all = all_sandboxes();
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].mechanism == choice.mechanism && all[i].landlock == choice.landlock &&
        all[i].drop_root == choice.drop_root)
      failed[gpu] = i;
}

std::string name_of(const SandboxChoice& choice) {
  switch (choice.mechanism) {
    case Mechanism::bubblewrap:
      return choice.drop_root ? "in bubblewrap, as nobody" : "in bubblewrap";
    case Mechanism::limits:
      return choice.landlock ? "with the kernel's limits" : "with the kernel's limits, files apart";
    case Mechanism::none:
      break;
  }
  return "without a sandbox";
}

StartOptions start_options(const SandboxChoice& choice, const sandbox::Policy& policy) {
  StartOptions start;
  start.arguments = {"--serve"};
  if (choice.mechanism == Mechanism::none) return start;
  sandbox::Confinement confinement;
  confinement.filter_calls = true;
  confinement.landlock = choice.landlock;
  confinement.policy = policy;
  if (choice.mechanism == Mechanism::bubblewrap) {
    confinement.own_network = policy.loopback;
    start.wrapper = sandbox::bubblewrap_command(
        *sandbox::find_bubblewrap(), policy,
        choice.drop_root ? sandbox::Users::as_outside : sandbox::Users::own_namespace);
    if (choice.drop_root) {
      confinement.become_user = kNobody;
      for (const auto& folder : policy.writable)
        [[maybe_unused]] int ignored = chown(folder.c_str(), kNobody, kNobody);
    }
  }
  std::vector<std::string> more = sandbox::to_arguments(confinement);
  start.arguments.insert(start.arguments.end(), more.begin(), more.end());
  return start;
}

std::string words_for(const SandboxChoice& choice, const sandbox::Confined& got) {
  if (choice.mechanism == Mechanism::none)
    return "none: the code runs with your rights, in a process of its own";
  std::vector<std::string> parts;
  bool apart = choice.mechanism == Mechanism::bubblewrap;
  if (apart)
    parts.insert(parts.end(), {got.loopback ? "no network but its own loopback" : "no network",
                               "it sees only its own files and the system's, and may write only its "
                               "scratch folder",
                               "no other process visible"});
  else if (got.files)
    parts.emplace_back(
        "it reads only its own files and the system's, and may write only its scratch folder "
        "(Landlock)");
  else
    parts.emplace_back("files with your rights (this kernel has no Landlock)");
  if (got.user) parts.emplace_back("the user nobody");
  if (got.calls)
    parts.emplace_back(apart ? "system calls filtered"
                             : "no network, no new processes and no hand on others (seccomp)");
  else
    parts.emplace_back("system calls not filtered");
  parts.emplace_back(fmt::format("at most {:.1f} GB of memory and 2 GB of files",
                                 static_cast<double>(most_host_memory()) / 1e9));
  return fmt::format("{}: {}", apart ? "bubblewrap" : "limits", fmt::join(parts, "; "));
}

std::string complaint_about(const SandboxChoice& choice, const sandbox::Confined& got) {
  if (choice.mechanism == Mechanism::limits && !got.files && !got.calls)
    return "this kernel has neither Landlock nor seccomp";
  if (choice.drop_root && !got.user) return "it could not become the user nobody";
  if (choice.landlock && !got.files) return "this kernel has no Landlock";
  return "";
}

}  // namespace ridge::runner

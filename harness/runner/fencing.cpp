#include "harness/runner/fencing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "harness/runner/appetite.h"
#include "harness/sandbox/bubblewrap.h"

namespace ridge::runner {

namespace {

using sandbox::Fence;

constexpr unsigned kNobody = 65534;

// How many of the fences to try have failed, on the virtual GPU and on a GPU: the next grading begins there.
std::array<std::atomic<size_t>, 2> failed{};

std::vector<Fencing> all_fencings() {
  std::vector<Fencing> all;
  std::string missing = sandbox::find_bubblewrap() ? "" : "bwrap is not installed (package bubblewrap)";
  for (Fence fence : sandbox::fences_to_try()) {
    switch (fence) {
      case Fence::bubblewrap:
        if (geteuid() == 0) all.push_back({fence, missing, false, true});
        all.push_back({fence, missing, false, false});
        break;
      case Fence::limits:
        all.push_back({fence, "", true, false});
        all.push_back({fence, "", false, false});
        break;
      case Fence::none:
        all.push_back({});
        break;
    }
  }
  return all;
}

}  // namespace

std::vector<Fencing> fencings_to_try(bool gpu) {
  std::vector<Fencing> all = all_fencings();
  size_t skip = std::min(failed[gpu].load(), all.size() - 1);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(skip));
  return all;
}

void remember_working(const Fencing& fencing, bool gpu) {
  std::vector<Fencing> all = all_fencings();
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].fence == fencing.fence && all[i].landlock == fencing.landlock &&
        all[i].drop_root == fencing.drop_root)
      failed[gpu] = i;
}

std::string name_of(const Fencing& fencing) {
  switch (fencing.fence) {
    case Fence::bubblewrap:
      return fencing.drop_root ? "in bubblewrap, as nobody" : "in bubblewrap";
    case Fence::limits:
      return fencing.landlock ? "with the kernel's limits" : "with the kernel's limits, files apart";
    case Fence::none:
      break;
  }
  return "without a sandbox";
}

StartOptions start_options(const Fencing& fencing, const sandbox::Ground& ground) {
  StartOptions start;
  start.arguments = {"--serve"};
  if (fencing.fence == Fence::none) return start;
  sandbox::Confinement confinement;
  confinement.filter_calls = true;
  confinement.landlock = fencing.landlock;
  confinement.ground = ground;
  if (fencing.fence == Fence::bubblewrap) {
    start.wrapper = sandbox::bubblewrap_command(
        *sandbox::find_bubblewrap(), ground,
        fencing.drop_root ? sandbox::Users::as_outside : sandbox::Users::own_namespace);
    if (fencing.drop_root) {
      confinement.become_user = kNobody;
      for (const auto& folder : ground.writable)
        [[maybe_unused]] int ignored = chown(folder.c_str(), kNobody, kNobody);
    }
  }
  std::vector<std::string> more = sandbox::to_arguments(confinement);
  start.arguments.insert(start.arguments.end(), more.begin(), more.end());
  return start;
}

std::string words_for(const Fencing& fencing, const sandbox::Confined& got) {
  if (fencing.fence == Fence::none) return "none: the code runs with your rights, in a process of its own";
  std::vector<std::string> parts;
  bool apart = fencing.fence == Fence::bubblewrap;
  if (apart)
    parts.insert(parts.end(), {"no network",
                               "of the files only the system's and its own to see, and only its scratch "
                               "folder to write",
                               "no other process in sight"});
  else if (got.files)
    parts.emplace_back(
        "of the files only the system's and its own to read, and only its scratch folder to write "
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

std::string complaint_about(const Fencing& fencing, const sandbox::Confined& got) {
  if (fencing.fence == Fence::limits && !got.files && !got.calls)
    return "this kernel has neither Landlock nor seccomp";
  if (fencing.drop_root && !got.user) return "it could not become the user nobody";
  if (fencing.landlock && !got.files) return "this kernel has no Landlock";
  return "";
}

}  // namespace ridge::runner

#include "harness/sandbox/bubblewrap.h"

#include <unistd.h>

#include <initializer_list>
#include <set>

namespace ridge::sandbox {

namespace fs = std::filesystem;

namespace {

bool is_of_system(const fs::path& path) {
  for (const fs::path& system : system_paths())
    if (path == system || path.string().starts_with(system.string() + "/")) return true;
  return false;
}

}  // namespace

std::optional<fs::path> find_bubblewrap() {
  for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"})
    if (access(path, X_OK) == 0) return path;
  return std::nullopt;
}

std::vector<std::string> bubblewrap_command(const fs::path& bubblewrap, const Policy& policy, Users users) {
  std::vector<std::string> command = {bubblewrap.string()};
  auto add = [&](std::initializer_list<std::string> words) { command.insert(command.end(), words); };
  if (users == Users::own_namespace) add({"--unshare-user"});
  add({"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
       "--die-with-parent", "--new-session"});
  for (const fs::path& path : system_paths()) {
    std::error_code ignored;
    if (fs::is_symlink(path, ignored))
      add({"--symlink", fs::read_symlink(path, ignored).string(), path.string()});
    else
      add({"--ro-bind", path.string(), path.string()});
  }
  add({"--proc", "/proc", "--dev", "/dev", "--size", "67108864", "--tmpfs", "/tmp"});
  if (policy.gpu) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/dev", ignored)) {
      std::string name = entry.path().filename().string();
      if (name.starts_with("nvidia") || name == "dxg")  // dxg: the GPU under WSL
        add({"--dev-bind", entry.path().string(), entry.path().string()});
    }
  }
  // Create these folders ourselves: bubblewrap would make the parent folders of a file accessible
  // only to the starting user.
  std::set<fs::path> made = {"/", "/tmp"};
  for (const auto* paths : {&policy.readable, &policy.writable})
    for (const fs::path& path : *paths) {
      fs::path folder;
      for (const fs::path& part : path.parent_path()) {
        folder /= part;
        if (made.insert(folder).second && !is_of_system(folder)) add({"--dir", folder.string()});
      }
    }
  for (const fs::path& path : policy.readable)
    if (!is_of_system(path)) add({"--ro-bind", path.string(), path.string()});
  for (const fs::path& path : policy.writable)
    add({"--bind", path.string(), path.string()});
  for (const fs::path& path : policy.hidden)
    add({"--ro-bind", "/dev/null", path.string()});
  add({"--"});
  return command;
}

}  // namespace ridge::sandbox

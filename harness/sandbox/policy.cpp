#include "harness/sandbox/policy.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace ridge::sandbox {

std::vector<Mechanism> mechanisms_to_try() {
  const char* value = std::getenv("RIDGE_SANDBOX");
  std::string_view asked = value ? value : "";
  if (asked.empty() || asked == "auto") return {Mechanism::bubblewrap, Mechanism::limits, Mechanism::none};
  if (asked == "bubblewrap") return {Mechanism::bubblewrap};
  if (asked == "limits") return {Mechanism::limits};
  if (asked == "none") return {Mechanism::none};
  throw std::runtime_error(
      fmt::format("RIDGE_SANDBOX is \"{}\", and can be auto, bubblewrap, limits or none", asked));
}

std::vector<std::filesystem::path> system_paths() {
  std::vector<std::filesystem::path> there;
  // The last three: the store of NixOS, and the folders of the driver's libraries on NixOS and WSL.
  for (const char* path : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache",
                           "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime",
                           "/opt", "/sys", "/nix/store", "/run/opengl-driver", "/etc/nv_tegra_release"}) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) there.emplace_back(path);
  }
  return there;
}

}  // namespace ridge::sandbox

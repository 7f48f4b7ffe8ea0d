// The two commands that install what the labs need of the CUDA Toolkit.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "harness/build/compiler.h"
#include "text/whole_file.h"

namespace ridge::build {

std::string toolkit_commands(const std::string& os_release) {
  const auto field = [&](const char* name) -> std::string {
    std::smatch match;
    const std::regex pattern(fmt::format("(?:^|\n){}=\"?([^\"\n]*)", name));
    return std::regex_search(os_release, match, pattern) ? match[1].str() : "";
  };
  const std::string id = field("ID");
  std::string version = field("VERSION_ID");
  std::string repository;
  if (id == "debian") repository = "debian" + version;
  if (id == "ubuntu") {
    version.erase(std::remove(version.begin(), version.end(), '.'), version.end());
    repository = "ubuntu" + version;
  }
  if (repository.empty()) return "  https://developer.nvidia.com/cuda-downloads";
  return fmt::format(
      "  curl -O https://developer.download.nvidia.com/compute/cuda/repos/{}/x86_64/cuda-keyring_1.1-1_all.deb "
      "&& sudo dpkg -i cuda-keyring_1.1-1_all.deb\n"
      "  sudo apt-get update && sudo apt-get install --no-install-recommends cuda-nvcc-13-0 cuda-cudart-dev-13-0 "
      "cuda-cccl-13-0 libcublas-13-0",
      repository);
}

std::string toolkit_commands() {
  return toolkit_commands(text::read_file_if_readable("/etc/os-release").value_or(""));
}

}  // namespace ridge::build

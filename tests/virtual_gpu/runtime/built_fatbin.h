// Real fat binaries for the tests: nvcc makes them when the test runs.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/cuda_compiler.h"

namespace ridge::runtime::test {

inline std::filesystem::path work_folder() {
  std::filesystem::path folder = std::filesystem::path(RIDGE_BINARY_DIR) / "tests" / "runtime_work";
  std::filesystem::create_directories(folder);
  return folder;
}

// A folder of this process alone: ctest runs several.
inline std::filesystem::path own(const std::string& name) {
  return work_folder() / (name + "." + std::to_string(getpid()));
}

inline std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// The fat binary of sample.cu, built with these flags; each set of flags is built once a process, beside a
// name of its own, so that tests running side by side do not meet.
inline const std::vector<std::byte>& built_fatbin(const std::string& name, const std::string& flags) {
  static std::map<std::string, std::vector<std::byte>> built;
  std::vector<std::byte>& bytes = built[name];
  if (!bytes.empty()) return bytes;
  std::filesystem::path made = work_folder() / (name + "." + std::to_string(getpid()) + ".fatbin");
  std::string command = tests::kCudaCompiler + " -fatbin " + flags + " -o " + made.string() + " " +
                        RIDGE_SOURCE_DIR + "/tests/virtual_gpu/runtime/sample.cu";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  bytes = read_bytes(made);
  std::filesystem::remove(made);
  return bytes;
}

inline const char* const kBothImages = "-gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' ";

}  // namespace ridge::runtime::test

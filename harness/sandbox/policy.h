// What an untrusted program may access, and the mechanisms that enforce it.
//
// There are two mechanisms, strongest first. bubblewrap: separate namespaces, without network,
// other processes, or files outside its view. limits: restrictions that a process requests from the
// kernel: Landlock for files, seccomp for system calls. Both also filter system calls. If neither
// works, the program runs with the user's rights, and the report says so.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::sandbox {

enum class Mechanism { none, limits, bubblewrap };

struct Policy {
  std::vector<std::filesystem::path> readable;  // in addition to the system's folders
  std::vector<std::filesystem::path> writable;
  bool gpu = false;                           // allow NVIDIA's device files
  // Allow sockets in the loopback network of bubblewrap, where nobody else is; NCCL needs them.
  bool loopback = false;
  std::vector<std::filesystem::path> hidden;  // of the system's; requires bubblewrap
};

// RIDGE_SANDBOX names one mechanism, or "auto" (also when unset): all, strongest first. Throws
// std::runtime_error for any other value.
std::vector<Mechanism> mechanisms_to_try();

// The existing folders and files of the system that a compiled program or a compiler needs to read.
std::vector<std::filesystem::path> system_paths();

}  // namespace ridge::sandbox

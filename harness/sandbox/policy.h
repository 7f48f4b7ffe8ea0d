// What a program that is not trusted may reach, and the mechanisms that enforce it.
//
// Two mechanisms, strongest first. bubblewrap: namespaces of its own, so that there is no network, no other
// process and no file but those bound into its view. limits: what the kernel does for a process that asks for
// it: Landlock for files, seccomp for system calls. Both also filter system calls. Where neither works the
// program runs with the user's rights, and that is said.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::sandbox {

enum class Mechanism { none, limits, bubblewrap };

struct Policy {
  std::vector<std::filesystem::path> readable;  // beside the system's own folders
  std::vector<std::filesystem::path> writable;
  bool gpu = false;                           // NVIDIA's device files
  std::vector<std::filesystem::path> hidden;  // of the system's own; only bubblewrap can
};

// RIDGE_SANDBOX names one fence, or "auto" (as does its absence): then all, strongest first. Throws
// std::runtime_error for another word.
std::vector<Mechanism> mechanisms_to_try();

// Folders and files of the system that a compiled program or a compiler needs to read, if they are there.
std::vector<std::filesystem::path> system_paths();

}  // namespace ridge::sandbox

// nvcc: one .cu to one shared object, cached by content and flags.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ridge::build {

struct KernelResources {  // from ptxas -v
  std::string kernel;     // demangled
  uint32_t registers = 0, shared_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0, stack_bytes = 0;
};

// The inputs of the compilation; equal inputs give an equal object.
struct MadeFrom {
  std::string source;          // the text that nvcc read
  std::string headers_sha256;  // names and texts of the headers that it could include
  std::string toolkit;         // "13.0"
  std::vector<std::string> flags;
};

struct Compiled {
  bool ok = false;
  MadeFrom from;
  std::filesystem::path object;  // the .so, in the cache
  // Nvcc's warnings and errors, with the student's file name and line.
  std::string messages;
  std::string stopped;           // why we stopped nvcc, as a sentence
  std::vector<KernelResources> kernels;
  bool from_cache = false;
  double seconds = 0;
};

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("nvcc was interrupted") {}
};

// The flags that both engines need, for architecture "90a", "80", ...: `ridge nvcc` adds them.
std::vector<std::string> engine_flags(const std::string& architecture);
// The same, and the other flags for a lab's shared object.
std::vector<std::string> lab_flags(const std::string& architecture);
// Headers are searched in the source's own folder, then in `include_folders`: pass the rung's
// include_folders(), which contains the lab's folder with the header that declares the signature. A
// file that is saved during the compilation is compiled again, so that `from` is what was compiled.
// Throws std::runtime_error when nvcc is missing (with what to install) or the cache cannot be
// written (disk full), and Interrupted when `stop` became true.
Compiled compile(const std::filesystem::path& source, const std::filesystem::path& cache,
                 const std::string& architecture,
                 const std::vector<std::filesystem::path>& include_folders = {},
                 const std::atomic<bool>* stop = nullptr);

// Whether nvcc runs in bubblewrap: it then sees only the system, the toolkit, the lab, and the
// source with the headers in its folder. False when bubblewrap is missing or does not work, or when
// RIDGE_SANDBOX disables it.
bool compiler_is_sandboxed();

}  // namespace ridge::build

// One .cu to one shared object, by nvcc or clang, cached by content and flags.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ridge::build {

struct KernelResources {  // from ptxas -v; clang has only the name, and registers are 0
  std::string kernel;     // demangled
  uint32_t registers = 0, shared_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0,
           stack_bytes = 0;
};

// The inputs of the compilation; equal inputs give an equal object.
struct MadeFrom {
  std::string source;          // the text that the compiler read
  std::string headers_sha256;  // names and texts of the headers that it could include
  std::string toolkit;         // "13.0", "clang 19.1.7"
  std::vector<std::string> flags;
};

struct Compiled {
  bool ok = false;
  MadeFrom from;
  std::filesystem::path object;  // the .so, in the cache
  std::string messages;          // warnings and errors, with the learner's file name and line
  std::string stopped;           // we ended the compiler: why, in a sentence
  std::vector<KernelResources> kernels;
  bool from_cache = false;
  double seconds = 0;
};

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("the compiler was interrupted") {}
};

// The flags that both engines need, for architecture "90a", "80", ...: `ridge nvcc` adds them.
std::vector<std::string> engine_flags(const std::string& architecture);
// The same, and the other flags for a lab's shared object.
std::vector<std::string> lab_flags(const std::string& architecture);
// `include_folders` is searched for headers after the source's own folder: give the rung's
// include_folders(): its lab's folder, which holds the header with the signature that solutions and known-wrong
// files include. A file that is saved meanwhile is compiled again, so that `from` is what was compiled.
// Throws std::runtime_error when there is no compiler (what to install) or the cache cannot be written (disk
// full), and Interrupted when `stop` became true meanwhile.
Compiled compile(const std::filesystem::path& source, const std::filesystem::path& cache,
                 const std::string& architecture,
                 const std::vector<std::filesystem::path>& include_folders = {},
                 const std::atomic<bool>* stop = nullptr);

// Whether the compiler runs behind bubblewrap here: then it sees nothing but the system, its own files, the lab, and
// the source with the headers beside it. False where bubblewrap is missing or does not work, or
// RIDGE_SANDBOX says otherwise.
bool compiler_is_sandboxed();

}  // namespace ridge::build

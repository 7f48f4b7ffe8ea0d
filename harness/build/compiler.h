// Which compiler makes the labs: nvcc of the CUDA Toolkit, or clang with the headers of virtual_gpu/headers.
#pragma once

#include <optional>
#include <string>

#include "harness/build/clang/installation.h"
#include "harness/build/toolkit.h"

namespace ridge::build {

// "nvcc" or "clang" asks for one; `ridge ... --with` sets it for this process and those that it starts.
inline constexpr const char* kCompilerVariable = "RIDGE_COMPILER";

struct Compiler {
  std::optional<Toolkit> toolkit;    // nvcc's
  std::optional<clang::Clang> llvm;  // exactly one of the two is set
  std::string why;                   // a sentence

  bool is_clang() const { return llvm.has_value(); }
  std::string name() const;     // "nvcc", "clang": in sentences
  std::string version() const;  // "13.0", "clang 19.1.7": kept with a grade
  std::string build() const;    // part of the cache's key
  std::filesystem::path program() const;
};

// nvcc of CUDA 13 where there is one, else clang. Throws std::runtime_error with what to install.
Compiler choose_compiler();
// The same after nvcc has preprocessed an empty file: where it has no host compiler that it supports, clang is
// chosen. Takes 0.2 s.
Compiler choose_tried_compiler();
// Whether nvcc's messages say that it has no host compiler, or none that it supports: they are not about the file.
bool lacks_host_compiler(const std::string& messages);
std::string without_host_compiler(const Compiler& nvcc);  // the sentence for it
// nvcc was chosen and cannot compile at all here (no host compiler that it supports): from now on this process
// chooses clang, and says `why`. False where there is no clang or nvcc was asked for.
bool give_up_nvcc(const std::string& why);
// A sentence on an nvcc that there is and that cannot be used, where clang was chosen for it in this process; else empty.
std::string nvcc_passed_over();

// Two commands, one per line, that install what the labs need of the CUDA Toolkit, for this distribution; the
// page of downloads for others. `os_release`: the text of /etc/os-release.
std::string toolkit_commands(const std::string& os_release);
std::string toolkit_commands();

}  // namespace ridge::build

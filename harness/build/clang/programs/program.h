// Whole CUDA programs by clang, from the options that people give to nvcc.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/build/clang/installation.h"

namespace ridge::build::clang {

enum class Result { program, object, ptx, fat_binary };

struct Program {
  std::vector<std::filesystem::path> sources;  // .cu and .cpp
  std::filesystem::path output;                // empty: nvcc's default name
  std::string architecture = "90a";
  std::vector<std::string> both, device, host, link;  // further options of the compiler, by run
  Result result = Result::program;
  bool is_relocatable = false;  // -rdc=true
};

// Throws std::runtime_error for an option that has no counterpart, with its name.
Program program_from_nvcc_words(const std::vector<std::string>& words);

// Compiles and, for a program, links. Each source has its own result unless they are linked. The exit status of what failed, or 0; messages go to standard error as they come.
int build_program(const Clang& clang, const Program& program);

}  // namespace ridge::build::clang

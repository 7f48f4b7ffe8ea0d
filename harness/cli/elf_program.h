// The properties of a program file that `ridge exec` checks before it starts the program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::cli {

struct ElfProgram {
  // An executable program, not an object file or a core dump.
  bool executable = false;
  bool our_machine = false;                 // built for this processor architecture
  std::vector<std::string> needed;          // libraries that the loader will load
  // DT_RPATH, which the loader uses before LD_LIBRARY_PATH.
  bool fixed_path = false;
  bool has_kernels = false;                 // a section with a fat binary
  bool has_ptx = false;                     // ... which contains PTX
  std::optional<int> cudart_major() const;  // 13 for libcudart.so.13
  bool uses_driver() const;                 // linked with -lcuda
};

// nullopt: not a 64-bit ELF file. Throws std::runtime_error when the file cannot be read.
std::optional<ElfProgram> inspect(const std::filesystem::path& file);

}  // namespace ridge::cli

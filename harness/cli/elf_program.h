// What a program on disk is made of, as far as `ridge exec` must know before it starts it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::cli {

struct ElfProgram {
  bool executable = false;                  // a program, not an object file or a core dump
  bool our_machine = false;                 // the same processor as ours
  std::vector<std::string> needed;          // libraries it asks the loader for
  bool fixed_path = false;                  // DT_RPATH, which the loader reads before LD_LIBRARY_PATH
  bool has_kernels = false;                 // a section with a fat binary
  bool has_ptx = false;                     // ... that holds PTX
  std::optional<int> cudart_major() const;  // 13 for libcudart.so.13
  bool uses_driver() const;                 // linked with -lcuda
};

// nullopt: not an ELF file of 64 bits. Throws std::runtime_error when the file cannot be read.
std::optional<ElfProgram> inspect(const std::filesystem::path& file);

}  // namespace ridge::cli

#include "harness/cli/course_checks/mutants/same_code.h"

#include <elf.h>

#include <cstring>
#include <regex>
#include <string>

#include "harness/build/instruction_mix.h"
#include "text/whole_file.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

// A hash of the file's path, in the names of unnamed namespaces.
const std::regex kFileHash("_[0-9a-f]{8}");

// The instructions only: no source locations, file names or comments.
std::string device_code_of(const fs::path& object) {
  static const std::regex kNoCode(R"(^\s*(\.loc|\.file|//).*)");
  std::string code;
  for (const std::string& ptx : build::ptx_in(object)) {
    size_t begin = 0;
    while (begin < ptx.size()) {
      const size_t end = std::min(ptx.find('\n', begin), ptx.size());
      const std::string line = ptx.substr(begin, end - begin);
      begin = end + 1;
      if (line.find(".section") != std::string::npos) break;  // the line table follows
      if (line.size() > 500)
        code += line + "\n";
      else if (!std::regex_match(line, kNoCode))
        code += std::regex_replace(line, kFileHash, "_") + "\n";
    }
  }
  return code;
}

// The sections that hold the host's instructions and constants; "" for what is no ELF file.
std::string host_code_of(const fs::path& object) {
  const std::string file = text::read_file(object);
  Elf64_Ehdr header;
  if (file.size() < sizeof header) return "";
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  const auto section = [&](uint64_t index) {
    Elf64_Shdr found{};
    const uint64_t from = header.e_shoff + index * sizeof found;
    if (from <= file.size() && file.size() - from >= sizeof found)
      std::memcpy(&found, file.data() + from, sizeof found);
    return found;
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  std::string code;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = section(i);
    const uint64_t at = names.sh_offset + one.sh_name;
    if (at >= file.size()) continue;
    const std::string name = file.substr(at, file.find('\0', at) - at);
    if (name != ".text" && name != ".rodata" && name != ".data") continue;
    if (one.sh_type != SHT_PROGBITS || one.sh_offset > file.size()) continue;
    const std::string bytes = file.substr(one.sh_offset, one.sh_size);
    code += name == ".text" ? bytes : std::regex_replace(bytes, kFileHash, "_");
  }
  return code;
}

}  // namespace

bool is_same_code(const fs::path& object, const fs::path& other) {
  return device_code_of(object) == device_code_of(other) &&
         host_code_of(object) == host_code_of(other);
}

}  // namespace ridge::cli

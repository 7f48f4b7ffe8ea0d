#include "harness/cli/elf_program.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>

namespace ridge::cli {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kOurMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kOurMachine = EM_AARCH64;
#else
constexpr uint16_t kOurMachine = EM_NONE;
#endif

// Maps the file: programs can be gigabytes, of which only a few pages are read.
class Mapped {
 public:
  explicit Mapped(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
      const int error = errno;
      if (descriptor >= 0) close(descriptor);
      throw std::runtime_error(fmt::format("cannot read {}: {}", file.string(), std::strerror(error)));
    }
    size_ = static_cast<size_t>(status.st_size);
    if (size_ > 0) data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (data_ == MAP_FAILED) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
  }
  ~Mapped() {
    if (size_ > 0) munmap(data_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  std::span<const char> bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

// A value at an offset taken from the file itself; zeros when it is outside the file.
template <class T>
T at(std::span<const char> bytes, uint64_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof(T))
    std::memcpy(&value, &bytes[offset], sizeof(T));
  return value;
}

std::span<const char> part(std::span<const char> bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size()) return {};
  return bytes.subspan(offset, std::min<uint64_t>(size, bytes.size() - offset));
}

std::string name_at(std::span<const char> table, uint64_t offset) {
  if (offset >= table.size()) return "";
  return std::string(&table[offset], strnlen(&table[offset], table.size() - offset));
}

uint64_t file_offset(std::span<const char> file, const Elf64_Ehdr& header, uint64_t address) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(file, header.e_phoff + uint64_t{i} * header.e_phentsize);
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return ~uint64_t{0};
}

void read_dynamic(std::span<const char> file, const Elf64_Ehdr& header, ElfProgram& program) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(file, header.e_phoff + uint64_t{i} * header.e_phentsize);
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto entries = part(file, segment.p_offset, segment.p_filesz);
    const uint64_t count = entries.size() / sizeof(Elf64_Dyn);
    std::span<const char> names;
    for (uint64_t k = 0; k < count; ++k) {
      const auto entry = at<Elf64_Dyn>(entries, k * sizeof(Elf64_Dyn));
      if (entry.d_tag == DT_STRTAB)
        names = part(file, file_offset(file, header, entry.d_un.d_ptr), ~uint64_t{0});
    }
    for (uint64_t k = 0; k < count; ++k) {
      const auto entry = at<Elf64_Dyn>(entries, k * sizeof(Elf64_Dyn));
      if (entry.d_tag == DT_NEEDED) program.needed.push_back(name_at(names, entry.d_un.d_val));
      if (entry.d_tag == DT_RPATH) program.fixed_path = true;
    }
  }
}

// Fat binaries are stored one after the other: a header of 16 bytes, then entries whose kind is 1
// for PTX.
bool holds_ptx(std::span<const char> section) {
  constexpr uint32_t kMagic = 0xBA55ED50;
  constexpr uint16_t kPtx = 1;
  for (uint64_t start = 0; start + 16 <= section.size();) {
    if (at<uint32_t>(section, start) != kMagic) {
      start += 8;
      continue;
    }
    const uint64_t first = start + at<uint16_t>(section, start + 6);
    const uint64_t end = first + std::min<uint64_t>(at<uint64_t>(section, start + 8), section.size() - start);
    for (uint64_t entry = first; entry + 16 <= std::min<uint64_t>(end, section.size());) {
      if (at<uint16_t>(section, entry) == kPtx) return true;
      const uint64_t step = at<uint32_t>(section, entry + 4) + at<uint64_t>(section, entry + 8);
      if (step == 0 || step > section.size()) break;
      entry += step;
    }
    start = std::max(end, start + 8);
  }
  return false;
}

}  // namespace

std::optional<int> ElfProgram::cudart_major() const {
  const std::string name = "libcudart.so.";
  for (const std::string& library : needed) {
    if (library.starts_with(name)) return std::atoi(library.c_str() + name.size());
  }
  return std::nullopt;
}

bool ElfProgram::uses_driver() const {
  return std::any_of(needed.begin(), needed.end(),
                     [](const std::string& library) { return library.starts_with("libcuda.so"); });
}

std::optional<ElfProgram> inspect(const std::filesystem::path& path) {
  const Mapped mapped(path);
  const auto file = mapped.bytes();
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  ElfProgram program;
  program.executable = header.e_type == ET_EXEC || header.e_type == ET_DYN;
  program.our_machine = header.e_machine == kOurMachine;
  read_dynamic(file, header, program);
  const auto section_at = [&](unsigned i) {
    return at<Elf64_Shdr>(file, header.e_shoff + uint64_t{i} * header.e_shentsize);
  };
  const auto name_section = section_at(header.e_shstrndx);
  const auto names = part(file, name_section.sh_offset, name_section.sh_size);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = section_at(i);
    const std::string name = name_at(names, section.sh_name);
    // With -rdc=true the code is in __nv_relfatbin.
    if (name != ".nv_fatbin" && name != "__nv_relfatbin" && name != ".nvFatBinSegment") continue;
    program.has_kernels = true;
    if (section.sh_type != SHT_NOBITS)
      program.has_ptx |= holds_ptx(part(file, section.sh_offset, section.sh_size));
  }
  return program;
}

}  // namespace ridge::cli

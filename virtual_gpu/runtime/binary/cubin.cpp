#include "virtual_gpu/runtime/binary/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "virtual_gpu/runtime/binary/fatbin.h"
#include "virtual_gpu/runtime/binary/line_table.h"

namespace ridge::runtime {
namespace {

// .nv.info is a sequence of {u8 format, u8 attribute, u16 value}; with format 4, `value` bytes of
// payload follow.
constexpr uint8_t kFormatSized = 4;
constexpr uint8_t kAttributeFrameBytes = 0x11, kAttributeMinimalStackBytes = 0x12, kAttributeRegisters = 0x2f;
// From sm_90 on ptxas includes the 1 KB that the system reserves per block in the kernel's size.
constexpr uint32_t kSystemSharedBytes = 1024;

template <typename T>
T read_at(std::string_view bytes, uint64_t offset, const char* what) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    throw FatbinError(
        fmt::format("the cubin ends inside {}: {} bytes at {} of {}", what, sizeof(T), offset, bytes.size()));
  }
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view slice(std::string_view bytes, uint64_t offset, uint64_t length, const char* what) {
  if (offset > bytes.size() || bytes.size() - offset < length) {
    throw FatbinError(
        fmt::format("the cubin ends inside {}: {} bytes at {} of {}", what, length, offset, bytes.size()));
  }
  return bytes.substr(offset, length);
}

std::string_view string_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

struct Section {
  std::string_view name;
  Elf64_Shdr header;
};

std::vector<Section> read_sections(std::string_view elf) {
  auto file = read_at<Elf64_Ehdr>(elf, 0, "its ELF header");
  if (std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_ident[EI_CLASS] != ELFCLASS64) {
    throw FatbinError("the cubin is not a 64-bit ELF file");
  }
  std::vector<Section> sections(file.e_shnum);
  for (uint64_t i = 0; i < sections.size(); ++i) {
    sections[i].header = read_at<Elf64_Shdr>(elf, file.e_shoff + i * sizeof(Elf64_Shdr), "its section table");
  }
  if (file.e_shstrndx >= sections.size()) return sections;
  const Elf64_Shdr& names = sections[file.e_shstrndx].header;
  std::string_view name_table = slice(elf, names.sh_offset, names.sh_size, "its section names");
  for (Section& section : sections)
    section.name = string_at(name_table, section.header.sh_name);
  return sections;
}

// Function names by index in the symbol table.
std::unordered_map<uint32_t, std::string> read_function_names(std::string_view elf,
                                                              const std::vector<Section>& sections) {
  std::unordered_map<uint32_t, std::string> names;
  for (const Section& section : sections) {
    if (section.header.sh_type != SHT_SYMTAB || section.header.sh_link >= sections.size()) continue;
    std::string_view symbols = slice(elf, section.header.sh_offset, section.header.sh_size, "its symbols");
    const Elf64_Shdr& link = sections[section.header.sh_link].header;
    std::string_view strings = slice(elf, link.sh_offset, link.sh_size, "its symbol names");
    for (uint32_t i = 0; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
      auto symbol = read_at<Elf64_Sym>(symbols, i * sizeof(Elf64_Sym), "a symbol");
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) names[i] = string_at(strings, symbol.st_name);
    }
  }
  return names;
}

// Line programs of the functions by symbol index.
std::unordered_map<uint32_t, std::vector<LineRow>> read_lines(std::string_view elf,
                                                              const std::vector<Section>& sections) {
  std::map<uint64_t, uint32_t> symbol_at;
  std::string_view lines;
  for (const Section& section : sections) {
    if (section.name == ".nv_debug_line_sass")
      lines = slice(elf, section.header.sh_offset, section.header.sh_size, "its line table");
    const bool with_addend = section.name == ".rela.nv_debug_line_sass";
    if (!with_addend && section.name != ".rel.nv_debug_line_sass") continue;
    std::string_view entries =
        slice(elf, section.header.sh_offset, section.header.sh_size, "its line table's relocations");
    const uint64_t entry_bytes = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t at = 0; at + entry_bytes <= entries.size(); at += entry_bytes) {
      auto entry = read_at<Elf64_Rel>(entries, at, "a relocation");
      symbol_at[entry.r_offset] = static_cast<uint32_t>(ELF64_R_SYM(entry.r_info));
    }
  }
  return read_line_table(lines, symbol_at);
}

std::vector<warp_model::SassInstruction> read_code(std::string_view text, const std::vector<LineRow>& lines) {
  std::vector<warp_model::SassInstruction> code;
  code.reserve(text.size() / warp_model::kSassBytes);
  size_t row = 0;
  for (uint32_t at = 0; at + warp_model::kSassBytes <= text.size(); at += warp_model::kSassBytes) {
    code.push_back(warp_model::decode_sass(read_at<uint64_t>(text, at, "its code"),
                                           read_at<uint64_t>(text, at + 8, "its code"), at));
    while (row + 1 < lines.size() && lines[row + 1].address <= at)
      ++row;
    if (row < lines.size() && lines[row].address <= at) code.back().ptx_line = lines[row].line;
  }
  return code;
}

using Code = std::vector<warp_model::SassInstruction>;
using CodeByName = std::unordered_map<std::string, Code>;

// Calls of functions in other sections, which separate compilation leaves unresolved: by caller, by
// offset in its code.
using CallsByName = std::unordered_map<std::string, std::map<uint64_t, std::string>>;

CallsByName read_calls(std::string_view elf, const std::vector<Section>& sections,
                       const std::unordered_map<uint32_t, std::string>& names) {
  CallsByName calls;
  for (const Section& section : sections) {
    constexpr std::string_view kPlain = ".rel.text.", kWithAddend = ".rela.text.";
    const bool with_addend = section.name.starts_with(kWithAddend);
    if (!with_addend && !section.name.starts_with(kPlain)) continue;
    const std::string caller(section.name.substr((with_addend ? kWithAddend : kPlain).size()));
    std::string_view entries =
        slice(elf, section.header.sh_offset, section.header.sh_size, "its code's relocations");
    const uint64_t entry_bytes = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t at = 0; at + entry_bytes <= entries.size(); at += entry_bytes) {
      const auto entry = read_at<Elf64_Rel>(entries, at, "a relocation");
      const auto callee = names.find(static_cast<uint32_t>(ELF64_R_SYM(entry.r_info)));
      if (callee != names.end()) calls[caller][entry.r_offset / warp_model::kSassBytes] = callee->second;
    }
  }
  return calls;
}

// The function's code, followed by the code of every function that it calls, each once.
Code with_callees(const std::string& name, const CodeByName& codes, const CallsByName& calls) {
  Code all;
  std::map<std::string, uint32_t> begins;
  std::vector<std::string> open{name};
  std::vector<std::pair<size_t, std::string>> to_connect;
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    const auto code = codes.find(next);
    if (code == codes.end() || begins.contains(next)) continue;
    const auto begin = static_cast<uint32_t>(all.size() * warp_model::kSassBytes);
    begins[next] = begin;
    for (warp_model::SassInstruction instruction : code->second) {
      instruction.address += begin;
      if (instruction.target != 0) instruction.target += begin;
      all.push_back(instruction);
    }
    const auto own_calls = calls.find(next);
    if (own_calls == calls.end()) continue;
    for (const auto& [at, callee] : own_calls->second) {
      const size_t index = begin / warp_model::kSassBytes + at;
      if (index >= all.size() || all[index].flow != warp_model::SassFlow::call) continue;
      to_connect.emplace_back(index, callee);
      open.push_back(callee);
    }
  }
  for (const auto& [index, callee] : to_connect) {
    const auto begin = begins.find(callee);
    all[index].target = begin == begins.end() ? 0 : begin->second;
  }
  return all;
}

}  // namespace

std::unordered_map<std::string, CubinKernel> read_cubin(std::string_view elf, const LineShifts& shifts,
                                                        CubinParts parts) {
  std::vector<Section> sections = read_sections(elf);
  std::unordered_map<uint32_t, std::string> names = read_function_names(elf, sections);
  std::unordered_map<std::string, CubinKernel> kernels;
  for (const auto& [index, name] : names)
    kernels[name];
  std::unordered_map<uint32_t, std::vector<LineRow>> lines;
  if (parts == CubinParts::all) lines = read_lines(elf, sections);
  std::unordered_map<std::string, std::vector<LineRow>> lines_of;
  for (const auto& [symbol, rows] : lines) {
    if (auto name = names.find(symbol); name != names.end()) lines_of[name->second] = rows;
  }

  CodeByName codes;
  for (const Section& section : sections) {
    constexpr std::string_view shared_prefix = ".nv.shared.";
    if (section.name.starts_with(shared_prefix)) {
      auto kernel = kernels.find(std::string(section.name.substr(shared_prefix.size())));
      if (kernel == kernels.end()) continue;
      auto bytes = static_cast<uint32_t>(section.header.sh_size);
      kernel->second.static_shared_bytes = bytes >= kSystemSharedBytes ? bytes - kSystemSharedBytes : bytes;
    }
    constexpr std::string_view text_prefix = ".text.";
    if (parts == CubinParts::all && section.name.starts_with(text_prefix) &&
        section.header.sh_type == SHT_PROGBITS) {
      const std::string name(section.name.substr(text_prefix.size()));
      auto kernel = kernels.find(name);
      if (kernel == kernels.end()) continue;
      std::string_view text = slice(elf, section.header.sh_offset, section.header.sh_size, "its code");
      Code code = read_code(text, lines_of[name]);
      if (const auto shift = shifts.find(name); shift != shifts.end()) {
        for (warp_model::SassInstruction& instruction : code)
          instruction.ptx_line += instruction.ptx_line == 0 ? 0 : shift->second;
      }
      codes[name] = std::move(code);
    }
    if (section.name != ".nv.info") continue;
    std::string_view info = slice(elf, section.header.sh_offset, section.header.sh_size, ".nv.info");
    for (uint64_t at = 0; at < info.size();) {
      auto format = read_at<uint8_t>(info, at, ".nv.info");
      auto attribute = read_at<uint8_t>(info, at + 1, ".nv.info");
      auto value = read_at<uint16_t>(info, at + 2, ".nv.info");
      at += 4;
      if (format != kFormatSized) continue;
      std::string_view payload = slice(info, at, value, "a .nv.info attribute");
      at += value;
      if (payload.size() < 8) continue;
      auto name = names.find(read_at<uint32_t>(payload, 0, "a .nv.info attribute"));
      if (name == names.end()) continue;
      CubinKernel& kernel = kernels[name->second];
      auto number = read_at<uint32_t>(payload, 4, "a .nv.info attribute");
      if (attribute == kAttributeRegisters) kernel.registers_per_thread = number;
      if (attribute == kAttributeFrameBytes || attribute == kAttributeMinimalStackBytes) {
        kernel.stack_bytes = std::max(kernel.stack_bytes, number);
      }
    }
  }
  if (parts != CubinParts::all) return kernels;
  const CallsByName calls = read_calls(elf, sections, names);
  for (const auto& [name, code] : codes) {
    kernels[name].code =
        std::make_shared<const Code>(calls.contains(name) ? with_callees(name, codes, calls) : code);
  }
  return kernels;
}

}  // namespace ridge::runtime

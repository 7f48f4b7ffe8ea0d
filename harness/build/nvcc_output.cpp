#include "harness/build/nvcc_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "text/demangled.h"

namespace ridge::build {
namespace {

constexpr size_t kMostLineBytes = 600, kMostMessageBytes = 64 << 10;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// nvcc shows a line after macro expansion: "__attribute__((global)) void add(...)". Restores the
// student's spelling and returns by how many columns the text before `column` shrank, so that the
// caret on the next line can move along.
size_t restore_keywords(std::string& line, size_t column) {
  size_t moved = 0;
  for (const char* word : {"global", "device", "host", "shared", "constant", "managed"}) {
    const std::string from = std::string("__attribute__((") + word + "))";
    const std::string to = std::string("__") + word + "__";
    for (size_t at = 0; (at = line.find(from, at)) != std::string::npos; at += to.size()) {
      line.replace(at, from.size(), to);
      if (at + from.size() <= column - moved) moved += from.size() - to.size();
    }
  }
  return moved;
}

bool is_statistics(const std::string& line) {
  return line.starts_with("ptxas info") || line.find("bytes stack frame") != std::string::npos ||
         line.starts_with("Remark: The warnings can be suppressed");
}

uint32_t number_in(const std::smatch& match) {
  return static_cast<uint32_t>(std::stoul(match[1]));
}

}  // namespace

std::vector<KernelResources> resources_in(const std::string& output) {
  static const std::regex kEntry("Compiling entry function '([^']+)'");
  static const std::regex kStack("([0-9]+) bytes stack frame");
  static const std::regex kStores("([0-9]+) bytes spill stores");
  static const std::regex kLoads("([0-9]+) bytes spill loads");
  static const std::regex kRegisters("Used ([0-9]+) registers");
  static const std::regex kShared("([0-9]+) bytes smem");
  std::vector<KernelResources> kernels;
  // Device functions that are not inlined have their own "Function properties", which are not the
  // kernel's.
  static const std::regex kProperties("Function properties for (\\S+)");
  std::string mangled, described;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, kEntry)) {
      mangled = described = match[1];
      kernels.push_back({.kernel = text::demangled(mangled)});
      continue;
    }
    if (kernels.empty()) continue;
    if (std::regex_search(line, match, kProperties)) described = match[1];
    KernelResources& kernel = kernels.back();
    if (described == mangled) {
      if (std::regex_search(line, match, kStack)) kernel.stack_bytes = number_in(match);
      if (std::regex_search(line, match, kStores)) kernel.spill_store_bytes = number_in(match);
      if (std::regex_search(line, match, kLoads)) kernel.spill_load_bytes = number_in(match);
    }
    if (std::regex_search(line, match, kRegisters)) kernel.registers = number_in(match);
    if (std::regex_search(line, match, kShared)) kernel.shared_bytes = number_in(match);
  }
  return kernels;
}

// nvcc repeats the bytes of a file that is not source text: replaces control characters of
// terminals and shortens long lines.
void cut_to_text(std::string& line) {
  if (line.size() > kMostLineBytes) line = line.substr(0, kMostLineBytes) + " ...";
  for (char& letter : line)
    if ((static_cast<unsigned char>(letter) < 32 && letter != '\t' && letter != '\r') || letter == 127)
      letter = '?';
}

std::string messages_in(const std::string& output, const std::filesystem::path& compiled,
                        const std::string& shown) {
  static const std::regex kPlace(
      "^(\\S.*?)\\(([0-9]+)\\): (?=error|warning|fatal|catastrophic|remark|note)");  // "file(12): error"
  // Its intermediate files.
  static const std::regex kScratch("[^\\s'\"]*tmpxft_[^\\s'\",:;]*");
  std::istringstream stream(output);
  std::vector<std::string> lines;
  size_t bytes = 0;
  for (std::string line; std::getline(stream, line);) {
    if (is_statistics(line)) continue;
    cut_to_text(line);
    bytes += line.size();
    if (bytes > kMostMessageBytes) {
      lines.push_back(fmt::format("[nvcc said {} bytes in all; the rest is left out]", output.size()));
      break;
    }
    if (!compiled.empty()) replace_all(line, compiled.string(), shown);
    line = std::regex_replace(line, kPlace, "$1:$2: ");
    line = std::regex_replace(line, kScratch, shown);
    // A caret line follows its source line and moves left when that line was shortened.
    const size_t caret = line.find_first_not_of(' ');
    const bool is_caret = caret != std::string::npos && line[caret] == '^' && line.size() == caret + 1;
    if (is_caret && !lines.empty()) {
      const size_t moved = restore_keywords(lines.back(), caret);
      line = std::string(caret - std::min(moved, caret), ' ') + "^";
    }
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    if (!(blank && (lines.empty() || lines.back().empty()))) lines.push_back(blank ? "" : line);
  }
  while (!lines.empty() && lines.back().empty())
    lines.pop_back();
  std::string text;
  for (std::string& line : lines) {
    restore_keywords(line, 0);
    text += line + "\n";
  }
  return text;
}

bool disk_full_in(const std::string& output) {
  return output.find("No space left on device") != std::string::npos ||
         output.find("Disk quota exceeded") != std::string::npos;
}

}  // namespace ridge::build

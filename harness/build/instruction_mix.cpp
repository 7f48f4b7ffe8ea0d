#include "harness/build/instruction_mix.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <sstream>

#include "harness/build/process.h"
#include "text/whole_file.h"

namespace ridge::build {

namespace {

std::vector<OpcodeCount> sorted(const std::map<std::string, uint64_t>& counts) {
  std::vector<OpcodeCount> list;
  for (const auto& [opcode, count] : counts)
    list.push_back({opcode, count});
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return list;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

// Removes comments and the contents of strings; a blank replaces each comment.
std::string without_comments(std::string_view ptx) {
  std::string text;
  text.reserve(ptx.size());
  for (size_t at = 0; at < ptx.size();) {
    if (ptx.substr(at, 2) == "/*") {
      at = std::min(ptx.find("*/", at + 2), ptx.size() - 2) + 2;
      text += ' ';
    } else if (ptx.substr(at, 2) == "//") {
      at = std::min(ptx.find('\n', at), ptx.size());
    } else if (ptx[at] == '"') {
      at = std::min(ptx.find('"', at + 1), ptx.size() - 1) + 1;
      text += "\"\"";
    } else {
      text += ptx[at++];
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> ptx_opcodes(std::string_view ptx) {
  const std::string text = without_comments(ptx);
  std::vector<std::string> opcodes;
  const auto blank = [&](size_t at) {
    return at < text.size() && std::isspace(static_cast<unsigned char>(text[at]));
  };
  for (size_t at = 0; at < text.size();) {
    if (!is_word(text[at]) && text[at] != '.') {
      ++at;
      continue;
    }
    // Read a word and the modifiers after it, with or without blanks in between.
    std::string word;
    while (at < text.size()) {
      while (at < text.size() && (is_word(text[at]) || text[at] == '.' || text[at] == ':'))
        word += text[at++];
      size_t ahead = at;
      while (blank(ahead))
        ++ahead;
      const bool joins = ahead < text.size() && (text[ahead] == '.' || word.ends_with('.'));
      if (!joins || ahead == at) break;
      at = ahead;
    }
    if (!word.empty() && std::islower(static_cast<unsigned char>(word.front()))) opcodes.push_back(word);
    if (word.empty()) ++at;
  }
  return opcodes;
}

std::vector<KernelOrigin> kernel_origins(std::string_view ptx) {
  static const std::regex kFile(R"rx(^\s*\.file\s+([0-9]+)\s+"([^"]*)")rx");
  static const std::regex kEntry(R"(\.entry\s+([\w$]+))");
  static const std::regex kPlace(R"(^\s*\.loc\s+([0-9]+)\s)");
  std::map<std::string, std::string> files;
  std::vector<std::pair<std::string, std::string>> kernels;  // name, file number
  std::istringstream lines{std::string(ptx)};
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.size() > 2000) continue;  // data
    if (line.find(".file") != std::string::npos && std::regex_search(line, match, kFile))
      files[match[1]] = match[2];
    else if (line.find(".entry") != std::string::npos && std::regex_search(line, match, kEntry))
      kernels.emplace_back(match[1], "");
    else if (!kernels.empty() && kernels.back().second.empty() && line.find(".loc") != std::string::npos &&
             line.find("inlined_at") == std::string::npos && std::regex_search(line, match, kPlace))
      kernels.back().second = match[1];
  }
  std::vector<KernelOrigin> origins;
  for (const auto& [kernel, number] : kernels)
    origins.push_back({kernel, files.contains(number) ? files[number] : ""});
  return origins;
}

std::vector<std::string> ptx_in(const std::filesystem::path& object) {
  const std::string bytes = text::read_file(object);
  constexpr std::string_view kFirstWords = "\n.version ";
  std::vector<std::string> texts;
  for (size_t at = bytes.find(kFirstWords); at != std::string::npos; at = bytes.find(kFirstWords, at + 1)) {
    // A text ends with a zero byte. Its comments may contain bytes that are not text.
    const size_t end = std::min(bytes.find('\0', at), bytes.size());
    if (bytes.find(".target", at) < end) texts.push_back(bytes.substr(at, end - at));
  }
  return texts;
}

std::vector<OpcodeCount> ptx_mix(std::string_view ptx) {
  // Matches "@%p1 bra $L__BB0_2;" and "ld.global.f32 %f1, [%rd4];", but no directive, label,
  // declaration or comment.
  static const std::regex kInstruction(R"(^\s*(?:\{\s*)?(?:@!?%\w+\s+)?([a-z][a-z0-9_.:]*)(?:\s[^:]*)?;)");
  std::map<std::string, uint64_t> counts;
  std::istringstream lines{std::string(ptx)};
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, kInstruction)) ++counts[match[1]];
  }
  return sorted(counts);
}

std::vector<OpcodeCount> sass_mix(std::string_view listing) {
  // "        /*0010*/                   @!P0 LDG.E R2, [R2.64] ;   /* 0x... */"
  static const std::regex kInstruction(R"(^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)\b)");
  std::map<std::string, uint64_t> counts;
  std::istringstream lines{std::string(listing)};
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, kInstruction) && match[1] != "NOP") ++counts[match[1]];
  }
  return sorted(counts);
}

std::optional<std::string> sass_listing(const Toolkit& toolkit, const std::filesystem::path& object) {
  const std::filesystem::path program = toolkit.folder / "bin" / "cuobjdump";
  std::error_code ignored;
  if (!std::filesystem::exists(program, ignored)) return std::nullopt;
  const Finished finished = run({program.string(), "-sass", object.string()}, {}, Keep::output_only);
  if (!finished.started || finished.status != 0) return std::nullopt;
  return finished.output;
}

}  // namespace ridge::build

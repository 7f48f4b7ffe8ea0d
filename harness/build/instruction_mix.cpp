#include "harness/build/instruction_mix.h"

#include <algorithm>
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

}  // namespace

std::vector<std::string> ptx_in(const std::filesystem::path& object) {
  const std::string bytes = text::read_file(object);
  constexpr std::string_view kFirstWords = "\n.version ";
  std::vector<std::string> texts;
  for (size_t at = bytes.find(kFirstWords); at != std::string::npos; at = bytes.find(kFirstWords, at + 1)) {
    // A text ends with a zero byte, or where a byte is that no text has.
    size_t end = at;
    while (end < bytes.size() &&
           (bytes[end] >= ' ' || bytes[end] == '\n' || bytes[end] == '\t' || bytes[end] == '\r'))
      ++end;
    if (bytes.find(".target", at) < end) texts.push_back(bytes.substr(at, end - at));
  }
  return texts;
}

std::vector<OpcodeCount> ptx_mix(std::string_view ptx) {
  // "@%p1 bra $L__BB0_2;", "ld.global.f32 %f1, [%rd4];" but no directive, label, declaration or comment.
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

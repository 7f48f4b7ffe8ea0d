// The text and the source lines of each instruction of a program.
#include <fmt/format.h>

#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/program/toolkit_path.h"

namespace ridge::machine {
namespace {

// Appends the instruction at a line of the text, on one line and without comments; false when
// nothing is there.
bool append_text(const ptx::TextLines& lines, uint32_t ptx_line, std::string& into) {
  const size_t begin = into.size();
  char last = ' ';
  for (size_t i = ptx_line; i > 0 && i <= lines.size() && i < ptx_line + 24u; ++i) {
    const std::string_view line = lines[i - 1];
    bool ends = false;
    for (size_t k = 0; k < line.size(); ++k) {
      const char c = line[k];
      if (c == '/' && k + 1 < line.size() && line[k + 1] == '/') break;
      const bool space = c == ' ' || c == '\t' || c == '\r';
      if (space && last == ' ') continue;
      into += last = space ? ' ' : c;
      ends |= c == ';';
    }
    if (last != ' ') into += last = ' ';
    if (ends) break;
  }
  const std::string_view text = std::string_view(into).substr(begin);
  const size_t colon = text.find(": ");
  if (colon != std::string_view::npos && colon < text.find(' ')) into.erase(begin, colon + 2);
  while (into.size() > begin && (into.back() == ' ' || into.back() == ';'))
    into.pop_back();
  return into.size() > begin;
}

// All that follows from a location, which many instructions share; the rest is empty.
InstructionSource source_at(const ptx::Module& module, uint32_t location) {
  InstructionSource source;
  const auto file_of = [&](uint32_t of) -> std::string_view {
    const auto it = module.files.find(module.locations[of].file);
    return it == module.files.end() ? std::string_view() : it->second;
  };
  source.is_library = is_toolkit_header(file_of(location));
  // For code inlined from a header of the toolkit, use the line that called it: the header's line
  // does not help the user.
  for (int depth = 0; depth < 64 && is_toolkit_header(file_of(location)); ++depth) {
    const uint32_t outer = module.locations[location].inlined_at;
    if (outer == 0 || outer >= module.locations.size()) break;
    location = outer;
  }
  source.file = file_of(location);
  source.line = module.locations[location].line;
  const uint32_t innermost = location;
  uint32_t outermost = location;
  while (outermost < module.locations.size() && module.locations[outermost].inlined_at != 0)
    outermost = module.locations[outermost].inlined_at;
  source.own_file = file_of(outermost);
  while (location != outermost && file_of(location) != source.own_file)
    location = module.locations[location].inlined_at;
  source.own_line = module.locations[location].line;
  location = innermost;
  // For a function inlined from another file: find the call that it belongs to.
  for (int depth = 0; depth < 64 && source.called_from.empty(); ++depth) {
    location = module.locations[location].inlined_at;
    if (location == 0 || location >= module.locations.size()) break;
    const std::string_view file = file_of(location);
    if (file != source.file)
      source.called_from =
          fmt::format("{}:{}", file.substr(file.rfind('/') + 1), module.locations[location].line);
  }
  return source;
}

}  // namespace

void ModuleDecoder::add_sources(const ptx::Function& function) {
  // Without -lineinfo, kernels of CUB and thrust are recognised by their names.
  const bool is_of_library =
      function.name.starts_with("_ZN3cub") || function.name.starts_with("_ZN6thrust");
  std::string& texts = program_.texts.emplace_back();
  std::vector<size_t> begins;
  begins.reserve(function.instructions.size() + 1);
  constexpr size_t kUsualBytes = 48;
  texts.reserve(function.instructions.size() * kUsualBytes);
  for (const ptx::Instruction& instruction : function.instructions) {
    begins.push_back(texts.size());
    if (!append_text(module().ptx_lines, instruction.ptx_line, texts)) texts += instruction.opcode;
    texts += '\0';
  }
  begins.push_back(texts.size());
  std::unordered_map<uint32_t, InstructionSource> known;
  const InstructionSource* known_at = nullptr;
  uint32_t last_location = 0;
  for (size_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const uint32_t location =
        instruction.location < module().locations.size() ? instruction.location : 0;
    if (location != last_location || known_at == nullptr) {  // mostly that of the one before
      const auto [at, is_new] = known.try_emplace(location);
      if (is_new) at->second = source_at(module(), location);
      known_at = &at->second;
      last_location = location;
    }
    InstructionSource& source = program_.sources.emplace_back(*known_at);
    source.ptx_line = instruction.ptx_line;
    source.text = std::string_view(texts).substr(begins[i], begins[i + 1] - begins[i] - 1);
    source.opcode = instruction.opcode;
    if (source.file.empty()) source.is_library = is_of_library;
  }
  InstructionSource end = program_.sources.empty() ? InstructionSource{} : program_.sources.back();
  end.text = "ret";
  end.opcode = "ret";
  program_.sources.push_back(std::move(end));
}

}  // namespace ridge::machine

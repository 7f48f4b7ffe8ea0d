#include "harness/build/clang/ir_names.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ridge::build {
namespace {

bool is_letter_of_ir_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '.' ||
         letter == '$' || letter == '-';
}

}  // namespace

bool replace_name(std::string& line, std::string_view name, std::string_view to) {
  const std::string from = "@" + std::string(name);
  bool found = false;
  for (size_t at = line.find(from); at != std::string::npos; at = line.find(from, at)) {
    const size_t end = at + from.size();
    if (end < line.size() && is_letter_of_ir_name(line[end])) {
      at = end;
    } else {
      line.replace(at, from.size(), to);
      at += to.size();
      found = true;
    }
  }
  return found;
}

std::string_view defined_name(std::string_view line) {
  const size_t end = line.find(" = ");
  return line.starts_with('@') && end != std::string_view::npos ? line.substr(1, end - 1) : "";
}

void rename_uses_of_statics(std::vector<std::string>& lines) {
  constexpr std::string_view kMark = "__static__";
  std::map<std::string, std::string> renamed;  // "@name__static__ID" by name
  for (const std::string& line : lines) {
    const std::string name(defined_name(line));
    if (const size_t at = name.rfind(kMark); at != std::string::npos)
      renamed[name.substr(0, at)] = "@" + name;
  }
  if (renamed.empty()) return;
  std::erase_if(lines, [&](const std::string& line) {
    return line.find(" = external ") != std::string::npos &&
           renamed.contains(std::string(defined_name(line)));
  });
  for (std::string& line : lines)
    for (const auto& [name, to] : renamed)
      replace_name(line, name, to);
}

}  // namespace ridge::build

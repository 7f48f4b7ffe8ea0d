#include "harness/build/clang/vector_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace ridge::build {
namespace {

constexpr const char* kCall = "@llvm.memcpy.";

struct Pointer {
  std::string type;   // "ptr", "ptr addrspace(3)"
  std::string value;  // "%12", "getelementptr (...)"
  int alignment = 1;
};

// "ptr noundef nonnull align 16 dereferenceable(16) %12"
Pointer pointer_in(std::string text) {
  static const std::regex kType(R"(^\s*(ptr(?: addrspace\([0-9]+\))?) )");
  static const std::regex kAttribute(
      R"(^(?:(?:noundef|nonnull|nocapture|readonly|writeonly|noalias|returned|readnone) )"
      R"(|(?:align|dereferenceable|dereferenceable_or_null|captures)(?: |\()([0-9a-z]+)\)? ))");
  Pointer pointer;
  std::smatch match;
  if (!std::regex_search(text, match, kType)) return pointer;
  pointer.type = match[1];
  text = match.suffix();
  while (std::regex_search(text, match, kAttribute)) {
    if (match.str().starts_with("align")) pointer.alignment = std::stoi(match[1]);
    text = match.suffix();
  }
  pointer.value = text;
  return pointer;
}

// What follows the call's arguments: ", !dbg !12, !tbaa.struct !40" -> ", !dbg !12"
std::string debug_location(const std::string& line) {
  static const std::regex kLocation(", !dbg ![0-9]+");
  std::smatch match;
  return std::regex_search(line, match, kLocation) ? match.str() : "";
}

}  // namespace

std::vector<std::string> arguments_of(const std::string& line, size_t from) {
  std::vector<std::string> arguments;
  int depth = 0;
  std::string one;
  for (size_t i = line.find('(', from); i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == '(' && ++depth == 1) continue;
    if (letter == ')' && --depth == 0) break;
    if (letter == ',' && depth == 1) {
      arguments.push_back(std::move(one));
      one.clear();
    } else {
      one += letter;
    }
  }
  arguments.push_back(std::move(one));
  return arguments;
}

void copy_by_vectors(std::vector<std::string>& lines) {
  static const std::regex kBytes(R"(^\s*i(?:32|64) ([0-9]{1,4})$)");
  int copies = 0;
  for (std::string& line : lines) {
    const size_t at = line.find(kCall);
    if (at == std::string::npos || line.find("call void ") == std::string::npos) continue;
    const std::vector<std::string> arguments = arguments_of(line, at);
    std::smatch match;
    if (arguments.size() != 4 || !std::regex_match(arguments[2], match, kBytes) ||
        arguments[3].find("false") == std::string::npos)
      continue;
    const int bytes = std::stoi(match[1]);
    const Pointer to = pointer_in(arguments[0]), from = pointer_in(arguments[1]);
    // One side is enough: it has the alignment of the type. Of the other clang may know less.
    if ((bytes != 8 && bytes != 16) || std::max(to.alignment, from.alignment) % bytes != 0)
      continue;
    const std::string location = debug_location(line);
    line = fmt::format(
        "  %ridge.copy.{0} = load <{1} x i32>, {2} {3}, align {4}{5}\n"
        "  store <{1} x i32> %ridge.copy.{0}, {6} {7}, align {4}{5}",
        copies, bytes / 4, from.type, from.value, bytes, location, to.type, to.value);
    ++copies;
  }
}

}  // namespace ridge::build

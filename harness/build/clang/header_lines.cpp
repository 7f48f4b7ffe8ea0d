#include "harness/build/clang/header_lines.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace ridge::build {
namespace {

// The number after `field`, as in "file: !12": the metadata's number.
std::optional<int> reference(std::string_view line, std::string_view field) {
  const size_t at = line.find(field);
  if (at == std::string_view::npos) return std::nullopt;
  int number = 0;
  const char* begin = line.data() + at + field.size();
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::string quoted(std::string_view line, std::string_view field) {
  const size_t at = line.find(field);
  if (at == std::string_view::npos) return {};
  const size_t begin = at + field.size(), end = line.find('"', begin);
  return std::string(line.substr(begin, end - begin));
}

// The function that a line names first: "@kernel" in "define void @kernel(ptr %0)".
std::string function_of(std::string_view line) {
  const size_t begin = line.find('@');
  return begin == std::string_view::npos
             ? std::string()
             : std::string(line.substr(begin, line.find_first_of("(,", begin) - begin));
}

// !0 = !{ptr @kernel, !"kernel", i32 1}; since LLVM 20 a calling convention of the definition.
std::set<std::string> kernels_in(const std::vector<std::string>& lines) {
  std::set<std::string> kernels;
  for (const std::string& line : lines) {
    const bool is_note = line.starts_with("!") && line.find("!\"kernel\"") != std::string::npos;
    if (is_note || (line.starts_with("define ") && line.find(" ptx_kernel ") != std::string::npos))
      kernels.insert(function_of(line));
  }
  return kernels;
}

// ", !dbg !12" out of the line.
void drop_location(std::string& line) {
  constexpr std::string_view kLocation = "!dbg !";
  const size_t at = line.find(kLocation);
  if (at == std::string::npos) return;
  size_t end = at + kLocation.size();
  while (end < line.size() && line[end] >= '0' && line[end] <= '9')
    ++end;
  size_t begin = at;
  while (begin > 0 && (line[begin - 1] == ' ' || line[begin - 1] == ','))
    --begin;
  line.erase(begin, end - begin);
}

}  // namespace

void drop_lines_of_headers(std::vector<std::string>& lines, const Headers& headers) {
  std::unordered_map<int, size_t> metadata;  // by number: the line
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].starts_with("!"))
      if (const auto number = reference(lines[i], "!")) metadata[*number] = i;
  const auto line_of = [&](int number) -> std::string_view {
    const auto found = metadata.find(number);
    return found == metadata.end() ? std::string_view() : lines[found->second];
  };
  const std::set<std::string> kernels = kernels_in(lines);
  const auto is_of_header = [&](int subprogram, const std::string& function) {
    const auto file = reference(line_of(subprogram), "file: !");
    if (!file) return false;
    const std::filesystem::path name = quoted(line_of(*file), "filename: \"");
    const std::string path =
        (name.is_absolute() ? name : quoted(line_of(*file), "directory: \"") / name).string();
    if (!headers.own.empty() && path != headers.own && !kernels.contains(function)) return true;
    return std::any_of(headers.system.begin(), headers.system.end(),
                       [&](const std::filesystem::path& folder) {
                         return path.starts_with(folder.string() + "/");
                       });
  };
  bool dropping = false;
  for (std::string& line : lines) {
    if (line.starts_with("define ")) {
      const auto subprogram = reference(line, "!dbg !");
      dropping = subprogram && is_of_header(*subprogram, function_of(line));
    }
    if (dropping) drop_location(line);
    if (line == "}") dropping = false;
  }
}

}  // namespace ridge::build

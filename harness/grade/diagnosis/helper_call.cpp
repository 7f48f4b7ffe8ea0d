#include "harness/grade/diagnosis/helper_call.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>

namespace ridge::grade {

namespace {

// The declaration in a line of nvcc's output: "void load_fragments(float* to, const float* from,
// int apart)".
std::string declaration_in(std::string line) {
  for (const std::string_view attribute : {"__attribute__((device))", "__attribute__((host))", "inline", "static"})
    if (const size_t at = line.find(attribute); at != std::string::npos) line.erase(at, attribute.size());
  while (!line.empty() && (line.back() == '{' || line.back() == ' ' || line.back() == ','))
    line.pop_back();
  const size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

}  // namespace

std::optional<Finding> mismatched_helper(std::string_view messages,
                                         const std::vector<std::filesystem::path>& folders) {
  static const std::regex error(
      R"re([(:](\d+)\)?: error: no instance of (overloaded function|function template) "([^"]+)" matches)re");
  static const std::regex types(R"re(argument types are: (.*))re");
  static const std::regex note(R"re(([^/\s(:]+)[(:]\d+\)?: note [^:]*: (?:function|candidate function template) "([^"]+)")re");
  std::istringstream lines{std::string(messages)};
  std::string line, forms, header, call_line, name, given;
  bool is_template = false;
  std::smatch found;
  while (std::getline(lines, line)) {
    if (std::regex_search(line, found, error)) {
      if (!header.empty()) break;  // the first call is complete
      call_line = found[1];
      is_template = found[2] == "function template";
      name = found[3];
      given.clear();
    } else if (!name.empty() && given.empty() && std::regex_search(line, found, types)) {
      given = found[1];
    } else if (!name.empty() && std::regex_search(line, found, note)) {
      const std::string file = found[1];
      std::error_code gone;
      if (std::none_of(folders.begin(), folders.end(),
                       [&](const auto& folder) { return std::filesystem::exists(folder / file, gone); }))
        continue;
      std::string form = found[2];
      header = file;
      if (std::getline(lines, line) && is_template) form = declaration_in(line);
      forms += (forms.empty() ? "" : "; ") + form;
    }
  }
  if (header.empty()) return std::nullopt;
  return Finding{is_template ? "compile_error.helper_template" : "compile_error.helper_arguments",
                 {{"name", name}, {"line", call_line}, {"header", header}, {"types", given}, {"forms", forms}}};
}

}  // namespace ridge::grade

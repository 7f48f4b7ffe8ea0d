#include "harness/build/clang/device_ir.h"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "harness/build/clang/ir_names.h"
#include "harness/build/clang/managed_variables.h"
#include "harness/build/clang/register_copies.h"
#include "harness/build/clang/vector_copies.h"

namespace ridge::build {
namespace {

constexpr std::string_view kMark = "ridge.";  // what the annotations of our headers begin with

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(std::move(line));
  return lines;
}

struct Annotations {
  std::map<std::string, std::string> words;           // "@.str.2": "cluster_dims"
  std::map<std::string, std::vector<int>> arguments;  // "@.args": 8, 1, 1
};

// @.str = private unnamed_addr constant [20 x i8] c"ridge.grid_constant\00", section "llvm.metadata"
// @.args = private unnamed_addr constant { i32 } { i32 8 }, section "llvm.metadata"
Annotations annotations_in(const std::vector<std::string>& lines) {
  static const std::regex kWord(
      R"re(^(@\S+) = .* c"ridge\.([a-z_]+)\\00", section "llvm\.metadata")re");
  static const std::regex kArguments(
      R"re(^(@\S+) = .*\} \{ (i32 .*) \}, section "llvm\.metadata")re");
  static const std::regex kNumber("i32 (-?[0-9]+)");
  Annotations found;
  for (const std::string& line : lines) {
    std::smatch match;
    if (!line.starts_with("@") || line.find("llvm.metadata") == std::string::npos) continue;
    if (std::regex_search(line, match, kWord)) {
      found.words[match[1]] = match[2];
    } else if (std::regex_search(line, match, kArguments)) {
      const std::string numbers = match[2];
      std::vector<int>& list = found.arguments[match[1]];
      for (std::sregex_iterator i(numbers.begin(), numbers.end(), kNumber), end; i != end; ++i)
        list.push_back(std::stoi((*i)[1]));
    }
  }
  return found;
}

// { ptr @kernel, ptr @.str.2, ptr @file, i32 line, ptr @.args }
void read_directives(const std::string& line, const Annotations& annotations,
                     std::map<std::string, std::vector<std::string>>& directives) {
  static const std::regex kEntry(
      R"re(\{ ptr @"?([^\s,"]+)"?, ptr (@[^\s,]+), ptr [^,]+, i32 [0-9]+, ptr (@?[^\s}]+) \})re");
  for (std::sregex_iterator i(line.begin(), line.end(), kEntry), end; i != end; ++i) {
    const auto word = annotations.words.find((*i)[2]);
    const auto numbers = annotations.arguments.find((*i)[3]);
    if (word == annotations.words.end()) continue;
    std::vector<int> list =
        numbers == annotations.arguments.end() ? std::vector<int>{} : numbers->second;
    if (word->second == "cluster_dims") {
      std::vector<std::string>& of_kernel = directives[(*i)[1]];
      of_kernel.emplace_back(".explicitcluster");
      if (list.empty()) continue;  // __cluster_dims__(): the launch says the size
      list.resize(3, 1);
      of_kernel.push_back(fmt::format(".reqnctapercluster {}, {}, {}", list[0], list[1], list[2]));
    } else if (word->second == "maxnreg" && !list.empty()) {
      directives[(*i)[1]].push_back(fmt::format(".maxnreg {}", list[0]));
    }
  }
}

std::string name_of(const std::string& define) {
  const size_t at = define.find('@') + 1;
  const std::string name = define.substr(at, define.find('(', at) - at);
  return name.starts_with('"') ? name.substr(1, name.size() - 2) : name;
}

void replace_value(std::string& line, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = line.find(from, at)) != std::string::npos;) {
    const size_t end = at + from.size();
    const char next = end < line.size() ? line[end] : ' ';
    const bool whole = !(std::isalnum(static_cast<unsigned char>(next)) || next == '_' ||
                         next == '.' || next == '-');
    if (whole) line.replace(at, from.size(), to);
    at += whole ? to.size() : from.size();
  }
}

// Takes the annotation of a grid constant out of lines [begin, end), the body of the function `define`, and has
// the value come from the parameter's own address.
void use_in_place(std::vector<std::string>& lines, size_t define, size_t end,
                  const Annotations& annotations) {
  static const std::regex kCall(
      R"(call void @llvm\.var\.annotation[^(]*\(ptr (?:[^%,]* )?(%[^\s,]+), ptr (?:[^@,]* )?(@[^\s,]+),)");
  std::string entry;
  for (size_t i = define + 1; i < end; ++i) {
    std::smatch match;
    if (lines[i].find("llvm.var.annotation") == std::string::npos ||
        !std::regex_search(lines[i], match, kCall))
      continue;
    const auto word = annotations.words.find(match[2]);
    if (word == annotations.words.end() || word->second != "grid_constant") continue;
    const std::string value = match[1], name = name_of(lines[define]);
    lines[i].clear();
    const std::vector<std::string> parameters =
        arguments_of(lines[define], lines[define].find('@'));
    for (size_t index = 0; index < parameters.size(); ++index) {
      if (!parameters[index].ends_with(" " + value) ||
          parameters[index].find("byval") == std::string::npos)
        continue;
      const std::string there = fmt::format("%ridge.param.{}", index);
      for (size_t j = define + 1; j < end; ++j)
        replace_value(lines[j], value, there);
      entry += fmt::format(
          "  {} = call ptr asm \"{{ .reg .b64 p; mov.b64 p, {}_param_{}; cvta.param.u64 $0, p; }}\", \"=l\"()\n",
          there, name, index);
    }
  }
  if (!entry.empty()) lines[define] += "\n" + entry;
}

// LLVM moves a load of shared memory before the condition that it depends on, and the check of races sees an access that
// the source does not make. In functions with sanitize_thread it does not, for the same reason; the attribute alone
// adds no code. Functions are inlined into others only if all have it.
void keep_loads_conditional(std::vector<std::string>& lines) {
  static const std::regex kGroup(R"( (#[0-9]+) )");
  std::set<std::string> groups;
  for (const std::string& line : lines) {
    if (!line.starts_with("define ")) continue;
    for (std::sregex_iterator i(line.begin(), line.end(), kGroup), end; i != end; ++i)
      groups.insert((*i)[1]);
  }
  for (std::string& line : lines) {
    const size_t open = line.find(" = { ");
    if (line.starts_with("attributes #") && open != std::string::npos &&
        groups.contains(line.substr(11, open - 11)))
      line.insert(open + 5, "sanitize_thread ");
  }
}

}  // namespace

DeviceIr rewritten(const std::string& ir, const Headers& headers) {
  DeviceIr result;
  std::vector<std::string> lines = lines_of(ir);
  drop_lines_of_headers(lines, headers);
  copy_by_vectors(lines);
  keep_loads_conditional(lines);
  rename_uses_of_statics(lines);
  result.managed = managed_variables_in(lines);
  if (ir.find(kMark) != std::string::npos) {
    const Annotations annotations = annotations_in(lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].starts_with("@llvm.global.annotations")) {
        read_directives(lines[i], annotations, result.directives);
      } else if (lines[i].starts_with("define ")) {
        size_t end = i;
        while (end < lines.size() && lines[end] != "}")
          ++end;
        use_in_place(lines, i, end, annotations);
        i = end;
      }
    }
  }
  for (const std::string& line : lines)
    result.text += line + "\n";
  return result;
}

std::string with_directives(const std::string& ptx,
                            const std::map<std::string, std::vector<std::string>>& directives) {
  static const std::regex kNowhere(R"(^\t\.loc\s+[0-9]+ 0 )");
  std::string result;
  const std::vector<std::string>* pending = nullptr;
  bool has_place = false;  // an instruction of this function has a line
  for (const std::string& line : lines_of(ptx)) {
    if (line.starts_with("$L__tmp")) continue;  // for debuggers
    if (line.find(".func ") != std::string::npos) has_place = false;
    if (line.starts_with("\t.loc")) {
      const bool is_nowhere = std::regex_search(line, kNowhere);
      if (is_nowhere && has_place) continue;
      has_place |= !is_nowhere;
    }
    if (const size_t at = line.find(".entry "); at != std::string::npos) {
      has_place = false;
      const std::string name = line.substr(at + 7, line.find('(', at) - at - 7);
      const auto found = directives.find(name);
      pending = found == directives.end() ? nullptr : &found->second;
    }
    if (pending && line.starts_with("{")) {
      for (const std::string& directive : *pending)
        result += directive + "\n";
      pending = nullptr;
    }
    result += line + "\n";
  }
  return result;
}

std::string finished_ptx(const std::string& ptx, const DeviceIr& device) {
  const std::string directed = with_directives(ptx, device.directives);
  return without_register_copies(
      device.managed.empty() ? directed : with_managed_attributes(directed, device.managed));
}

}  // namespace ridge::build

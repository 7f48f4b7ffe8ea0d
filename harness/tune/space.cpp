#include "harness/tune/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>

namespace ridge::tune {

namespace {

constexpr const char* kExample = "constexpr int kStages = 2;  // tune: 2, 3, 4";

[[noreturn]] void wrong(size_t line, const std::string& what) {
  throw DeclarationError(fmt::format("line {}: {}; write it so: {}", line, what, kExample));
}

bool value_of(std::string_view word, int64_t& value, bool& boolean) {
  boolean = word == "true" || word == "false";
  if (boolean) {
    value = word == "true";
    return true;
  }
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// Reads values up to the first word that is not one: the rest describes the constant.
std::vector<int64_t> values_in(const std::string& list, bool& boolean, size_t line) {
  std::vector<int64_t> values;
  static const std::regex kWord(R"([^\s,]+)");
  size_t numbers = 0;
  for (std::sregex_iterator word(list.begin(), list.end(), kWord), end; word != end; ++word) {
    int64_t value = 0;
    bool is_boolean = false;
    if (!value_of(word->str(), value, is_boolean)) break;
    numbers += !is_boolean;
    boolean |= is_boolean;
    values.push_back(value);
  }
  if (boolean && numbers > 0) wrong(line, "the values are numbers and true or false mixed");
  return values;
}

// Lines of code with their start positions.
struct Line {
  std::string text;
  size_t begin = 0, number = 0;
};

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back({text.substr(begin, end - begin), begin, lines.size() + 1});
    begin = end + 1;
  }
  return lines;
}

Parameter parameter_in(const Line& line) {
  static const std::regex kDeclaration(
      R"(^\s*(?:static\s+|inline\s+)*constexpr\s+[\w:]+(?:\s+[\w:]+)*\s+(\w+)\s*=\s*(-?\w+)\s*;\s*//\s*tune:(.*)$)");
  std::smatch match;
  if (!std::regex_match(line.text, match, kDeclaration))
    wrong(line.number, "`// tune:` must stand behind one constant that is set to one number");
  Parameter parameter;
  parameter.name = match[1];
  parameter.line = line.number;
  parameter.text_begin = line.begin + static_cast<size_t>(match.position(2));
  parameter.text_end = parameter.text_begin + static_cast<size_t>(match.length(2));
  int64_t current = 0;
  bool current_is_boolean = false;
  if (!value_of(match[2].str(), current, current_is_boolean))
    wrong(line.number, fmt::format("{} is {}, which is neither a number nor true or false", parameter.name,
                                   match[2].str()));
  parameter.values = values_in(match[3], parameter.boolean, line.number);
  if (parameter.values.empty()) wrong(line.number, parameter.name + " has no values to try");
  if (current_is_boolean != parameter.boolean)
    wrong(line.number,
          fmt::format("{} is {} and is to be tried as something else", parameter.name, match[2].str()));
  parameter.values.push_back(current);
  std::sort(parameter.values.begin(), parameter.values.end());
  parameter.values.erase(std::unique(parameter.values.begin(), parameter.values.end()),
                         parameter.values.end());
  parameter.current = static_cast<size_t>(
      std::find(parameter.values.begin(), parameter.values.end(), current) - parameter.values.begin());
  return parameter;
}

}  // namespace

std::string Parameter::text_of(int64_t value) const {
  return boolean ? (value ? "true" : "false") : fmt::format("{}", value);
}

Space::Space(std::string text) : text_(std::move(text)) {
  for (const Line& line : lines_of(text_)) {
    const size_t comment = line.text.find("//");
    if (comment == std::string::npos || line.text.find("tune:", comment) == std::string::npos) continue;
    // Skip comment lines that mention such declarations.
    if (line.text.find_first_not_of(" \t") == comment) continue;
    Parameter parameter = parameter_in(line);
    for (const Parameter& other : parameters_)
      if (other.name == parameter.name)
        wrong(line.number, fmt::format("{} is declared on line {} too", parameter.name, other.line));
    parameters_.push_back(std::move(parameter));
  }
}

Values Space::current() const {
  Values values;
  for (const Parameter& parameter : parameters_)
    values.push_back(parameter.values[parameter.current]);
  return values;
}

void Space::restrict_to(const std::string& name, std::span<const int64_t> values) {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  if (found == parameters_.end()) {
    std::string names;
    for (const Parameter& parameter : parameters_)
      names += (names.empty() ? "" : ", ") + parameter.name;
    throw DeclarationError(fmt::format("the file tunes no {}; it tunes {}", name, names));
  }
  std::vector<int64_t> kept(values.begin(), values.end());
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (const int64_t value : kept)
    if (std::find(found->values.begin(), found->values.end(), value) == found->values.end())
      throw DeclarationError(
          fmt::format("{} cannot be {}: line {} does not list it", name, found->text_of(value), found->line));
  const int64_t current = found->values[found->current];
  found->values = kept;
  const auto at = std::find(kept.begin(), kept.end(), current);
  found->current = at == kept.end() ? 0 : static_cast<size_t>(at - kept.begin());
}

size_t Space::size() const {
  size_t size = parameters_.empty() ? 0 : 1;
  for (const Parameter& parameter : parameters_) {
    if (size > SIZE_MAX / parameter.values.size()) return SIZE_MAX;
    size *= parameter.values.size();
  }
  return size;
}

std::vector<Values> Space::all() const {
  std::vector<Values> all;
  if (parameters_.empty()) return all;
  std::vector<size_t> place(parameters_.size(), 0);
  while (true) {
    Values values;
    for (size_t i = 0; i < place.size(); ++i)
      values.push_back(parameters_[i].values[place[i]]);
    all.push_back(std::move(values));
    size_t digit = place.size();
    while (digit > 0 && ++place[digit - 1] == parameters_[digit - 1].values.size())
      place[--digit] = 0;
    if (digit == 0) return all;
  }
}

std::string Space::replaced(const std::vector<std::string>& pieces) const {
  std::string result;
  size_t at = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    result += text_.substr(at, parameters_[i].text_begin - at) + pieces[i];
    at = parameters_[i].text_end;
  }
  return result + text_.substr(at);
}

std::string Space::text_with(const Values& values) const {
  std::vector<std::string> pieces;
  for (size_t i = 0; i < parameters_.size(); ++i)
    pieces.push_back(parameters_[i].text_of(values.at(i)));
  return replaced(pieces);
}

std::string Space::text_without_values() const {
  return replaced(std::vector<std::string>(parameters_.size(), "?"));
}

std::string Space::describe(const Values& values) const {
  std::string text;
  for (size_t i = 0; i < parameters_.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", parameters_[i].name,
                        parameters_[i].text_of(values.at(i)));
  return text;
}

}  // namespace ridge::tune

#include "harness/grade/findings/shared_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "harness/grade/findings/source_scan.h"

namespace ridge::grade {

using namespace source_scan;

namespace {

struct KnownType {
  std::string_view name;
  uint64_t bytes, alignment;
};
constexpr KnownType kTypes[] = {
    {"char", 1, 1},     {"bool", 1, 1},     {"int8_t", 1, 1},        {"uint8_t", 1, 1},
    {"short", 2, 2},    {"half", 2, 2},     {"__half", 2, 2},        {"__nv_bfloat16", 2, 2},
    {"uint16_t", 2, 2}, {"int", 4, 4},      {"unsigned", 4, 4},      {"float", 4, 4},
    {"int32_t", 4, 4},  {"uint32_t", 4, 4}, {"__half2", 4, 4},       {"__nv_bfloat162", 4, 4},
    {"double", 8, 8},   {"int64_t", 8, 8},  {"uint64_t", 8, 8},      {"size_t", 8, 8},
    {"float2", 8, 8},   {"float3", 12, 4},  {"float4", 16, 16},      {"int2", 8, 8},
    {"int4", 16, 16},   {"uint4", 16, 16},  {"__nv_fp8_e4m3", 1, 1}, {"__nv_fp8_e5m2", 1, 1}};
constexpr std::string_view kVectors[] = {"float2", "float3", "float4", "int2", "int4", "uint4"};
constexpr uint64_t kVectorPart = 4;

uint64_t rounded_up(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// Arithmetic of whole numbers and known names; the first thing that is neither ends it.
class Evaluator {
 public:
  Evaluator(std::string_view text, const std::map<std::string, int64_t>& constants)
      : text_(text), constants_(constants) {}

  std::optional<int64_t> value() {
    const int64_t result = sum();
    skip_blanks();
    return failed_ || at_ != text_.size() ? std::nullopt : std::optional(result);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  int64_t sum() {
    int64_t result = product();
    for (;;) {
      if (take('+'))
        result += product();
      else if (take('-'))
        result -= product();
      else
        return result;
    }
  }
  int64_t product() {
    int64_t result = atom();
    for (;;) {
      const char operation = take('*') ? '*' : take('/') ? '/' : take('%') ? '%' : ' ';
      if (operation == ' ') return result;
      const int64_t by = atom();
      failed_ |= operation != '*' && by == 0;
      if (failed_) return 0;
      result = operation == '*' ? result * by : operation == '/' ? result / by : result % by;
    }
  }
  int64_t atom() {
    if (take('(')) {
      const int64_t result = sum();
      failed_ |= !take(')');
      return result;
    }
    skip_blanks();
    size_t end = at_;
    while (end < text_.size() && is_name(text_[end]))
      ++end;
    const std::string word(text_.substr(at_, end - at_));
    at_ = end;
    if (const auto known = constants_.find(word); known != constants_.end()) return known->second;
    int64_t number = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    failed_ |= word.empty() || error != std::errc() || rest != word.data() + word.size();
    return number;
  }

  std::string_view text_;
  const std::map<std::string, int64_t>& constants_;
  size_t at_ = 0;
  bool failed_ = false;
};

// "alignas(1024) const float" -> {"float", 1024}; the last word is the type.
std::pair<std::string, std::string> type_and_alignment(const std::string& text) {
  std::string type = text, alignment;
  for (const char* word : {"alignas", "__align__"})
    if (const size_t at = find_word(type, word, 0); at != kNone) {
      const size_t open = type.find('(', at), close = open == kNone ? kNone : closing(type, open);
      if (close == kNone) return {};
      alignment = type.substr(open + 1, close - open - 1);
      type.erase(at, close + 1 - at);
    }
  return {last_name(type), alignment};
}

}  // namespace

uint64_t SharedNames::Variable::elements() const {
  uint64_t all = 1;
  for (const int64_t extent : extents)
    all *= static_cast<uint64_t>(extent);
  return all;
}

SharedNames::SharedNames(const std::string& code) {
  read_constants(code);
  read_structs(code);
  read_arrays(code);
}

std::optional<int64_t> SharedNames::value_of(std::string_view expression) const {
  return Evaluator(expression, constants_).value();
}

void SharedNames::read_constants(const std::string& code) {
  for (size_t at = find_word(code, "constexpr", 0); at != kNone;
       at = find_word(code, "constexpr", at + 1)) {
    const size_t end = code.find_first_of(";{", at);
    if (end == kNone) return;
    for (const std::string& part : split_arguments(std::string_view(code).substr(at, end - at))) {
      const size_t equals = part.find('=');
      if (equals == kNone || equals + 1 >= part.size() || part[equals + 1] == '=') continue;
      if (const auto value = value_of(std::string_view(part).substr(equals + 1)))
        constants_[last_name(part.substr(0, equals))] = *value;
    }
  }
}

std::optional<SharedNames::Type> SharedNames::type_named(const std::string& name) const {
  if (const auto found = structs_.find(name); found != structs_.end()) return found->second;
  const auto known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const KnownType& type) { return type.name == name; });
  if (known == std::end(kTypes)) return std::nullopt;
  Type type{known->bytes, known->alignment, {}, false};
  type.is_vector = std::find(std::begin(kVectors), std::end(kVectors), name) != std::end(kVectors);
  return type;
}

std::vector<SharedNames::Variable> SharedNames::declared(std::string_view text) const {
  std::vector<Variable> variables;
  std::optional<Type> type;
  for (std::string part : split_arguments(text)) {
    Variable variable;
    std::vector<std::string> extents;
    part.resize(std::min(part.find('='), part.size()));
    for (size_t open = part.find('['); open != kNone; open = part.find('[', open)) {
      const size_t close = closing(part, open);
      if (close == kNone) return {};
      extents.push_back(part.substr(open + 1, close - open - 1));
      part.erase(open, close + 1 - open);
    }
    variable.name = last_name(part);
    if (!type) {
      const auto [name, alignment] =
          type_and_alignment(stripped(part).substr(0, stripped(part).rfind(variable.name)));
      type = type_named(name);
      if (!type || variable.name.empty()) return {};
      if (const auto wanted = alignment.empty() ? std::nullopt : value_of(alignment);
          wanted && *wanted > 0)
        type->alignment = std::max(type->alignment, static_cast<uint64_t>(*wanted));
    }
    variable.type = *type;
    for (const std::string& extent : extents) {
      variable.is_dynamic |= stripped(extent).empty();
      const auto value = variable.is_dynamic ? std::optional<int64_t>(1) : value_of(extent);
      if (!value || *value <= 0) return {};
      variable.extents.push_back(*value);
    }
    variables.push_back(std::move(variable));
  }
  return variables;
}

void SharedNames::read_structs(const std::string& code) {
  for (size_t at = find_word(code, "struct", 0); at != kNone;
       at = find_word(code, "struct", at + 1)) {
    const size_t open = code.find_first_of("{;", at),
                 close = open == kNone ? kNone : closing(code, open);
    if (open == kNone || code[open] == ';' || close == kNone) continue;
    const std::string name = last_name(std::string_view(code).substr(at, open - at));
    Type type{0, 1, {}, false};
    bool is_known = true;
    for (size_t begin = open + 1; begin < close && is_known;) {
      const size_t end = std::min(code.find(';', begin), close);
      const std::string member = stripped(std::string_view(code).substr(begin, end - begin));
      begin = end + 1;
      if (member.empty() || member.find('(') < member.find("alignas"))
        break;  // functions follow the data
      std::vector<Variable> variables = declared(member);
      is_known = !variables.empty();
      for (Variable& variable : variables) {
        variable.offset = rounded_up(type.bytes, variable.type.alignment);
        type.bytes = variable.offset + variable.elements() * variable.type.bytes;
        type.alignment = std::max(type.alignment, variable.type.alignment);
        type.members.push_back(std::move(variable));
      }
    }
    type.bytes = rounded_up(type.bytes, type.alignment);
    if (is_known && type.bytes > 0) structs_[name] = std::move(type);
  }
}

void SharedNames::read_arrays(const std::string& code) {
  constexpr std::string_view kShared = "__shared__";
  for (size_t at = find_word(code, kShared, 0); at != kNone;
       at = find_word(code, kShared, at + 1)) {
    const size_t end = code.find(';', at);
    if (end == kNone) return;
    for (Variable& variable :
         declared(std::string_view(code).substr(at + kShared.size(), end - at - kShared.size())))
      arrays_[variable.name].push_back(std::move(variable));
  }
  // "Shared& shared = aligned_1024<Shared>(memory);"
  for (const auto& [array, all] : arrays_) {
    if (!all.front().is_dynamic) continue;
    for (size_t at = find_word(code, array, 0); at != kNone; at = find_word(code, array, at + 1)) {
      const size_t end = code.find(';', at), before = code.find_last_of(";{}", at);
      if (end == kNone || before == kNone) continue;
      const std::string statement = code.substr(before + 1, end - before - 1);
      const size_t equals = statement.find('='), mark = statement.find_first_of("&*");
      if (equals == kNone || mark > equals || statement.find('+', equals) != kNone) continue;
      const auto type = type_named(last_name(std::string_view(statement).substr(0, mark)));
      if (!type) continue;
      Variable view{
          last_name(std::string_view(statement).substr(mark, equals - mark)), *type, {}, 1, true};
      if (statement[mark] == '*') view.extents = {1};
      if (const size_t rounds = statement.find("aligned_", equals); rounds != kNone)
        std::from_chars(statement.data() + rounds + 8, statement.data() + statement.size(),
                        view.offset);
      views_[array].push_back(std::move(view));
    }
  }
}

std::optional<std::string> SharedNames::name_in(const Variable& variable, uint64_t offset) {
  uint64_t index = offset / variable.type.bytes;
  const uint64_t rest = offset % variable.type.bytes;
  if (!variable.is_dynamic && index >= variable.elements()) return std::nullopt;
  if (variable.extents.empty() && index > 0) return std::nullopt;
  std::string indices;
  for (size_t i = variable.extents.size(); i-- > 0;) {
    const auto extent = static_cast<uint64_t>(variable.extents[i]);
    const bool is_open = variable.is_dynamic && i == 0;
    indices = fmt::format("[{}]", is_open ? index : index % extent) + indices;
    if (!is_open) index /= extent;
  }
  std::string name = variable.name + indices;
  if (variable.type.is_vector) return name + "." + "xyzw"[rest / kVectorPart];
  if (variable.type.members.empty()) return name;
  for (const Variable& member : variable.type.members) {
    if (rest < member.offset || rest >= member.offset + member.elements() * member.type.bytes)
      continue;
    return name + "." + name_in(member, rest - member.offset).value_or(member.name);
  }
  return std::nullopt;
}

std::optional<std::string> SharedNames::place(const std::string& array, uint64_t begin,
                                              uint64_t offset) const {
  if (const auto found = views_.find(array); found != views_.end())
    for (const Variable& view : found->second) {
      const uint64_t from = rounded_up(begin, std::max<uint64_t>(view.offset, 1));
      if (offset < from) continue;
      if (auto name = name_in(view, offset - from)) return name;
    }
  const auto found = arrays_.find(array);
  if (found == arrays_.end() || found->second.size() != 1 || offset < begin) return std::nullopt;
  return name_in(found->second.front(), offset - begin);
}

std::optional<SharedNames::Element> SharedNames::element(const std::string& array,
                                                         int64_t offset) const {
  const auto found = arrays_.find(array);
  if (found == arrays_.end() || found->second.size() != 1 || offset < 0) return std::nullopt;
  const Variable& variable = found->second.front();
  if (variable.extents.size() < 2 || variable.is_dynamic) return std::nullopt;
  int64_t index = offset / static_cast<int64_t>(variable.type.bytes);
  std::string indices;
  for (size_t i = variable.extents.size(); i-- > 0;) {
    indices = fmt::format("[{}]", i == 0 ? index : index % variable.extents[i]) + indices;
    index /= variable.extents[i];
  }
  return Element{variable.name + indices, fmt::format("{}", fmt::join(variable.extents, " x "))};
}

}  // namespace ridge::grade

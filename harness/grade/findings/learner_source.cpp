#include "harness/grade/findings/learner_source.h"

#include <algorithm>
#include <cctype>

#include "harness/grade/findings/source_scan.h"
#include "text/whole_file.h"

namespace ridge::grade {

using namespace source_scan;

namespace {

// "(anonymous namespace)::add<float>(float*, int)" -> "add"
std::string base_name(std::string_view kernel) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  if (const size_t at = kernel.find(kAnonymous); at != kNone) kernel.remove_prefix(at + kAnonymous.size());
  kernel = kernel.substr(0, std::min(kernel.find('('), kernel.find('<')));
  return last_name(kernel);
}

}  // namespace

LearnerSource::LearnerSource(const std::filesystem::path& file, std::string text,
                             std::vector<std::filesystem::path> folders)
    : name_(file.filename().string()),
      code_(without_comments(std::move(text))),
      folders_(std::move(folders)) {}

const std::string* LearnerSource::code_of_file(std::string_view file) const {
  const std::string name = std::filesystem::path(file).filename().string();
  if (name.empty() || name == name_) return &code_;
  for (const auto& [known, code] : headers_)
    if (known == name) return &code;
  for (const std::filesystem::path& folder : folders_)
    if (auto text = text::read_file_if_readable(folder / name)) {
      headers_.emplace_back(name, without_comments(std::move(*text)));
      return &headers_.back().second;
    }
  return nullptr;
}

size_t LearnerSource::begin_of_line(const std::string& code, uint32_t number) const {
  if (number == 0) return kNone;
  size_t at = 0;
  for (uint32_t line = 1; line < number; ++line) {
    at = code.find('\n', at);
    if (at == kNone) return kNone;
    ++at;
  }
  return at < code.size() ? at : kNone;
}

std::string LearnerSource::line(std::string_view file, uint32_t number) const {
  const std::string* code = code_of_file(file);
  const size_t begin = code ? begin_of_line(*code, number) : kNone;
  return begin == kNone ? "" : stripped(std::string_view(*code).substr(begin, code->find('\n', begin) - begin));
}

std::vector<std::string> LearnerSource::parameters(std::string_view kernel) const {
  const std::string name = base_name(kernel);
  if (name.empty()) return {};
  for (size_t at = find_word(code_, name, 0); at != kNone; at = find_word(code_, name, at + 1)) {
    const size_t open = code_.find_first_not_of(" \t\n", at + name.size());
    if (open == kNone || code_[open] != '(') continue;  // a launch or a use, not the definition
    const size_t close = closing(code_, open);
    const size_t body = close == kNone ? kNone : code_.find_first_not_of(" \t\n", close + 1);
    if (body == kNone || (code_[body] != '{' && code_[body] != ';')) continue;
    const size_t before = code_.find_last_of(";}", at);
    if (code_.find("__global__", before == kNone ? 0 : before) > at) continue;
    std::vector<std::string> names;
    for (const std::string& part : split_arguments(std::string_view(code_).substr(open + 1, close - open - 1)))
      names.push_back(last_name(part.substr(0, std::min(part.find('['), part.find('=')))));
    return names;
  }
  return {};
}

std::string LearnerSource::index_of(uint32_t number, std::string_view array) const {
  const size_t begin = begin_of_line(code_, number);
  if (begin == kNone || array.empty()) return "";
  const size_t end = std::min(code_.find('\n', begin), code_.size());
  for (size_t at = find_word(code_, array, begin); at < end; at = find_word(code_, array, at + 1)) {
    const size_t open = at + array.size();
    if (open >= code_.size() || code_[open] != '[') continue;
    const size_t close = closing(code_, open);
    if (close != kNone) return joined(std::string_view(code_).substr(open + 1, close - open - 1));
  }
  return "";
}

size_t LearnerSource::body_begin(size_t at) const {
  // Find the outermost brace around the place that follows a closing parenthesis: a function's
  // body. The braces of namespaces do not follow one.
  std::vector<size_t> open;
  for (size_t k = 0; k < at && k < code_.size(); ++k) {
    if (code_[k] == '{') open.push_back(k);
    if (code_[k] == '}' && !open.empty()) open.pop_back();
  }
  for (const size_t brace : open) {
    const size_t before = brace == 0 ? kNone : code_.find_last_not_of(" \t\n", brace - 1);
    if (before != kNone && code_[before] == ')') return brace;
  }
  return kNone;
}

LearnerSource::Enclosing LearnerSource::enclosing(uint32_t number) const {
  const size_t at = begin_of_line(code_, number);
  const size_t body = at == kNone ? kNone : body_begin(at);
  if (body == kNone) return {};
  const size_t last = code_.find_first_not_of(" \t", at);
  const size_t end = std::min(code_.find('\n', at), code_.size());
  Enclosing inner;
  for (const Statement& one : statements(code_, body, end)) {
    // A statement that begins on the line itself contains what follows its condition.
    const bool holds = one.begin < last ? one.end > last : one.condition_end < end;
    if (!holds) continue;
    if (inner.kind == Around::branch && one.loops) continue;
    inner = {one.loops ? Around::loop : Around::branch, joined(std::string_view(code_).substr(one.condition, one.condition_end - one.condition))};
  }
  return inner;
}

bool LearnerSource::returns_before(uint32_t number) const {
  const size_t at = begin_of_line(code_, number);
  const size_t body = at == kNone ? kNone : body_begin(at);
  return body != kNone && find_word(code_, "return", body) < at;
}

std::vector<std::string> LearnerSource::guards_before(uint32_t number) const {
  const size_t at = begin_of_line(code_, number);
  const size_t body = at == kNone ? kNone : body_begin(at);
  std::vector<std::string> guards;
  if (body == kNone) return guards;
  const size_t end = std::min(code_.find('\n', at), code_.size());
  for (const Statement& one : statements(code_, body, end)) {
    std::string condition =
        joined(std::string_view(code_).substr(one.condition, one.condition_end - one.condition));
    // From `for (int i = first; i < n; i += step)` take the middle part.
    if (const size_t first = condition.find(';'); first != kNone)
      condition = stripped(std::string_view(condition).substr(first + 1, condition.find(';', first + 1) - first - 1));
    if (condition.find_first_of("<>") != kNone) guards.push_back(condition);
  }
  return guards;
}

std::optional<LearnerSource::Step> LearnerSource::loop_step(uint32_t number) const {
  const size_t at = begin_of_line(code_, number);
  const size_t body = at == kNone ? kNone : body_begin(at);
  if (body == kNone) return std::nullopt;
  std::optional<Step> step;
  const size_t end = std::min(code_.find('\n', at), code_.size());
  for (const Statement& one : statements(code_, body, end)) {
    if (!one.loops || one.end <= at) continue;
    const std::string head = code_.substr(one.condition, one.condition_end - one.condition);
    const size_t moves = head.find("+=");
    if (moves == kNone) continue;
    const size_t until = head.find(',', moves);
    step = Step{last_name(head.substr(0, moves)),
                joined(std::string_view(head).substr(moves + 2, until == kNone ? kNone : until - moves - 2))};
    // The loop's step is a variable: find `int step = blockDim.x;` before `i += step`.
    for (size_t named = find_word(code_, step->by, body); named < at && named != kNone;
         named = find_word(code_, step->by, named + 1)) {
      const size_t equals = code_.find_first_not_of(' ', named + step->by.size());
      const size_t end_of_value = code_.find_first_of(",;", named);
      if (equals == kNone || code_[equals] != '=' || code_[equals + 1] == '=' || end_of_value == kNone) continue;
      step->by = joined(std::string_view(code_).substr(equals + 1, end_of_value - equals - 1));
      break;
    }
  }
  return step;
}

std::optional<LearnerSource::Argument> LearnerSource::first_argument(std::string_view file, uint32_t number,
                                                                     std::string_view function) const {
  const std::string text = line(file, number);
  const size_t call = find_word(text, function, 0);
  if (call == kNone || find_word(text, function, call + 1) != kNone) return std::nullopt;
  const size_t open = text.find('(', call), close = open == kNone ? kNone : closing(text, open);
  if (close == kNone) return std::nullopt;
  std::string argument = stripped(split_arguments(text.substr(open + 1, close - open - 1)).front());
  bool is_element = false;
  for (const char bracket : {')', ']'})
    if (!argument.empty() && argument.back() == bracket) {
      int depth = 0;
      size_t at = argument.size();
      do {
        --at;
        depth += (argument[at] == ')' || argument[at] == ']') - (argument[at] == '(' || argument[at] == '[');
      } while (at > 0 && depth > 0);
      is_element = true;
      argument.resize(at);
      break;
    }
  // `full + i` is an element of `full`.
  if (const size_t plus = argument.find('+'); plus != kNone && !is_element) {
    is_element = true;
    argument.resize(plus);
  }
  const std::string name = last_name(argument);
  if (name.empty()) return std::nullopt;
  return Argument{name, is_element};
}

bool LearnerSource::is_own(std::string_view file) const {
  return std::filesystem::path(file).filename().string() == name_;
}

bool LearnerSource::share_a_name(std::string_view one, std::string_view other) {
  const std::string words(other);
  for (size_t at = 0; at < one.size();) {
    size_t end = at;
    while (end < one.size() && is_name(one[end]))
      ++end;
    const std::string_view word = one.substr(at, end - at);
    if (!word.empty() && !std::isdigit(static_cast<unsigned char>(word[0])) && find_word(words, word, 0) != kNone)
      return true;
    at = std::max(end, at + 1);
  }
  return false;
}

bool LearnerSource::mentions(std::string_view word) const {
  return find_word(code_, word, 0) != kNone;
}

}  // namespace ridge::grade

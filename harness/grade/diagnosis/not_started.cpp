#include "harness/grade/diagnosis/not_started.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/build/sha256.h"

namespace ridge::grade {

namespace {

bool is_word(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) || letter == '_' || byte >= 0x80;
}

// Removes the byte order mark, converts line ends to \n and joins continued lines.
std::string one_line_per_line(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string lines;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n') lines += '\n';
      continue;
    }
    if (text[i] == '\n' && lines.ends_with('\\')) {
      lines.pop_back();
      continue;
    }
    lines += text[i];
  }
  return lines;
}

// Splits a text into tokens and writes the relevant ones.
class CodeReader {
 public:
  explicit CodeReader(std::string_view text) : text_(text) {}

  std::string read() {
    while (at_ < text_.size())
      step();
    end_directive();
    return std::move(code_);
  }

 private:
  bool comes(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void step() {
    const char letter = text_[at_];
    if (letter == '\n') {
      end_directive();
      line_has_code_ = false;
    }
    if (std::isspace(static_cast<unsigned char>(letter))) {
      space_ = true;
      ++at_;
    } else if (comes("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (comes("/*")) {
      const size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
      space_ = true;
    } else {
      if (letter == '#' && !line_has_code_) begin_directive();
      line_has_code_ = true;
      if (is_word(letter))
        word();
      else if (letter == '"' || letter == '\'')
        quoted(letter);
      else
        punctuation(letter);
      space_ = false;
    }
  }

  void word() {
    const size_t first = at_;
    const bool number = std::isdigit(static_cast<unsigned char>(text_[at_]));
    while (at_ < text_.size() && (is_word(text_[at_]) || (number && text_[at_] == '\'')))
      ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    if (!code_.empty() && is_word(code_.back()) && space_) code_ += ' ';
    code_ += word;
    if (word.ends_with('R') && word.size() <= 3 && at_ < text_.size() && text_[at_] == '"') raw();
  }

  // R"name( ... )name"
  void raw() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return;
    const std::string end = fmt::format("){}\"", text_.substr(at_ + 1, open - at_ - 1));
    const size_t close = text_.find(end, open);
    const size_t last = close == std::string_view::npos ? text_.size() : close + end.size();
    code_ += text_.substr(at_, last - at_);
    at_ = last;
  }

  void quoted(char mark) {
    const size_t first = at_++;
    while (at_ < text_.size() && text_[at_] != mark && text_[at_] != '\n')
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    code_ += text_.substr(first, at_ - first);
  }

  // White space between two operators matters when they would otherwise combine into one.
  void punctuation(char letter) {
    constexpr std::string_view kJoin = "+-<>=&|*/%!^:.#";
    const bool joins = !code_.empty() && kJoin.find(code_.back()) != std::string_view::npos &&
                       kJoin.find(letter) != std::string_view::npos;
    if (joins && space_) code_ += ' ';
    code_ += letter;
    ++at_;
  }

  void begin_directive() {
    if (!code_.empty() && code_.back() != '\n') code_ += '\n';
    in_directive_ = true;
  }
  void end_directive() {
    if (in_directive_) code_ += '\n';
    in_directive_ = false;
  }

  std::string_view text_;
  std::string code_;
  size_t at_ = 0;
  bool space_ = false, line_has_code_ = false, in_directive_ = false;
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char letter : text) {
    if (letter == '\n') lines.emplace_back();
    if (letter != '\n' && letter != '\r') lines.back() += letter;
  }
  return lines;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

// The text of a line after // or, in a block comment, after its star; "" for code and empty lines.
std::string comment_line(const std::string& line, bool in_block) {
  std::string text = trimmed(line);
  if (text.starts_with("//"))
    text.erase(0, 2);
  else if (!in_block)
    return "";
  else if (text.starts_with("*") && !text.starts_with("*/"))
    text.erase(0, 1);
  if (const size_t end = text.find("*/"); end != std::string::npos) text.resize(end);
  return trimmed(text);
}

}  // namespace

std::string code_of(std::string_view text) {
  const std::string lines = one_line_per_line(text);
  return CodeReader(lines).read();
}

std::string code_sha256(std::string_view text) {
  return build::sha256(code_of(text));
}

std::vector<Todo> todos_in(std::string_view text) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<Todo> todos;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t mark = lines[i].find(kSkeletonMark);
    if (mark == std::string::npos) continue;
    const std::string before = lines[i].substr(0, mark);
    const bool in_block = before.find("//") == std::string::npos;
    const size_t block_end = lines[i].find("*/", mark);
    Todo todo{static_cast<int>(i) + 1, trimmed(lines[i].substr(mark, block_end - mark))};
    bool goes_on = !in_block || block_end == std::string::npos;
    for (size_t next = i + 1; goes_on && next < lines.size(); ++next) {
      const std::string more = comment_line(lines[next], in_block);
      if (more.empty() || lines[next].find(kSkeletonMark) != std::string::npos) break;
      todo.text += " " + more;
      goes_on = !in_block || lines[next].find("*/") == std::string::npos;
    }
    todos.push_back(std::move(todo));
  }
  return todos;
}

bool is_untouched(const course::Rung& rung, std::string_view text) {
  return !rung.skeleton_code_sha256.empty() && code_sha256(text) == rung.skeleton_code_sha256;
}

std::optional<Outcome> not_started(const course::Rung& rung, std::string_view text,
                                   const std::string& shown) {
  if (!is_untouched(rung, text)) return std::nullopt;
  const std::vector<Todo> todos = todos_in(text);
  Outcome outcome = outcome_with({"not_started.no_code",
                                  {{"title", rung.title},
                                   {"idea", rung.idea},
                                   {"file", shown},
                                   {"rung", rung.path()}}});
  outcome.detail = todos.empty()
                       ? Finding{"not_started.no_marks", {{"mark", kSkeletonMark}, {"rung", rung.path()}}}.sentence()
                       : Finding{"not_started.places",
                                 {{"are", todos.size() == 1 ? std::string("is one place")
                                                            : fmt::format("are {} places", todos.size())}}}
                             .sentence();
  outcome.detail += "\n";
  for (const Todo& todo : todos)
    outcome.detail += fmt::format("{}:{}: {}\n", shown, todo.line, todo.text);
  return outcome;
}

}  // namespace ridge::grade

#include "harness/grade/findings/source_scan.h"

#include <algorithm>
#include <cctype>

namespace ridge::grade::source_scan {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string stripped(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

std::string joined(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return stripped(line);
}

std::string without_comments(std::string text) {
  for (size_t at = 0; at < text.size();) {
    const bool line = text.compare(at, 2, "//") == 0, block = text.compare(at, 2, "/*") == 0;
    if (line || block) {
      const size_t end = line ? text.find('\n', at) : text.find("*/", at + 2);
      const size_t last = end == kNone ? text.size() : end + (block ? 2 : 0);
      for (; at < last; ++at)
        if (text[at] != '\n') text[at] = ' ';
    } else if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) text[at++] = ' ';
        text[at] = ' ';
      }
      ++at;
    } else {
      ++at;
    }
  }
  return text;
}

size_t closing(const std::string& code, size_t open) {
  int depth = 0;
  for (size_t at = open; at < code.size(); ++at) {
    if (code[at] == '(' || code[at] == '[' || code[at] == '{') ++depth;
    if (code[at] == ')' || code[at] == ']' || code[at] == '}')
      if (--depth == 0) return at;
  }
  return kNone;
}

size_t find_word(const std::string& code, std::string_view word, size_t from) {
  for (size_t at = code.find(word, from); at != kNone; at = code.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name(code[at - 1]);
    const bool ends = at + word.size() >= code.size() || !is_name(code[at + word.size()]);
    if (begins && ends) return at;
  }
  return kNone;
}

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '(' || c == '[' || c == '{' || c == '<') - (c == ')' || c == ']' || c == '}' || c == '>');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string last_name(std::string_view text) {
  size_t end = text.size();
  while (end > 0 && !is_name(text[end - 1]))
    --end;
  size_t begin = end;
  while (begin > 0 && is_name(text[begin - 1]))
    --begin;
  return std::string(text.substr(begin, end - begin));
}

namespace {

// The end of the statement that begins at `at`.
size_t statement_end(const std::string& code, size_t at) {
  while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])))
    ++at;
  if (at < code.size() && code[at] == '{') {
    const size_t end = closing(code, at);
    return end == kNone ? code.size() : end + 1;
  }
  for (const std::string_view word : {"if", "for", "while"})
    if (find_word(code, word, at) == at) {
      const size_t open = code.find('(', at), close = open == kNone ? kNone : closing(code, open);
      return close == kNone ? code.size() : statement_end(code, close + 1);
    }
  int depth = 0;
  for (; at < code.size(); ++at) {
    depth += (code[at] == '(' || code[at] == '{') - (code[at] == ')' || code[at] == '}');
    if (code[at] == ';' && depth == 0) return at + 1;
    if (depth < 0) return at;
  }
  return code.size();
}

}  // namespace

std::vector<Statement> statements(const std::string& code, size_t from, size_t to) {
  std::vector<Statement> found;
  for (const char* word : {"if", "for", "while"})
    for (size_t at = find_word(code, word, from); at < to; at = find_word(code, word, at + 1)) {
      const size_t open = code.find('(', at);
      const size_t close = open == kNone ? kNone : closing(code, open);
      if (close == kNone) continue;
      found.push_back({word[0] != 'i', at, open + 1, close, statement_end(code, close + 1)});
    }
  std::sort(found.begin(), found.end(),
            [](const Statement& a, const Statement& b) { return a.begin < b.begin; });
  return found;
}

}  // namespace ridge::grade::source_scan

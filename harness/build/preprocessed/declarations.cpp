#include "harness/build/preprocessed/declarations.h"

#include <string_view>
#include <utility>

#include "harness/build/preprocessed/declaration_names.h"

namespace ridge::build {
namespace {

bool is_class_key(std::string_view word) {
  return word == "class" || word == "struct" || word == "union" || word == "enum";
}

class Reader {
 public:
  explicit Reader(const Tokens& tokens) : tokens_(tokens), count_(tokens.all.size()) {}

  std::optional<std::vector<Declaration>> read() {
    int scopes = 0;
    while (at_ < count_ && good_) {
      const size_t first = at_;
      skip_directives();
      if (at_ >= count_) break;
      if (sign('}')) {
        if (--scopes < 0) return std::nullopt;
        ++at_;
      } else if (sign(';')) {
        ++at_;
      } else if (opens_scope()) {
        ++scopes;
      } else {
        read_declaration(first);
      }
    }
    if (!good_ || scopes != 0) return std::nullopt;
    return std::move(declarations_);
  }

 private:
  bool sign(char c) const { return tokens_.is_sign(at_, c); }
  bool word(std::string_view name) const { return tokens_.is_name(at_, name); }

  void skip_directives() {
    while (at_ < count_ && tokens_.all[at_].kind == TokenKind::directive)
      ++at_;
  }

  // Steps behind the bracket that closes the one here.
  void skip_group() {
    int depth = 0;
    for (; at_ < count_; ++at_) {
      if (tokens_.all[at_].kind != TokenKind::sign) continue;
      const char c = tokens_.text[tokens_.all[at_].at];
      depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
      if (depth == 0) {
        ++at_;
        return;
      }
    }
    good_ = false;
  }

  // Steps behind the > that closes the < here; false (and stays) when it closes nothing.
  bool skip_angles() {
    const size_t start = at_;
    int depth = 0;
    while (at_ < count_) {
      if (sign('(') || sign('[') || sign('{')) {
        skip_group();
        continue;
      }
      if (sign(';') || sign(')') || sign('}')) break;
      const bool arrow = sign('>') && at_ > 0 && tokens_.is_sign(at_ - 1, '-');
      depth += sign('<') - (sign('>') && !arrow);
      ++at_;
      if (depth == 0) return true;
    }
    at_ = start;
    return false;
  }

  // `namespace a {`, `inline namespace b {`, `extern "C" {`: steps behind the brace.
  bool opens_scope() {
    const size_t start = at_;
    if (word("inline")) ++at_;
    if (word("namespace")) {
      for (; at_ < count_ && !sign(';') && !sign('='); ++at_) {
        if (sign('{')) {
          ++at_;
          return true;
        }
      }
    } else if (word("extern") && at_ + 1 < count_ && tokens_.all[at_ + 1].kind == TokenKind::text &&
               tokens_.is_sign(at_ + 2, '{')) {
      at_ += 3;
      return true;
    }
    at_ = start;
    return false;
  }

  bool read_angles(Head& head) {
    const uint32_t from = here();
    if (!skip_angles()) return false;
    head.inner.emplace_back(from, here());
    return true;
  }

  void skip_inner_group(Head& head, char open) {
    const uint32_t from = here();
    if (!sign(open)) return;
    skip_group();
    head.inner.emplace_back(from, here());
  }

  void read_name(Head& head) {
    const std::string_view name = tokens_.of(at_);
    if (name == "template") {
      ++at_;
      if (sign('<') && !read_angles(head)) good_ = false;
    } else if (has_own_parentheses(name)) {
      ++at_;
      skip_inner_group(head, '(');
    } else if (name == "requires") {
      // An expression ends with braces of its own; a clause may stand in front of a function's body.
      const bool is_expression = tokens_.is_sign(at_ + 1, '{') ||
                                 tokens_.is_name(at_ - 1, "requires") ||
                                 tokens_.is_sign(at_ - 1, '&') || tokens_.is_sign(at_ - 1, '|') ||
                                 tokens_.is_sign(at_ - 1, '=') || tokens_.is_sign(at_ - 1, '!');
      ++at_;
      if (sign('(')) skip_group();
      if (is_expression && sign('{')) skip_group();
    } else if (name == "operator") {
      head.is_operator = true;
      for (++at_; at_ < count_ && !sign('(') && !sign(';'); ++at_)
        if (tokens_.all[at_].kind == TokenKind::text) head.last_name = kNone;
    } else {
      if (is_class_key(name) && head.parameters == kNone && head.class_key == kNone)
        head.class_key = here();
      head.is_typedef |= name == "typedef";
      head.is_concept |= name == "concept";
      head.is_alias |= name == "using";
      if (!is_keyword(name)) head.last_name = here();
      ++at_;
    }
  }

  void read_declaration(size_t first) {
    Head head;
    const uint32_t start = here();
    while (good_) {
      skip_directives();
      if (at_ >= count_) {
        good_ = false;
      } else if (tokens_.is_name(at_)) {
        read_name(head);
      } else if (sign(';')) {
        ++at_;
        break;
      } else if (sign('<') && !(head.assigned != kNone)) {
        if (!read_angles(head)) ++at_;
      } else if (sign('(')) {
        const uint32_t from = here();
        const bool named =
            at_ > start && (tokens_.is_name(at_ - 1) || tokens_.is_sign(at_ - 1, '>'));
        skip_group();
        if (head.parameters != kNone || head.assigned != kNone) continue;
        head.parameters = from;
        head.parameters_end = here();
        if (named) head.function_name = head.last_name;
      } else if (sign('[')) {
        skip_inner_group(head, '[');
      } else if (sign('{')) {
        const bool function = head.is_function() && head.assigned == kNone;
        const bool of_member = function && head.initializes_members &&
                               (tokens_.is_name(at_ - 1) || tokens_.is_sign(at_ - 1, '>'));
        const uint32_t from = here();
        skip_group();
        if (head.body == kNone) {
          if (head.bases == kNone) head.class_name = head.last_name;
          head.body = from;
          head.body_end = here();
        }
        if (of_member) continue;
        if (function && !word("catch")) break;
      } else if (sign(')') || sign(']') || sign('}')) {
        good_ = false;
      } else {
        if (sign('=') && head.assigned == kNone) head.assigned = here();
        const bool colon =
            sign(':') && !tokens_.is_sign(at_ + 1, ':') && !tokens_.is_sign(at_ - 1, ':');
        if (colon && head.is_function()) head.initializes_members = true;
        if (colon && head.bases == kNone) {
          head.class_name = head.last_name;
          head.bases = here();
        }
        ++at_;
      }
    }
    if (!good_) return;
    head.start = start;
    head.end = here();
    Declaration declaration{static_cast<uint32_t>(first), here(), {}, false};
    // Line markers and pragmas of the file in front stay; a pragma of nvcc is about what follows it.
    while (declaration.first < start && !is_about_next(declaration.first))
      ++declaration.first;
    find_names(tokens_, head, declaration);
    declarations_.push_back(std::move(declaration));
  }

  bool is_about_next(uint32_t directive) const {
    const std::string_view line = tokens_.of(directive);
    return line.starts_with("#pragma ") && !line.starts_with("#pragma GCC") &&
           !line.starts_with("#pragma pack") && !line.starts_with("#pragma nv_diag") &&
           !line.starts_with("#pragma weak") && !line.starts_with("#pragma once");
  }

  uint32_t here() const { return static_cast<uint32_t>(at_); }

  const Tokens& tokens_;
  size_t count_, at_ = 0;
  bool good_ = true;
  std::vector<Declaration> declarations_;
};

}  // namespace

std::optional<std::vector<Declaration>> declarations_of(const Tokens& tokens) {
  return Reader(tokens).read();
}

}  // namespace ridge::build

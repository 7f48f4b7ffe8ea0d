#include "harness/build/preprocessed/declaration_names.h"

#include <algorithm>
#include <unordered_set>

namespace ridge::build {
namespace {

// Words that name nothing that a header declares.
const std::unordered_set<std::string_view> kKeywords = {
    "auto",       "bool",         "char",      "char16_t",      "char32_t",   "char8_t",
    "const",      "constexpr",    "consteval", "constinit",     "decltype",   "double",
    "explicit",   "extern",       "float",     "inline",        "int",        "long",
    "mutable",    "noexcept",     "register",  "short",         "signed",     "static",
    "template",   "thread_local", "typedef",   "typename",      "unsigned",   "using",
    "virtual",    "void",         "volatile",  "wchar_t",       "std",        "class",
    "struct",     "union",        "enum",      "__extension__", "__inline",   "__inline__",
    "concept",    "requires",     "__thread",  "__const",       "__signed__", "__volatile__",
    "__restrict", "__restrict__"};

struct NamesOf {
  const Tokens& tokens;
  const Head& head;
  Declaration& declaration;

  // Names outside of template parameters, template arguments and attributes.
  std::vector<uint32_t> outer(uint32_t from, uint32_t end) const {
    std::vector<uint32_t> found;
    size_t range = 0;
    for (uint32_t i = from; i < end; ++i) {
      while (range < head.inner.size() && head.inner[range].second <= i)
        ++range;
      if (range < head.inner.size() && head.inner[range].first <= i)
        i = head.inner[range].second - 1;
      else if (tokens.is_name(i) && !is_keyword(tokens.of(i)))
        found.push_back(i);
    }
    return found;
  }

  void add(uint32_t from, uint32_t end) const {
    for (const uint32_t token : outer(from, end))
      declaration.names.push_back(tokens.all[token].name);
  }

  // Adds a and b of `size_t a[2], *b __attribute__((x));`: no name or declarator's start follows.
  void add_declared(uint32_t from, uint32_t end) const {
    for (const uint32_t token : outer(from, end)) {
      uint32_t next = token + 1;
      for (const auto& [first, last] : head.inner)
        if (first == next) next = last;
      const bool ends = tokens.is_name(next)
                            ? has_own_parentheses(tokens.of(next))
                            : !tokens.is_sign(next, '*') && !tokens.is_sign(next, '&') &&
                                  !tokens.is_sign(next, ':') && !tokens.is_sign(next, '(');
      if (ends) declaration.names.push_back(tokens.all[token].name);
    }
  }

  // The types of parameters, and parameters of a template among them.
  void add_types(uint32_t from, uint32_t end) const {
    int angles = 0;
    for (uint32_t i = from; i < end; ++i) {
      angles += tokens.is_sign(i, '<') - tokens.is_sign(i, '>');
      const bool is_member =
          tokens.is_sign(i - 1, ':') && tokens.is_sign(i - 3, '>');  // X<T>::type
      if (is_member || angles > 0 || !tokens.is_name(i) || is_keyword(tokens.of(i))) continue;
      const bool ends =
          tokens.is_sign(i + 1, ',') || tokens.is_sign(i + 1, ')') || tokens.is_sign(i + 1, '=');
      const bool after_type = tokens.is_sign(i - 1, '&') || tokens.is_sign(i - 1, '*') ||
                              tokens.is_sign(i - 1, '>') ||
                              (tokens.is_name(i - 1) && tokens.of(i - 1) != "const");
      if (!(ends && after_type)) declaration.names.push_back(tokens.all[i].name);
    }
  }
};

}  // namespace

bool is_keyword(std::string_view word) {
  return kKeywords.contains(word);
}

bool has_own_parentheses(std::string_view word) {
  return word == "__attribute__" || word == "__attribute" || word == "alignas" ||
         word == "_Alignas" || word == "decltype" || word == "noexcept" || word == "explicit" ||
         word == "__asm__" || word == "asm" || word == "__asm" || word == "throw" ||
         word == "__typeof__" || word == "__typeof" || word == "typeof" || word == "__declspec" ||
         word == "sizeof";
}

void find_names(const Tokens& tokens, const Head& head, Declaration& declaration) {
  const uint32_t start = head.start, end = head.end;
  const NamesOf names{tokens, head, declaration};
  const std::string_view first = tokens.of(start);
  if (first == "static_assert" || first == "_Static_assert") return;  // it holds
  if (first == "asm" || first == "__asm__" || first == "namespace" ||
      (first == "using" && tokens.is_name(start + 1, "namespace"))) {
    declaration.always = true;
    return;
  }
  const bool is_enum = head.class_key != kNone && tokens.of(head.class_key) == "enum";
  if (head.is_operator) {
    if (head.parameters != kNone) names.add_types(head.parameters, head.parameters_end);
  } else if (head.is_function() && head.function_name != kNone && !head.is_typedef) {
    declaration.names.push_back(tokens.all[head.function_name].name);
    // X::f and X<T>::f are members.
    if (tokens.is_sign(head.function_name - 1, ':')) names.add(start, head.parameters);
  } else if (is_enum) {
    names.add(start, end);
  } else if (head.is_alias || head.is_concept) {
    names.add(start, std::min(end, head.assigned));
  } else {
    if (head.class_name != kNone && !head.is_function())
      declaration.names.push_back(tokens.all[head.class_name].name);
    else
      names.add_declared(start, std::min({end, head.assigned, head.body}));
    if (head.body < head.assigned) names.add(head.body_end, std::min(end, head.assigned));
  }
  declaration.always = declaration.names.empty();
}

}  // namespace ridge::build

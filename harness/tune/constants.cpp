#include "harness/tune/constants.h"

#include <algorithm>
#include <regex>
#include <set>

namespace ridge::tune {

namespace {

// Replaces comments by spaces and keeps strings.
std::string without_comments(const std::string& source) {
  std::string code = source;
  enum { kCode, kString, kLine, kBlock } state = kCode;
  for (size_t i = 0; i < code.size(); ++i) {
    const std::string_view two = std::string_view(source).substr(i, 2);
    if (state == kCode) {
      if (two == "//") state = kLine;
      if (two == "/*") state = kBlock;
      if (source[i] == '"') state = kString;
    } else if (state == kString) {
      if (source[i] == '\\')
        ++i;
      else if (source[i] == '"')
        state = kCode;
      continue;
    }
    if (state == kLine && source[i] == '\n') state = kCode;
    if (state == kBlock && two == "*/") {
      code[i] = code[i + 1] = ' ';
      ++i;
      state = kCode;
      continue;
    }
    if ((state == kLine || state == kBlock) && source[i] != '\n') code[i] = ' ';
  }
  return code;
}

// Splits at commas outside brackets and strings. `<` is not a bracket: template arguments are not
// understood anyway.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool quoted = false;
  for (const char letter : text) {
    if (letter == '"') quoted = !quoted;
    if (!quoted) depth += letter == '(' || letter == '{' || letter == '[';
    if (!quoted) depth -= letter == ')' || letter == '}' || letter == ']';
    if (letter == ',' && depth == 0 && !quoted)
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  return parts;
}

// The position of the bracket that closes the one at `open`; npos: there is none.
size_t closing(const std::string& text, size_t open) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"' && text[i - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    depth += text[i] == '(';
    depth -= text[i] == ')';
    if (depth == 0) return i;
  }
  return std::string::npos;
}

std::string trimmed(std::string text) {
  text = std::regex_replace(text, std::regex(R"(\s+)"), " ");
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// All string literals in the text, concatenated.
std::string literal_in(const std::string& text) {
  static const std::regex kLiteral(R"re("((?:[^"\\]|\\.)*)")re");
  std::string words;
  for (std::sregex_iterator match(text.begin(), text.end(), kLiteral), end; match != end; ++match)
    words += (*match)[1];
  return words;
}

}  // namespace

Constants::Constants(const std::string& source) {
  const std::string code = without_comments(source);
  static const std::regex kConstant(
      R"(\bconstexpr\s+(?:(?:static|inline|const)\s+)*(?:int|unsigned|bool|auto|long|short|size_t|u?int\d+_t|std::\w+)(?:\s+(?:int|long))*\s+(?=\w+\s*=))");
  std::set<std::string> seen, twice;
  for (std::sregex_iterator match(code.begin(), code.end(), kConstant), end; match != end; ++match) {
    const size_t begin = static_cast<size_t>(match->position() + match->length());
    const size_t stop = code.find(';', begin);
    if (stop == std::string::npos) continue;
    for (const std::string& part : parts_of(code.substr(begin, stop - begin))) {
      const size_t equals = part.find('=');
      if (equals == std::string::npos) continue;
      const std::string name = trimmed(part.substr(0, equals));
      if (!seen.insert(name).second) twice.insert(name);
      definitions_.push_back({name, trimmed(part.substr(equals + 1))});
    }
  }
  // A name that is declared twice, or as a template parameter, has a meaning that depends on its
  // place: it is unknown.
  static const std::regex kTemplate(R"(\btemplate\s*<([^<>]*)>)"), kWord(R"(\w+)");
  for (std::sregex_iterator match(code.begin(), code.end(), kTemplate), end; match != end; ++match) {
    const std::string list = (*match)[1];
    for (std::sregex_iterator word(list.begin(), list.end(), kWord); word != end; ++word)
      twice.insert(word->str());
  }
  std::erase_if(definitions_, [&](const Definition& one) { return twice.contains(one.name); });

  static const std::regex kAssertion(R"(\bstatic_assert\s*\()");
  for (std::sregex_iterator match(code.begin(), code.end(), kAssertion), end; match != end; ++match) {
    const size_t open = static_cast<size_t>(match->position() + match->length()) - 1;
    const size_t close = closing(code, open);
    if (close == std::string::npos) continue;
    const auto parts = parts_of(code.substr(open + 1, close - open - 1));
    assertions_.push_back({trimmed(parts[0]), parts.size() > 1 ? literal_in(parts[1]) : ""});
  }
}

Known Constants::with(const Space& space, const Values& values) const {
  Known known;
  const auto& parameters = space.parameters();
  for (size_t i = 0; i < parameters.size(); ++i)
    known[parameters[i].name] = values.at(i);
  for (const Definition& one : definitions_) {
    if (known.contains(one.name)) continue;
    if (const auto value = evaluate(one.expression, known)) known[one.name] = *value;
  }
  return known;
}

std::string Constants::forbidden(const Known& known) const {
  for (const Assertion& assertion : assertions_) {
    const auto value = evaluate(assertion.expression, known);
    if (value && *value == 0) return assertion.message.empty() ? assertion.expression : assertion.message;
  }
  return "";
}

}  // namespace ridge::tune

#include "harness/grade/host/kernel_fix.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "harness/grade/findings/source_scan.h"
#include "text/whole_file.h"

namespace ridge::grade {

namespace {

struct Token {
  std::string text;
  int line = 0;
};
using Tokens = std::vector<Token>;

struct Kernel {
  std::string name;
  Tokens body;
};

struct Code {
  Tokens rest;  // everything but the bodies of kernels
  std::vector<Kernel> kernels;
};

Tokens tokens_of(std::string_view source) {
  const std::string code = source_scan::without_comments(std::string(source));
  Tokens tokens;
  int line = 1;
  for (size_t at = 0; at < code.size();) {
    const char letter = code[at];
    if (letter == '\n') ++line;
    size_t end = at + 1;
    if (!std::isspace(static_cast<unsigned char>(letter))) {
      while (source_scan::is_name(letter) && end < code.size() && source_scan::is_name(code[end]))
        ++end;
      tokens.push_back({code.substr(at, end - at), line});
    }
    at = end;
  }
  return tokens;
}

// The index behind the brace that closes the one at `open`.
size_t behind_block(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t at = open; at < tokens.size(); ++at) {
    if (tokens[at].text == "{") ++depth;
    if (tokens[at].text == "}" && --depth == 0) return at + 1;
  }
  return tokens.size();
}

Code split(const Tokens& tokens) {
  Code code;
  for (size_t at = 0; at < tokens.size(); ++at) {
    code.rest.push_back(tokens[at]);
    if (tokens[at].text != "__global__") continue;
    size_t open = at + 1;
    std::string name;
    for (; open < tokens.size() && tokens[open].text != "{"; ++open) {
      if (name.empty() && tokens[open].text == "(") name = tokens[open - 1].text;
      code.rest.push_back(tokens[open]);
    }
    const size_t behind = behind_block(tokens, open);
    if (behind > open + 1)
      code.kernels.push_back({name, Tokens(tokens.begin() + static_cast<ptrdiff_t>(open) + 1,
                                           tokens.begin() + static_cast<ptrdiff_t>(behind) - 1)});
    at = behind - 1;
  }
  return code;
}

// How many tokens must be removed and added to make one sequence of the other.
size_t distance(const Tokens& from, const Tokens& to) {
  std::vector<size_t> common(to.size() + 1, 0);  // the longest common subsequence so far
  for (const Token& token : from) {
    size_t diagonal = 0;
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t above = common[i + 1];
      common[i + 1] = token.text == to[i].text ? diagonal + 1 : std::max(above, common[i]);
      diagonal = above;
    }
  }
  return from.size() + to.size() - 2 * common.back();
}

}  // namespace

std::optional<Outcome> check_kernel_fix(const course::Rung& rung, std::string_view source) {
  const Code own = split(tokens_of(source)),
             kept = split(tokens_of(text::read_file(rung.solution)));
  const auto same = [](const Token& a, const Token& b) { return a.text == b.text; };
  const auto [differs, other] =
      std::mismatch(own.rest.begin(), own.rest.end(), kept.rest.begin(), kept.rest.end(), same);
  if (differs != own.rest.end() || other != kept.rest.end()) {
    const int line = differs != own.rest.end() ? differs->line
                     : own.rest.empty()        ? 1
                                               : own.rest.back().line;
    return outcome_with({"wrong.changed_elsewhere", {{"line", line}}});
  }
  for (size_t i = 0; i < std::min(own.kernels.size(), kept.kernels.size()); ++i) {
    const size_t changes = distance(own.kernels[i].body, kept.kernels[i].body);
    if (changes > rung.changed_tokens)
      return outcome_with(
          {"wrong.changed_too_much",
           {{"kernel", own.kernels[i].name}, {"count", changes}, {"most", rung.changed_tokens}}});
  }
  return std::nullopt;
}

}  // namespace ridge::grade

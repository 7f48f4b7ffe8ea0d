#include "harness/grade/findings/finding.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace ridge::grade {
namespace {

const FindingText& text_of(std::string_view id) {
  const auto all = finding_texts();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const FindingText& text) { return text.id == id; });
  if (found == all.end()) throw std::logic_error(fmt::format("finding_texts.cpp has no \"{}\"", id));
  return *found;
}

std::string filled(std::string_view text, const Finding& finding) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t open = std::min(text.find('{', at), text.size());
    result += text.substr(at, open - at);
    if (open == text.size()) break;
    const size_t close = text.find('}', open);
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const auto value = std::find_if(finding.values.begin(), finding.values.end(),
                                    [&](const Value& one) { return one.name == name; });
    if (value == finding.values.end())
      throw std::logic_error(fmt::format("the finding {} has no value \"{}\"", finding.id, name));
    result += value->text;
    at = close + 1;
  }
  return result;
}

}  // namespace

std::string Finding::sentence() const {
  return filled(text_of(id).sentence, *this);
}

std::string Finding::next() const {
  return filled(text_of(id).next, *this);
}

Verdict Finding::verdict() const {
  std::string word(id.substr(0, id.find('.')));
  std::transform(word.begin(), word.end(), word.begin(), [](char letter) {
    return letter == '_' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  });
  return verdict_from(word);
}

std::string Finding::described() const {
  std::string text(id);
  for (const Value& value : values)
    text += fmt::format(" {}={}", value.name, value.text);
  return text;
}

}  // namespace ridge::grade

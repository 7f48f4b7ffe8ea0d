// A finding as an identifier with values. Its sentences are in one table, finding_texts.cpp.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/grade/verdict.h"

namespace ridge::grade {

// One row of the table. `{name}` in a text is replaced by the value of that name.
struct FindingText {
  std::string_view id;  // "race.flag_order": the verdict in lower case, a dot, the cause
  std::string_view sentence;
  std::string_view next;  // the advice
};

std::span<const FindingText> finding_texts();

struct Value {
  std::string_view name;
  std::string text;
  template <typename T>
  Value(std::string_view value_name, const T& value) : name(value_name), text(fmt::format("{}", value)) {}
};

struct Finding {
  std::string_view id;
  std::vector<Value> values = {};

  // These throw std::logic_error for an identifier that is not in the table, and for a name in a
  // text that has no value.
  std::string sentence() const;
  std::string next() const;
  // The verdict at the beginning of the identifier; slow for a remark on a kernel that passes.
  Verdict verdict() const;
  // "wrong.last_rows first=3 of=40", for tests and logs.
  std::string described() const;
};

}  // namespace ridge::grade

// From the outline of one declaration to the names by which it can be found.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/build/preprocessed/declarations.h"
#include "harness/build/preprocessed/tokens.h"

namespace ridge::build {

inline constexpr uint32_t kNone = UINT32_MAX;

// What was seen of one declaration outside of brackets.
struct Head {
  uint32_t start = 0, end = 0;  // behind pragmas, and with the last ; or }
  uint32_t class_key = kNone, last_name = kNone, parameters = kNone, parameters_end = 0;
  uint32_t function_name = kNone, class_name = kNone;
  uint32_t body = kNone, body_end = 0, bases = kNone, assigned = kNone;
  std::vector<std::pair<uint32_t, uint32_t>>
      inner;  // ranges whose names are not the declaration's own
  bool is_operator = false, is_typedef = false, is_alias = false, is_concept = false;
  bool initializes_members = false;
  bool is_function() const {
    return parameters != kNone && (class_key == kNone || parameters > class_key);
  }
};

// Words that name nothing that a header declares.
bool is_keyword(std::string_view word);
// Words whose parentheses belong to them: noexcept, alignas, ...
bool has_own_parentheses(std::string_view word);
// Sets `names` and `always`.
void find_names(const Tokens& tokens, const Head& head, Declaration& declaration);

}  // namespace ridge::build

// The patterns of errors by what they look at. Each function recognises one kind and says nothing otherwise;
// the order in which they are asked is in error_pattern.cpp.
#pragma once

#include <optional>

#include "harness/grade/diagnosis/error_map.h"

namespace ridge::grade {

using Answer = std::optional<Finding>;

template <typename Predicate>
bool for_all(const Output& o, Predicate holds) {
  for (int64_t i = 0; i < o.elements(); ++i)
    if (!holds(i)) return false;
  return true;
}

// Wrong, and written: its value can say something.
inline bool has_wrong_value(const Output& o, int64_t i) {
  return o.state(i) == problems::State::wrong;
}
template <typename Predicate>
bool for_all_wrong_values(const Output& o, Predicate holds) {
  return for_all(o, [&](int64_t i) { return !has_wrong_value(o, i) || holds(i); });
}

inline const char* are_what(const Output& o) {
  return o.untouched() == o.wrong() ? "were never written" : "are wrong";
}
inline const char* is_what(const Output& o) {
  return o.untouched() == o.wrong() ? "was never written" : "is wrong";
}
// The subject of a sentence on values.
inline const char* every_one(const Output& o) {
  return o.wrong() == o.elements() ? "Every element" : "Every wrong element";
}

// Where: rows, columns and tiles of a matrix (error_places.cpp).
Answer rows_and_columns(const Output& o);
Answer checkerboard(const Output& o);
Answer triangle(const Output& o);
Answer tile_borders(const Output& o);
// Where: parts that come again (error_places.cpp).
Answer part_of_every_block(const Output& o);

// What the values are, seen one by one (error_values.cpp).
Answer value_pattern(const Output& o, const problems::Case* given);

// A sum over a whole array, which is one element (error_sums.cpp).
Answer part_of_a_sum(const Output& o, const problems::Case* given);

// Values that are the right ones of another place (error_origins.cpp).
Answer origin_pattern(const Output& o);

}  // namespace ridge::grade

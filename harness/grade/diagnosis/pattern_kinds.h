// The functions that recognise error patterns, by subject. Each recognises one kind and returns
// nothing otherwise; error_pattern.cpp has the order of the calls.
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

// True for a wrong element that was written: its value carries information.
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
// The subject of a sentence on wrong values.
inline const char* every_one(const Output& o) {
  return o.wrong() == o.elements() ? "Every element" : "Every wrong element";
}

// Places: rows, columns and tiles of a matrix (error_places.cpp).
Answer rows_and_columns(const Output& o);
Answer checkerboard(const Output& o);
Answer triangle(const Output& o);
Answer tile_borders(const Output& o);
// Places: parts that repeat periodically (error_places.cpp).
Answer part_of_every_block(const Output& o);

// Single values (error_values.cpp).
Answer value_pattern(const Output& o, const problems::Case* given);

// A single element that is the sum of a whole array (error_sums.cpp).
Answer part_of_a_sum(const Output& o, const problems::Case* given);

// Values that are right at another place (error_origins.cpp).
Answer origin_pattern(const Output& o);

}  // namespace ridge::grade

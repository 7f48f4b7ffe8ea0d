// The mask of dropout: which elements are kept, by the layout of the counter that the statement
// gives, and by layouts that are often written instead of it.
#pragma once

#include <cstdint>

#include "harness/problems/fused/philox.h"
#include "harness/problems/inputs.h"

namespace ridge::problems {

// The layout of the statement: element (row, col) is word col % 4 of the counter {col / 4, row, 0,
// 0}. It is kept when that word is at least p * 2^32, and is then divided by 1 - p.
enum class MaskRule {
  of_the_statement,
  row_left_out,     // counter {col / 4, 0, 0, 0}
  row_first,        // counter {row, col / 4, 0, 0}
  one_array,        // counter {element / 4, 0, 0, 0} of the whole array
  one_word,         // word 0 for all four columns
  inverted,         // the elements that are to be dropped are kept
  not_scaled,       // kept elements are not divided by 1 - p
  key_kept,         // the key is not changed between the rounds
};

class DropoutMask {
 public:
  DropoutMask(MaskRule rule, int64_t seed, double p, int64_t cols);
  // The factors of the elements (row, 4 group) to (row, 4 group + 3): 0 for one that is dropped.
  std::array<double, 4> factors(int64_t row, int64_t group) const;

 private:
  MaskRule rule_;
  uint64_t seed_;
  double threshold_, scale_;
  int64_t groups_per_row_;
};

// The scalar of a case, drawn from 0.25 to 2.25, as a probability of 0.05 to 0.75.
inline double drop_probability(double drawn) {
  return 0.05 + 0.35 * (drawn - 0.25);
}

// The elements of a row in groups of 4, and what an answer is compared with when it is wrong: the
// result of each other rule, with the finding that it stands for.
inline constexpr int64_t kGroup = 4;
template <std::vector<Expected> (*result)(const Case&, MaskRule)>
std::vector<Mistake> mistakes_of_masks() {
  return {{"wrong.mask_without_row", [](const Case& given) { return result(given, MaskRule::row_left_out); }},
          {"wrong.mask_row_first", [](const Case& given) { return result(given, MaskRule::row_first); }},
          {"wrong.mask_of_one_array", [](const Case& given) { return result(given, MaskRule::one_array); }},
          {"wrong.mask_of_one_word", [](const Case& given) { return result(given, MaskRule::one_word); }},
          {"wrong.mask_inverted", [](const Case& given) { return result(given, MaskRule::inverted); }},
          {"wrong.mask_not_scaled", [](const Case& given) { return result(given, MaskRule::not_scaled); }},
          {"wrong.mask_key_kept", [](const Case& given) { return result(given, MaskRule::key_kept); }}};
}

}  // namespace ridge::problems

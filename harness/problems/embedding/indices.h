// Draws the indices of embedding problems: which rows a lookup names, and how often.
#pragma once

#include <span>

#include "harness/problems/inputs.h"

namespace ridge::problems {

// Marks a lookup without a row.
inline constexpr int64_t kPadding = -1;
inline constexpr int64_t kPaddedOneIn = 32;  // one lookup in so many
inline constexpr double kIndexBytes = 8, kBfloat16Bytes = 2, kFloatBytes = 4;

// uniform: all rows have equal probability. zipf: the k-th most frequent row has a probability
// proportional to k^-1.05, like words in a text. one_row: all lookups name one row. ascending:
// sorted, with every row about equally often. last_rows: only the last two rows.
enum class Distribution { uniform, zipf, one_row, ascending, last_rows };

// Uniform inputs use the problem's own distribution; each other draw has a fixed one.
Distribution distribution_of(Draw draw, Distribution own);

// Fills `indices` with rows 0 .. rows - 1, and with kPadding once in 32.
void draw_indices(std::span<int64_t> indices, int64_t rows, Distribution distribution, uint64_t seed);

// The boundaries of `offsets.size() - 1` bags with `lookups` lookups in total, ascending from 0:
// one bag in eight is empty, one in eight is about eight times as long as the others.
void draw_offsets(std::span<int64_t> offsets, int64_t lookups, uint64_t seed);

struct IndexCounts {
  int64_t distinct = 0;  // number of different rows
  int64_t valid = 0;     // lookups other than padding
};
IndexCounts counts_of(std::span<const int64_t> indices, int64_t rows);

}  // namespace ridge::problems

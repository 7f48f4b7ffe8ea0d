// Indices of embedding problems: which rows a lookup names, and how often.
#pragma once

#include <span>

#include "harness/problems/inputs.h"

namespace ridge::problems {

// Marks a lookup that names no row.
inline constexpr int64_t kPadding = -1;
inline constexpr int64_t kPaddedOneIn = 32;  // lookups
inline constexpr double kIndexBytes = 8, kBfloat16Bytes = 2, kFloatBytes = 4;

// uniform: every row is as likely as any other. zipf: the k-th most frequent row has a probability that is
// proportional to k^-1.05, as the words of a text. one_row: all lookups name one row. ascending: sorted, and
// every row is named about as often. last_rows: only the last row and the one before it.
enum class Distribution { uniform, zipf, one_row, ascending, last_rows };

// Uniform inputs have the problem's own distribution; each of the other draws has one of its own.
Distribution distribution_of(Draw draw, Distribution own);

// Fills `indices` with rows of 0 .. rows - 1 and, one in 32, with kPadding.
void draw_indices(std::span<int64_t> indices, int64_t rows, Distribution distribution, uint64_t seed);

// The boundaries of `offsets.size() - 1` bags of `lookups` lookups together, ascending from 0: one bag in eight is
// empty, one in eight is about eight times as long as the others.
void draw_offsets(std::span<int64_t> offsets, int64_t lookups, uint64_t seed);

struct IndexCounts {
  int64_t distinct = 0;  // rows that are named at all
  int64_t valid = 0;     // lookups that are no padding
};
IndexCounts counts_of(std::span<const int64_t> indices, int64_t rows);

}  // namespace ridge::problems

// Tensors with rows of bfloat16 that are multiples of 16 bytes: their values and sizes.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

inline double bfloat16_value(uint16_t bits) {
  return static_cast<double>(text::bfloat_to_float(bits));
}

// {rows, cols}, cols a multiple of 8: one row, one vector per row, one below and above a warp of
// vectors, rows longer than a block, and row counts around groups of rows.
inline std::vector<Sizes> edge_sizes_of_vectors() {
  return {{1, 8},    {2, 8},    {31, 8},   {1, 248},  {1, 264}, {33, 16},  {5, 24},
          {7, 40},   {3, 264},  {17, 136}, {9, 256},  {2, 2048}, {1, 4104}, {130, 8},
          {65, 120}, {255, 32}, {257, 16}, {16, 1032}, {3, 520}};
}

}  // namespace ridge::problems

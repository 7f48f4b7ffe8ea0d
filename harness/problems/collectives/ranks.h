// What entry points on several devices get, and the buffers behind it. labs/11-collectives/ranks.h
// declares the same structure for students.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/problems/inputs.h"

namespace ridge::problems {

inline constexpr size_t kMostRanks = 8;
inline constexpr int64_t kSignals = 2048;  // 4-byte words of a signal area

struct Ranks {
  int count = 0;  // rank r is device r
  const float* inputs[kMostRanks] = {};
  float* outputs[kMostRanks] = {};
  uint32_t* signals[kMostRanks] = {};
  Stream streams[kMostRanks] = {};
};

// Buffers of a collective whose ranks have `in` and `out` elements each: the inputs of all ranks, then
// the outputs. The names begin with `prefix`.
std::vector<Buffer> buffers_of_ranks(int64_t ranks, int64_t in, int64_t out,
                                     const char* prefix = "", Type type = Type::float32);
// Appends a signal area of `words` 4-byte words per rank.
void add_signals(std::vector<Buffer>& buffers, int64_t ranks, int64_t words);

// The structure for the collective whose buffers begin at index `first`; the signal areas are the
// last buffers.
Ranks ranks_of(const Arguments& arguments, size_t first);

// {ranks, n}: 2 and 4 ranks, and lengths around those at which kernels often fail. `with_large`: up
// to 6007, otherwise up to 1025.
std::vector<Sizes> sizes_on_ranks(bool with_large);
// 2 or 4 ranks.
Sizes nearest_ranks(const Sizes& sizes);

// The expected sum over ranks of the elements from `first` on of each rank's input, for an output of
// `count` elements in buffer `output`. `first_input` is the buffer of rank 0.
Expected sum_over_ranks(const Case& given, size_t first_input, int64_t first, int64_t count,
                        size_t output);

}  // namespace ridge::problems

// mma.sync and wmma.mma. Floating-point products are exact; sums are computed in float32 in the
// order of k with one rounding each; f16 accumulators are rounded to f16 at the end. Products of
// small integers are also computed in float32, where they and their sums are exact, and then added
// to the 32-bit accumulators.
#include <bit>
#include <cmath>
#include <cstring>

#include "virtual_gpu/machine/matrix/accumulators.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/matrix/matrix_unit.h"
#include "virtual_gpu/machine/matrix/opcode_words.h"
#include "virtual_gpu/machine/matrix/tile_loops.h"
#include "virtual_gpu/machine/memory/half_float.h"

namespace ridge::machine {
namespace {

constexpr size_t kMaxK = 128;     // per mma.sync: sparse 8-bit or 4-bit types
constexpr size_t kMaxGroups = 2;  // of 8 columns: wmma has 16 columns, or 32 rows

// The rows of tile `tile`, group `group`: in the order of the accumulators in tile_loops.h, or
// packed pairs.
size_t first_row(const MatrixOp& op, AccumulatorType type, size_t tile, size_t group) {
  const size_t halves = op.half_tile ? 1 : 2;
  return (tile * op.groups + group) * halves * (type == AccumulatorType::f16 ? 1 : 2);
}

}  // namespace

void add_wrapping(const float* products, int32_t* sums, size_t count, bool saturate) {
  if (!saturate) {  // the products of one instruction fit in 32 bits
    for (size_t i = 0; i < count; ++i)
      sums[i] = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) +
                                     static_cast<uint32_t>(static_cast<int32_t>(products[i])));
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const int64_t sum = int64_t{sums[i]} + static_cast<int64_t>(products[i]);
    const int64_t clamped = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    sums[i] = static_cast<int32_t>(clamped);
  }
}

void MatrixUnit::multiply_warp(const MatrixOp& op) {
  if (op.a == ElementType::f64) return multiply_doubles(op);
  if (op.a == ElementType::b1) return multiply_bits(op);
  multiply_floats(op);
}

void MatrixUnit::multiply_floats(const MatrixOp& op) {
  alignas(64) float staged_a[kMaxK * kStagedA];
  alignas(64) float staged_b[kMaxGroups * kMaxK * kStagedB];
  alignas(64) float products[kMaxGroups * kTile];  // products of integers before they are added
  const TileLoops& loops = tile_loops();
  const size_t elements = core_elements(op.a), count = elements * op.cores, groups = op.groups;
  const size_t halves = op.half_tile ? 1 : 2;
  if (op.half_tile) std::memset(staged_a, 0, count * kStagedA * sizeof(float));
  for (size_t group = 0; group < groups; ++group) {
    for (size_t core = 0; core < op.cores; ++core)
      loops.stage_b(op.b, context_.row<std::byte>(op.b_rows[group * op.cores + core]),
                    staged_b + (group * count + core * elements) * kStagedB);
  }
  const bool wide_range = op.a == ElementType::bf16 || op.a == ElementType::tf32;
  const bool is_integer_sum = op.d == AccumulatorType::s32;
  alignas(64) float results[2][kMaxGroups * kTile];
  for (size_t tile = 0; tile < op.tiles; ++tile) {
    for (size_t core = 0; core < op.cores && op.metadata == kNoRow; ++core) {
      for (size_t half = 0; half < halves; ++half)
        loops.stage_a(op.a,
                      context_.row<std::byte>(op.a_rows[(tile * op.cores + core) * halves + half]),
                      staged_a + core * elements * kStagedA + half * 32);
    }
    float* const result = results[tile];
    float* const sums = is_integer_sum ? products : result;
    if (is_integer_sum || op.half_tile) std::memset(sums, 0, groups * kTile * sizeof(float));
    for (size_t group = 0; group < groups; ++group) {
      for (size_t half = 0; half < halves; ++half) {
        float* const to = result + group * kTile + half * 64;
        const RowOffset* rows = op.c_rows.data() + first_row(op, op.c, tile, group);
        if (op.c == AccumulatorType::f16) {
          loops.unpack_halves(context_.row<uint32_t>(rows[half]), to, to + 32);
        } else {
          std::memcpy(to, context_.row<float>(rows[2 * half]), 128);
          std::memcpy(to + 32, context_.row<float>(rows[2 * half + 1]), 128);
        }
      }
    }
    if (op.metadata != kNoRow)
      multiply_sparse(op, sums);
    else
      loops.multiply(staged_a, staged_b, count, groups, sums, wide_range);
    if (is_integer_sum)
      add_wrapping(products, reinterpret_cast<int32_t*>(result), groups * kTile, op.saturate);
  }
  for (size_t tile = 0; tile < op.tiles; ++tile) {
    for (size_t group = 0; group < groups; ++group) {
      for (size_t half = 0; half < halves; ++half) {
        const float* const from = results[tile] + group * kTile + half * 64;
        const RowOffset* rows = op.d_rows.data() + first_row(op, op.d, tile, group);
        if (op.d == AccumulatorType::f16) {
          loops.pack_halves(from, from + 32, context_.row<uint32_t>(rows[half]));
        } else {
          std::memcpy(context_.row<float>(rows[2 * half]), from, 128);
          std::memcpy(context_.row<float>(rows[2 * half + 1]), from + 32, 128);
        }
      }
    }
  }
}

void MatrixUnit::multiply_bits(const MatrixOp& op) {
  const size_t halves = op.half_tile ? 1 : 2;
  uint32_t results[4][kLanes] = {};
  for (size_t half = 0; half < halves; ++half) {
    for (size_t parity = 0; parity < 2; ++parity) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        uint32_t sum = context_.row<uint32_t>(op.c_rows[half * 2 + parity])[lane];
        const size_t line = lane / 4, column = lane % 4 * 2 + parity;
        for (size_t core = 0; core < op.cores; ++core) {
          const uint32_t* a = context_.row<uint32_t>(op.a_rows[core * halves + half]) + line * 4;
          const uint32_t* b = context_.row<uint32_t>(op.b_rows[core]) + column * 4;
          for (size_t word = 0; word < 4; ++word)
            sum += static_cast<uint32_t>(
                std::popcount(op.exclusive_or ? a[word] ^ b[word] : a[word] & b[word]));
        }
        results[half * 2 + parity][lane] = sum;
      }
    }
  }
  for (size_t i = 0; i < halves * 2; ++i)
    std::memcpy(context_.row<uint32_t>(op.d_rows[i]), results[i], sizeof results[i]);
}

void MatrixUnit::multiply_doubles(const MatrixOp& op) {
  const size_t halves = op.half_tile ? 1 : 2;
  const double *a[8], *b[4];
  alignas(64) double sums[4][kLanes];
  for (size_t i = 0; i < op.cores * halves; ++i)
    a[i] = context_.row<double>(op.a_rows[i]);
  for (size_t core = 0; core < op.cores; ++core)
    b[core] = context_.row<double>(op.b_rows[core]);
  for (size_t i = 0; i < 2 * halves; ++i)
    std::memcpy(sums[i], context_.row<double>(op.c_rows[i]), sizeof sums[i]);
  tile_loops().multiply_doubles(a, b, op.cores, halves, sums[0]);
  for (size_t i = 0; i < 2 * halves; ++i)
    std::memcpy(context_.row<double>(op.d_rows[i]), sums[i], sizeof sums[i]);
}

// m8n8k4 of f16, as on Volta: lanes 4q..4q+3 and 16+4q..16+4q+3 compute a separate product.
void MatrixUnit::multiply_quarters(const MatrixOp& op) {
  const auto half_at = [&](RowOffset offset, size_t lane, size_t part) {
    return half_to_float(
        static_cast<uint16_t>(context_.row<uint32_t>(offset)[lane] >> (16 * part)));
  };
  // The position of the i-th accumulator element of a lane.
  const auto element_row = [](AccumulatorType type, size_t lane, size_t i) {
    const size_t low = type == AccumulatorType::f16 ? lane % 4 : (lane & 1) + (i & 2);
    return low + (lane < 16 ? 0 : 4);
  };
  const auto element_column = [](AccumulatorType type, size_t lane, size_t i) {
    return type == AccumulatorType::f16 ? i : (i & 4) + (lane & 2) + (i & 1);
  };
  uint32_t results[8][kLanes] = {};
  for (size_t quarter = 0; quarter < 4; ++quarter) {
    float a[8][4], b[4][8], d[8][8];
    const auto lane_of = [&](size_t i) { return 4 * quarter + i % 4 + (i < 4 ? 0 : 16); };
    for (size_t i = 0; i < 8; ++i) {
      const size_t lane = lane_of(i), base = i < 4 ? 0 : 4;
      for (size_t e = 0; e < 4; ++e) {
        const float from_a = half_at(op.a_rows[e / 2], lane, e % 2),
                    from_b = half_at(op.b_rows[e / 2], lane, e % 2);
        (op.a_column ? a[base + e][lane % 4] : a[base + lane % 4][e]) = from_a;
        (op.b_row ? b[lane % 4][base + e] : b[e][base + lane % 4]) = from_b;
      }
      for (size_t e = 0; e < 8; ++e)
        d[element_row(op.c, lane, e)][element_column(op.c, lane, e)] =
            op.c == AccumulatorType::f16 ? half_at(op.c_rows[e / 2], lane, e % 2)
                                         : context_.row<float>(op.c_rows[e])[lane];
    }
    for (auto& line : d) {
      const auto index = static_cast<size_t>(&line - d);
      for (size_t column = 0; column < 8; ++column) {
        for (size_t k = 0; k < 4; ++k)
          line[column] += a[index][k] * b[k][column];  // the product is exact
        if (std::isnan(line[column])) line[column] = std::bit_cast<float>(0x7fffffffu);
      }
    }
    for (size_t i = 0; i < 8; ++i) {
      const size_t lane = lane_of(i);
      for (size_t e = 0; e < 8; ++e) {
        const float value = d[element_row(op.d, lane, e)][element_column(op.d, lane, e)];
        if (op.d == AccumulatorType::f16)
          results[e / 2][lane] |= static_cast<uint32_t>(float_to_half(value)) << (16 * (e % 2));
        else
          results[e][lane] = std::bit_cast<uint32_t>(value);
      }
    }
  }
  for (size_t i = 0; i < op.d_rows.size(); ++i)
    std::memcpy(context_.row<uint32_t>(op.d_rows[i]), results[i], sizeof results[i]);
}

// A of mma.sp has the nonzero elements; pairs of bits in the metadata have the index of each within
// its four (8- and 16-bit types: two of four) or, for tf32, within its two. Columns of B without an
// element of A are ignored, even if they are infinite.
void MatrixUnit::multiply_sparse(const MatrixOp& op, float* sums) const {
  const size_t elements = core_elements(op.a), kept = elements * op.cores / 2;
  const uint32_t* metadata = context_.row<uint32_t>(op.metadata);
  const bool by_rows =
      op.a >= ElementType::e4m3;  // 8-bit: a word belongs to one row; otherwise to rows r and r + 8
  const size_t pairs = op.a == ElementType::tf32 ? 2 * kept : kept;
  const auto pair_of = [&](size_t line, size_t index) {
    const size_t group = line % 8 * 4, upper = line / 8;
    if (pairs == 8) return metadata[group + op.selector] >> (upper * 16 + index * 2) & 3u;
    if (by_rows && pairs == 16)
      return metadata[group + op.selector * 2u + upper] >> (index * 2) & 3u;
    if (pairs == 16)
      return metadata[group + op.selector * 2u + index / 8] >> (upper * 16 + index % 8 * 2) & 3u;
    return metadata[group + index / 16 * 2 + upper] >> (index % 16 * 2) & 3u;
  };
  alignas(64) float a[4][2][8 * 32], b[8][8 * 32];
  for (size_t core = 0; core < op.cores; ++core)
    tile_loops().widen(op.b, context_.row<std::byte>(op.b_rows[core]), b[core]);
  for (size_t core = 0; core < op.cores / 2u; ++core) {
    for (size_t half = 0; half < 2; ++half)
      tile_loops().widen(op.a, context_.row<std::byte>(op.a_rows[core * 2 + half]), a[core][half]);
  }
  for (size_t line = 0; line < 16; ++line) {
    for (size_t index = 0; index < kept; ++index) {
      const float value = a[index / elements][line / 8][line % 8 * elements + index % elements];
      const size_t k = op.a == ElementType::tf32 ? index * 2 + (pair_of(line, index * 2) >> 1)
                                                 : index / 2 * 4 + pair_of(line, index);
      for (size_t column = 0; column < 8; ++column) {
        float& sum = sums[(line / 8 * 2 + column % 2) * 32 + line % 8 * 4 + column / 2];
        sum = std::fmaf(value, b[k / elements][column * elements + k % elements], sum);
      }
    }
  }
  for (size_t i = 0; i < kTile; ++i) {
    if (std::isnan(sums[i])) sums[i] = std::bit_cast<float>(0x7fffffffu);
  }
}

}  // namespace ridge::machine

// Compiled once per instruction set; RIDGE_LOOPS names the resulting table.
#include <array>
#include <cmath>
#include <cstring>
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "virtual_gpu/machine/lanes/operations/minifloat.h"
#include "virtual_gpu/machine/matrix/tile_loops.h"

namespace ridge::machine {
namespace {

using namespace RIDGE_LANES;

#if defined(__AVX512F__)
constexpr int kWidth = 16, kGroupsAtOnce = 2;
#elif defined(__AVX__)
constexpr int kWidth = 8, kGroupsAtOnce = 1;
#else
constexpr int kWidth = 4, kGroupsAtOnce = 1;
#endif
// With two accumulators each, they and the operands fit in the registers.
constexpr int kChunksAtOnce = 4;
using Vector [[gnu::vector_size(kWidth * sizeof(float))]] = float;
using Mask [[gnu::vector_size(kWidth * sizeof(float))]] = int32_t;
using Sixteen [[gnu::vector_size(64)]] = float;
using Eight [[gnu::vector_size(32)]] = float;

template <class V>
V load(const float* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class V>
void store(float* to, const V& value) {
  std::memcpy(to, &value, sizeof value);
}

void widen_halves(const uint16_t* in, float* out) {
#if defined(__AVX512F__)
  for (int i = 0; i < 64; i += 16)
    _mm512_storeu_ps(
        out + i, _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i))));
#elif defined(__F16C__)
  for (int i = 0; i < 64; i += 8)
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
#else
  for (int i = 0; i < 64; ++i)
    out[i] = RIDGE_LANES::widen<F16>(in[i]);
#endif
}

template <class Format>
void widen_bytes(const uint8_t* in, float* out) {
  for (int i = 0; i < 128; ++i)
    out[i] = RIDGE_LANES::widen<Format>(in[i]);
}

template <class Integer>
void widen_integers(const void* core, float* out) {
  const auto* in = static_cast<const Integer*>(core);
  for (int i = 0; i < 128; ++i)
    out[i] = static_cast<float>(in[i]);
}

void widen_nibbles(const uint8_t* in, float* out, int sign) {
  for (int i = 0; i < 128; ++i) {
    const int low = in[i] & 15, high = in[i] >> 4;
    out[2 * i] = static_cast<float>((low ^ sign) - sign);
    out[2 * i + 1] = static_cast<float>((high ^ sign) - sign);
  }
}

void widen_core(ElementType type, const void* core, float* out) {
  uint32_t words[32];
  switch (type) {
    case ElementType::f16:
      return widen_halves(static_cast<const uint16_t*>(core), out);
    case ElementType::bf16: {
      const auto* in = static_cast<const uint16_t*>(core);
      for (int i = 0; i < 64; ++i)
        out[i] = float_of(static_cast<uint32_t>(in[i]) << 16);
      return;
    }
    case ElementType::tf32:
      std::memcpy(words, core, sizeof words);
      for (int i = 0; i < 32; ++i)
        out[i] = float_of(words[i] & 0xffffe000u);
      return;
    case ElementType::e4m3:
      return widen_bytes<E4M3>(static_cast<const uint8_t*>(core), out);
    case ElementType::e5m2:
      return widen_bytes<E5M2>(static_cast<const uint8_t*>(core), out);
    case ElementType::s8:
      return widen_integers<int8_t>(core, out);
    case ElementType::u8:
      return widen_integers<uint8_t>(core, out);
    case ElementType::s4:
      return widen_nibbles(static_cast<const uint8_t*>(core), out, 8);
    case ElementType::u4:
      return widen_nibbles(static_cast<const uint8_t*>(core), out, 0);
    default:
      return;
  }
}

// Rows of `kRow` elements; element `k` of four rows, four times each, from one or two vectors with
// those rows.
template <int kRow, int k>
Sixteen four_rows(const Sixteen& x, const Sixteen& y) {
  if constexpr (kRow == 8) {
    return __builtin_shufflevector(x, y, k, k, k, k, 8 + k, 8 + k, 8 + k, 8 + k, 16 + k, 16 + k, 16 + k,
                                   16 + k, 24 + k, 24 + k, 24 + k, 24 + k);
  } else {
    return __builtin_shufflevector(x, x, k, k, k, k, 4 + k, 4 + k, 4 + k, 4 + k, 8 + k, 8 + k, 8 + k, 8 + k,
                                   12 + k, 12 + k, 12 + k, 12 + k);
  }
}

// Eight elements of two rows at distance `stride`.
Sixteen two_rows(const float* from, int stride) {
  if (stride == 8) return load<Sixteen>(from);
  return __builtin_shufflevector(load<Eight>(from), load<Eight>(from + stride), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                 11, 12, 13, 14, 15);
}

template <int kRow, int... k>
void spread_rows(const float* block, int stride, float* staged, std::integer_sequence<int, k...>) {
  for (int half = 0; half < 2; ++half) {
    const float* const first = block + half * 4 * stride;
    const auto x = kRow == 8 ? two_rows(first, stride) : load<Sixteen>(first);
    const auto y = kRow == 8 ? two_rows(first + 2 * stride, stride) : x;
    (store(staged + k * static_cast<int>(kStagedA) + half * 16, four_rows<kRow, k>(x, y)), ...);
  }
}

// Columns 0 2 4 6 1 3 5 7 of k and k + 1, from an 8 x 8 block whose rows are the columns.
void transpose_eight(const float* block, int stride, float* staged) {
  const auto x0 = two_rows(block, stride), x1 = two_rows(block + 2 * stride, stride),
             x2 = two_rows(block + 4 * stride, stride), x3 = two_rows(block + 6 * stride, stride);
  const auto low = [](const Sixteen& x, const Sixteen& y) {
    return __builtin_shufflevector(x, y, 0, 16, 8, 24, 1, 17, 9, 25, 2, 18, 10, 26, 3, 19, 11, 27);
  };
  const auto high = [](const Sixteen& x, const Sixteen& y) {
    return __builtin_shufflevector(x, y, 4, 20, 12, 28, 5, 21, 13, 29, 6, 22, 14, 30, 7, 23, 15, 31);
  };
  const auto first = [](const Sixteen& x, const Sixteen& y) {
    return __builtin_shufflevector(x, y, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
  };
  const auto second = [](const Sixteen& x, const Sixteen& y) {
    return __builtin_shufflevector(x, y, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
  };
  const Sixteen a = low(x0, x1), b = low(x2, x3), c = high(x0, x1), d = high(x2, x3);
  store(staged, first(a, b));
  store(staged + 16, second(a, b));
  store(staged + 32, first(c, d));
  store(staged + 48, second(c, d));
}

void transpose_four(const float* block, float* staged) {
  const auto x = load<Sixteen>(block), y = load<Sixteen>(block + 16);
  store(staged, __builtin_shufflevector(x, y, 0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29));
  store(staged + 16,
        __builtin_shufflevector(x, y, 2, 10, 18, 26, 6, 14, 22, 30, 3, 11, 19, 27, 7, 15, 23, 31));
}

// Long rows are processed 8 elements at a time: visit(first element of the first row, stride of the
// rows, column).
template <class Visit>
void for_blocks(ElementType type, const void* core, Visit&& visit) {
  alignas(64) float wide[8 * 32];
  widen_core(type, core, wide);
  const int elements = static_cast<int>(core_elements(type));
  for (int begin = 0; begin < elements; begin += 8)
    visit(wide + begin, elements, begin);
}

void stage_a(ElementType type, const void* core, float* staged) {
  if (type == ElementType::tf32) {
    alignas(64) float wide[32];
    widen_core(type, core, wide);
    return spread_rows<4>(wide, 4, staged, std::make_integer_sequence<int, 4>{});
  }
  for_blocks(type, core, [&](const float* block, int stride, int k) {
    spread_rows<8>(block, stride, staged + k * static_cast<int>(kStagedA), std::make_integer_sequence<int, 8>{});
  });
}

void stage_b(ElementType type, const void* core, float* staged) {
  if (type == ElementType::tf32) {
    alignas(64) float wide[32];
    widen_core(type, core, wide);
    return transpose_four(wide, staged);
  }
  for_blocks(type, core, [&](const float* block, int stride, int k) {
    transpose_eight(block, stride, staged + k * static_cast<int>(kStagedB));
  });
}

// Repeats four values in every eighth of 32 lanes.
Vector repeat_four(const float* from) {
#if defined(__AVX512F__)
  return _mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(from));
#elif defined(__AVX__)
  return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(from));
#else
  return load<Vector>(from);
#endif
}

Vector one_nan(const Vector& value) {
  constexpr int32_t kNan = 0x7fffffff;
  const Mask ordered = value == value;
  Mask bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits & ordered) | (kNan & ~ordered);
  Vector result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// For some groups, the lanes [first, first + kChunksAtOnce * kWidth) of the 64 in both halves.
template <int kGroups>
void multiply_selected(const float* a, const float* b, size_t count, float* accumulators, int first) {
  Vector sums[kGroups][kChunksAtOnce][2];
  const auto place = [&](int group, int chunk, int parity) {
    const int lane = first + chunk * kWidth;  // half lane / 32
    return accumulators + group * static_cast<int>(kTile) + (lane / 32 * 2 + parity) * 32 + lane % 32;
  };
  for (int group = 0; group < kGroups; ++group) {
    for (int chunk = 0; chunk < kChunksAtOnce; ++chunk) {
      for (int parity = 0; parity < 2; ++parity)
        sums[group][chunk][parity] = load<Vector>(place(group, chunk, parity));
    }
  }
  for (size_t k = 0; k < count; ++k) {
    Vector rows[kChunksAtOnce];
    for (int chunk = 0; chunk < kChunksAtOnce; ++chunk)
      rows[chunk] = load<Vector>(a + k * kStagedA + static_cast<size_t>(first + chunk * kWidth));
    for (int group = 0; group < kGroups; ++group) {
      const float* columns = b + (static_cast<size_t>(group) * count + k) * kStagedB;
      const Vector even = repeat_four(columns), odd = repeat_four(columns + 4);
      for (int chunk = 0; chunk < kChunksAtOnce; ++chunk) {
        sums[group][chunk][0] += rows[chunk] * even;
        sums[group][chunk][1] += rows[chunk] * odd;
      }
    }
  }
  for (int group = 0; group < kGroups; ++group) {
    for (int chunk = 0; chunk < kChunksAtOnce; ++chunk) {
      for (int parity = 0; parity < 2; ++parity)
        store(place(group, chunk, parity), one_nan(sums[group][chunk][parity]));
    }
  }
}

#if !defined(__FMA__)
// Without a fused instruction, a product that is not exact in float needs the library's fma.
void multiply_fused(const float* a, const float* b, size_t count, size_t groups, float* accumulators) {
  for (size_t group = 0; group < groups; ++group) {
    for (size_t lane = 0; lane < 64; ++lane) {
      for (size_t parity = 0; parity < 2; ++parity) {
        float& sum = accumulators[group * kTile + (lane / 32 * 2 + parity) * 32 + lane % 32];
        for (size_t k = 0; k < count; ++k)
          sum = std::fmaf(a[k * kStagedA + lane], b[(group * count + k) * kStagedB + parity * 4 + lane % 4],
                          sum);
        if (sum != sum) sum = float_of(0x7fffffffu);
      }
    }
  }
}
#endif

void multiply(const float* a, const float* b, size_t count, size_t groups, float* accumulators,
              [[maybe_unused]] bool wide_range) {
#if !defined(__FMA__)
  if (wide_range) return multiply_fused(a, b, count, groups, accumulators);
#endif
  size_t group = 0;
  for (; group + kGroupsAtOnce <= groups; group += kGroupsAtOnce) {
    for (int first = 0; first < 64; first += kChunksAtOnce * kWidth)
      multiply_selected<kGroupsAtOnce>(a, b + group * count * kStagedB, count, accumulators + group * kTile,
                                   first);
  }
  for (; group < groups; ++group) {
    for (int first = 0; first < 64; first += kChunksAtOnce * kWidth)
      multiply_selected<1>(a, b + group * count * kStagedB, count, accumulators + group * kTile, first);
  }
}

// Four lanes share one row and have four pairs of columns: their factor of A is the same, those of
// B are prepared.
void multiply_doubles(const double* const* a, const double* const* b, size_t cores, size_t halves, double* sums) {
  constexpr size_t kMostCores = 4, kDepth = 4;
  alignas(64) double columns[kMostCores * kDepth][2][4];
  for (size_t core = 0; core < cores; ++core) {
    for (size_t k = 0; k < kDepth; ++k) {
      for (size_t column = 0; column < 8; ++column)
        columns[core * kDepth + k][column % 2][column / 2] = b[core][column * 4 + k];
    }
  }
  for (size_t half = 0; half < halves; ++half) {
    for (size_t row = 0; row < 8; ++row) {
      double *const even = sums + half * 64 + row * 4, *const odd = even + 32;
      double totals[2][4];
      for (size_t lane = 0; lane < 4; ++lane)
        totals[0][lane] = even[lane], totals[1][lane] = odd[lane];
      for (size_t k = 0; k < cores * kDepth; ++k) {
        const double factor = a[k / kDepth * halves + half][row * 4 + k % kDepth];
        for (size_t parity = 0; parity < 2; ++parity) {
          for (size_t lane = 0; lane < 4; ++lane) {
            totals[parity][lane] = std::fma(factor, columns[k][parity][lane], totals[parity][lane]);
          }
        }
      }
      for (size_t lane = 0; lane < 4; ++lane)
        even[lane] = totals[0][lane], odd[lane] = totals[1][lane];
    }
  }
  for (size_t i = 0; i < halves * 64; ++i) {
    if (sums[i] != sums[i]) sums[i] = __builtin_bit_cast(double, 0xfff8000000000000ull);
  }
}

void transpose(const void* core, void* out) {
  uint16_t in[64], turned[64];
  std::memcpy(in, core, sizeof in);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column)
      turned[column * 8 + row] = in[row * 8 + column];
  }
  std::memcpy(out, turned, sizeof turned);
}

void pack_halves(const float* even, const float* odd, uint32_t* packed) {
  for (int lane = 0; lane < 32; ++lane) {
    packed[lane] = narrow<F16, Round::nearest_even>(even[lane]) | narrow<F16, Round::nearest_even>(odd[lane])
                                                                      << 16;
  }
}

void unpack_halves(const uint32_t* packed, float* even, float* odd) {
  for (int lane = 0; lane < 32; ++lane) {
    even[lane] = RIDGE_LANES::widen<F16>(packed[lane] & 0xffffu);
    odd[lane] = RIDGE_LANES::widen<F16>(packed[lane] >> 16);
  }
}

}  // namespace

extern const TileLoops RIDGE_LOOPS;
const TileLoops RIDGE_LOOPS{stage_a,          stage_b,   widen_core,  multiply,
                            multiply_doubles, transpose, pack_halves, unpack_halves};

}  // namespace ridge::machine

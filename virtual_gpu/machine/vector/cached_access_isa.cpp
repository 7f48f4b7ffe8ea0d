// Compiled once per instruction set; RIDGE_CACHED names the resulting table. Rows are written with
// the same vector width with which arithmetic reads them: a narrower store could not be forwarded
// to the following load.
#include <cstring>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "virtual_gpu/machine/vector/access_cache.h"

namespace ridge::machine {
namespace {

constexpr int kWarp = kLanes;

template <class Cell>
Cell* row_at(std::byte* registers, RowOffset row) {
  return static_cast<Cell*>(__builtin_assume_aligned(registers + row, 64));
}

#if defined(__AVX512F__)
template <class Word>
bool match(const void* row, const AccessCache& cached) {
  constexpr int kWords = 64 / sizeof(Word);
  const Word* addresses = static_cast<const Word*>(row);
  const auto* at = static_cast<const std::byte*>(row);
  const auto* distances = reinterpret_cast<const std::byte*>(cached.distances);
  const Word first = addresses[cached.first];
  __m512i start;
  if constexpr (sizeof(Word) == 8)
    start = _mm512_set1_epi64(static_cast<long long>(first));
  else
    start = _mm512_set1_epi32(static_cast<int>(first));
  const auto off_line = [&](int i) {
    const __m512i address = _mm512_load_si512(at + i * 64);
    const __m512i distance =
        sizeof(Word) == 8 ? _mm512_sub_epi64(address, start) : _mm512_sub_epi32(address, start);
    return _mm512_xor_si512(distance, _mm512_load_si512(distances + i * 64));
  };
  __m512i off = _mm512_setzero_si512();
  if (cached.mask == kAllLanes) {
#pragma GCC unroll 4
    for (int i = 0; i < kWarp / kWords; ++i)
      off = _mm512_or_si512(off, off_line(i));
  } else {
#pragma GCC unroll 4
    for (int i = 0; i < kWarp / kWords; ++i) {
      const uint32_t active = cached.mask >> (i * kWords);
      if constexpr (sizeof(Word) == 8)
        off = _mm512_mask_or_epi64(off, static_cast<__mmask8>(active), off, off_line(i));
      else
        off = _mm512_mask_or_epi32(off, static_cast<__mmask16>(active), off, off_line(i));
    }
  }
  return _mm512_test_epi64_mask(off, off) == 0;
}
#else
template <class Word>
bool match(const void* row, const AccessCache& cached) {
  const Word* addresses = static_cast<const Word*>(__builtin_assume_aligned(row, 64));
  Word distances[kWarp];
  std::memcpy(distances, cached.distances, sizeof distances);
  const Word first = addresses[cached.first];
  Word off = 0;
  if (cached.mask == kAllLanes) {
    for (int i = 0; i < kWarp; ++i)
      off |= static_cast<Word>(addresses[i] - first) ^ distances[i];
  } else {
    for (int i = 0; i < kWarp; ++i) {
      const Word here = static_cast<Word>(addresses[i] - first) ^ distances[i];
      off |= cached.mask >> i & 1 ? here : Word{0};
    }
  }
  return off == 0;
}
#endif

template <class Cell>
void load_row(const AccessCache& cached, uint64_t host, std::byte* registers) {
  Cell* row = row_at<Cell>(registers, cached.row);
  Cell cells[kWarp];
  std::memcpy(cells, reinterpret_cast<const void*>(host), sizeof cells);
  for (int i = 0; i < kWarp; ++i)
    row[i] = cells[i];
}

template <class Cell>
void store_row(const AccessCache& cached, uint64_t host, std::byte* registers) {
  const Cell* row = row_at<Cell>(registers, cached.row);
  Cell cells[kWarp];
  for (int i = 0; i < kWarp; ++i)
    cells[i] = row[i];
  std::memcpy(reinterpret_cast<void*>(host), cells, sizeof cells);
}

#if defined(__AVX512F__)
__m512i from(uint64_t host, int vector) {
  return _mm512_loadu_si512(reinterpret_cast<const std::byte*>(host) + vector * 64);
}
void to(uint64_t host, int vector, __m512i value) {
  _mm512_storeu_si512(reinterpret_cast<std::byte*>(host) + vector * 64, value);
}
// Every second and every fourth word of two vectors, and the inverse.
__m512i even_words() {
  return _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
__m512i odd_words() {
  return _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}
__m512i low_pairs() {
  return _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
__m512i high_pairs() {
  return _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

template <int kCount>
void load_split(const AccessCache& cached, uint64_t host, std::byte* registers) {
  const __m512i even = even_words(), odd = odd_words();
  for (int half = 0; half < 2; ++half) {
    const int at = half * kCount;
    __m512i first[2], second[2];  // for four words: the even words of 16 lanes, and the odd ones
    for (int i = 0; i < kCount / 2; ++i) {
      const __m512i a = from(host, at + 2 * i), b = from(host, at + 2 * i + 1);
      first[i] = _mm512_permutex2var_epi32(a, even, b);
      second[i] = _mm512_permutex2var_epi32(a, odd, b);
    }
    const auto put = [&](int k, __m512i value) {
      _mm512_store_si512(row_at<std::byte>(registers, cached.values[k]) + half * 64, value);
    };
    if constexpr (kCount == 2) {
      put(0, first[0]);
      put(1, second[0]);
    } else {
      put(0, _mm512_permutex2var_epi32(first[0], even, first[1]));
      put(1, _mm512_permutex2var_epi32(second[0], even, second[1]));
      put(2, _mm512_permutex2var_epi32(first[0], odd, first[1]));
      put(3, _mm512_permutex2var_epi32(second[0], odd, second[1]));
    }
  }
}

template <int kCount>
void store_join(const AccessCache& cached, uint64_t host, std::byte* registers) {
  const __m512i low = low_pairs(), high = high_pairs();
  for (int half = 0; half < 2; ++half) {
    const int at = half * kCount;
    const auto get = [&](int k) {
      return _mm512_load_si512(row_at<std::byte>(registers, cached.values[k]) + half * 64);
    };
    if constexpr (kCount == 2) {
      to(host, at, _mm512_permutex2var_epi32(get(0), low, get(1)));
      to(host, at + 1, _mm512_permutex2var_epi32(get(0), high, get(1)));
    } else {
      const __m512i x = get(0), y = get(1), z = get(2), w = get(3);
      for (int i = 0; i < 2; ++i) {
        const __m512i& part = i == 0 ? low : high;
        const __m512i xz = _mm512_permutex2var_epi32(x, part, z), yw = _mm512_permutex2var_epi32(y, part, w);
        to(host, at + 2 * i, _mm512_permutex2var_epi32(xz, low, yw));
        to(host, at + 2 * i + 1, _mm512_permutex2var_epi32(xz, high, yw));
      }
    }
  }
}
#else
template <int kCount>
void load_split(const AccessCache& cached, uint64_t host, std::byte* registers) {
  uint32_t words[kWarp * kCount];
  std::memcpy(words, reinterpret_cast<const void*>(host), sizeof words);
  for (int k = 0; k < kCount; ++k) {
    uint32_t* row = row_at<uint32_t>(registers, cached.values[k]);
    for (int lane = 0; lane < kWarp; ++lane)
      row[lane] = words[lane * kCount + k];
  }
}

template <int kCount>
void store_join(const AccessCache& cached, uint64_t host, std::byte* registers) {
  uint32_t words[kWarp * kCount];
  for (int k = 0; k < kCount; ++k) {
    const uint32_t* row = row_at<uint32_t>(registers, cached.values[k]);
    for (int lane = 0; lane < kWarp; ++lane)
      words[lane * kCount + k] = row[lane];
  }
  std::memcpy(reinterpret_cast<void*>(host), words, sizeof words);
}
#endif

template <class Cell>
void fill(Cell* row, uint64_t host) {
  Cell value;
  std::memcpy(&value, reinterpret_cast<const void*>(host), sizeof value);
  for (int i = 0; i < kWarp; ++i)
    row[i] = value;
}

template <class Cell>
void load_same(const AccessCache& cached, uint64_t host, std::byte* registers) {
  fill(row_at<Cell>(registers, cached.row), host);
  for (uint32_t k = 1; k < cached.count; ++k)
    fill(row_at<Cell>(registers, cached.values[k]), host + k * sizeof(Cell));
}

void load_near(const AccessCache& cached, uint64_t host, std::byte* registers) {
  for (uint32_t k = 0; k < cached.count; ++k) {
    const auto* base = reinterpret_cast<const std::byte*>(host + k * 4);
    uint32_t* row = row_at<uint32_t>(registers, cached.values[k]);
#if defined(__AVX512F__)
    for (int half = 0; half < 2; ++half) {
      const __m512i distance = _mm512_load_si512(cached.near_distances + half * 16);
      _mm512_store_si512(row + half * 16, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(),
                                                                      __mmask16{0xffff}, distance, base, 1));
    }
#else
    uint32_t cells[kWarp];
    for (int i = 0; i < kWarp; ++i)
      std::memcpy(&cells[i], base + cached.near_distances[i], 4);
    for (int i = 0; i < kWarp; ++i)
      row[i] = cells[i];
#endif
  }
}

// Rows of a tile, or a few words that many lanes share: reads the words once and permutes them.
void load_window(const AccessCache& cached, uint64_t host, std::byte* registers) {
  const auto* lowest = reinterpret_cast<const std::byte*>(host - cached.below);
  for (uint32_t k = 0; k < cached.count; ++k) {
    uint32_t* row = row_at<uint32_t>(registers, cached.values[k]);
#if defined(__AVX512F__)
    const __m512i a = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(cached.window), lowest + k * 4);
    const __m512i b =
        _mm512_maskz_loadu_epi32(static_cast<__mmask16>(cached.window >> 16), lowest + k * 4 + 64);
    for (int half = 0; half < kWarp; half += 16) {
      const __m512i word = _mm512_load_si512(cached.near_distances + half);
      _mm512_store_si512(row + half, _mm512_permutex2var_epi32(a, word, b));
    }
#else
    uint32_t cells[kWarp];
    for (int i = 0; i < kWarp; ++i)
      std::memcpy(&cells[i], lowest + k * 4 + cached.near_distances[i] * 4, 4);
    for (int i = 0; i < kWarp; ++i)
      row[i] = cells[i];
#endif
  }
}

}  // namespace

extern const CachedAccessLoops RIDGE_CACHED;
const CachedAccessLoops RIDGE_CACHED{
    match<uint64_t>,     match<uint32_t>,     load_row<uint32_t>, load_row<uint64_t>, store_row<uint32_t>,
    store_row<uint64_t>, load_split<2>,       load_split<4>,      store_join<2>,      store_join<4>,
    load_same<uint32_t>, load_same<uint64_t>, load_near,          load_window};

}  // namespace ridge::machine

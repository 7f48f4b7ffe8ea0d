// Compiled once per instruction set; RIDGE_LOOPS names the resulting table.
#include <bit>
#include <cstring>
#include <type_traits>

#include "virtual_gpu/machine/vector/address_loops.h"

namespace ridge::machine {
namespace {

constexpr int kWarp = 32;

template <class Word>
void summarize_scattered(const Word* addresses, Word shift, uint32_t mask, AddressSummary& s, uint64_t* out) {
  Word lowest = static_cast<Word>(~Word{0}), highest = 0, bits = 0;
  if (mask == 0xffffffffu) {
    for (int lane = 0; lane < kWarp; ++lane) {
      const Word address = static_cast<Word>(addresses[lane] + shift);
      out[lane] = address;
      lowest = lowest < address ? lowest : address;
      highest = highest > address ? highest : address;
      bits |= address;
    }
  } else {
    for (int lane = 0; lane < kWarp; ++lane) {
      const Word address = static_cast<Word>(addresses[lane] + shift);
      const bool active = mask >> lane & 1;
      const Word for_low = active ? address : static_cast<Word>(~Word{0}),
                 for_high = active ? address : Word{0};
      out[lane] = address;
      lowest = lowest < for_low ? lowest : for_low;
      highest = highest > for_high ? highest : for_high;
      bits |= for_high;
    }
  }
  s.shape = AccessShape::scattered;
  s.base = 0;
  s.stride = 0;
  s.lowest = lowest;
  s.highest = highest;
  s.bits = bits;
}

// The addresses are on a line: fills the summary and returns true, unless the line wraps around in
// Word and therefore is not a line in 64 bits.
template <class Word>
bool summarize_line(Word base, Word stride, int first, int last, AddressSummary& s) {
  using Signed = std::make_signed_t<Word>;
  const int64_t step = static_cast<Signed>(stride);
  const uint64_t start = base;
  const uint64_t at_first = start + static_cast<uint64_t>(step) * static_cast<uint64_t>(first);
  const uint64_t at_last = start + static_cast<uint64_t>(step) * static_cast<uint64_t>(last);
  if constexpr (sizeof(Word) < 8) {
    if (at_first > static_cast<Word>(~Word{0}) || at_last > static_cast<Word>(~Word{0})) return false;
  }
  s.shape = step == 0 ? AccessShape::uniform : AccessShape::strided;
  s.base = start;
  s.stride = step;
  s.lowest = step < 0 ? at_last : at_first;
  s.highest = step < 0 ? at_first : at_last;
  s.bits = at_first | static_cast<uint64_t>(step);
  return true;
}

// Word has the width of the address register; arithmetic wraps in it, as in hardware. The line
// through the first two active lanes is exact; the others are compared with it.
template <class Word>
void summarize(const void* row, int64_t offset, uint32_t mask, AddressSummary& s, uint64_t* out) {
  const Word* addresses = static_cast<const Word*>(row);
  const Word shift = static_cast<Word>(offset);
  Word off_line = 0;
  if (mask == 0xffffffffu) {
    const Word stride = static_cast<Word>(addresses[1] - addresses[0]);
    // 31 differences between lanes, as two overlapping groups of 16: complete vectors without
    // lane-wise code.
    constexpr int kHalf = kWarp / 2;
    for (int i = 0; i < kHalf; ++i)
      off_line |= static_cast<Word>((addresses[i + 1] - addresses[i]) ^ stride);
    for (int i = kHalf - 1; i < kWarp - 1; ++i)
      off_line |= static_cast<Word>((addresses[i + 1] - addresses[i]) ^ stride);
    if (off_line == 0 && summarize_line(static_cast<Word>(addresses[0] + shift), stride, 0, kWarp - 1, s))
      return;
    summarize_scattered(addresses, shift, mask, s, out);
    return;
  }
  const int first = std::countr_zero(mask), last = 31 - std::countl_zero(mask);
  const uint32_t rest = mask & (mask - 1);
  Word stride = 0;
  bool divides = true;
  if (rest != 0) {
    using Signed = std::make_signed_t<Word>;
    const int second = std::countr_zero(rest);
    const Word difference = static_cast<Word>(addresses[second] - addresses[first]);
    const Signed gap = static_cast<Signed>(second - first);
    stride = gap == 1 ? difference : static_cast<Word>(static_cast<Signed>(difference) / gap);
    divides = static_cast<Word>(stride * static_cast<Word>(gap)) == difference;
  }
  const Word base = static_cast<Word>(addresses[first] - stride * static_cast<Word>(first));
  Word expected = base;
  for (int lane = 0; lane < kWarp; ++lane) {
    off_line |= mask >> lane & 1 ? static_cast<Word>(addresses[lane] ^ expected) : Word{0};
    expected = static_cast<Word>(expected + stride);
  }
  if (off_line == 0 && divides && summarize_line(static_cast<Word>(base + shift), stride, first, last, s))
    return;
  summarize_scattered(addresses, shift, mask, s, out);
}

// Scattered addresses are rarely random: rows of a tile are adjacent in groups of eight, or eight
// lanes read the same word.
template <class Word>
void gather(const uint64_t* addresses, uint64_t origin, void* row) {
  constexpr int kGroup = 8;
  Word* values = static_cast<Word*>(row);
  for (int begin = 0; begin < kWarp; begin += kGroup) {
    const uint64_t* group = addresses + begin;
    uint64_t not_side_by_side = 0, not_same = 0;
    for (uint64_t i = 0; i < kGroup; ++i) {
      not_side_by_side |= group[i] ^ (group[0] + i * sizeof(Word));
      not_same |= group[i] ^ group[0];
    }
    if (not_side_by_side == 0) {
      std::memcpy(values + begin, reinterpret_cast<const void*>(origin + group[0]), kGroup * sizeof(Word));
    } else if (not_same == 0) {
      Word value;
      std::memcpy(&value, reinterpret_cast<const void*>(origin + group[0]), sizeof value);
      for (int i = 0; i < kGroup; ++i)
        values[begin + i] = value;
    } else {
      Word read[kGroup];
      for (int i = 0; i < kGroup; ++i)
        std::memcpy(&read[i], reinterpret_cast<const void*>(origin + group[i]), sizeof(Word));
      std::memcpy(values + begin, read, sizeof read);
    }
  }
}

template <int kCount>
void split(const void* memory, void* const* rows) {
  uint32_t words[kWarp * kCount];
  std::memcpy(words, memory, sizeof words);
  for (int k = 0; k < kCount; ++k) {
    uint32_t* row = static_cast<uint32_t*>(rows[k]);
    for (int lane = 0; lane < kWarp; ++lane)
      row[lane] = words[lane * kCount + k];
  }
}

template <int kCount>
void join(void* memory, const void* const* rows) {
  uint32_t words[kWarp * kCount];
  for (int k = 0; k < kCount; ++k) {
    const uint32_t* row = static_cast<const uint32_t*>(rows[k]);
    for (int lane = 0; lane < kWarp; ++lane)
      words[lane * kCount + k] = row[lane];
  }
  std::memcpy(memory, words, sizeof words);
}

template <int kToWrite>
void fetch(const uint64_t* addresses, uint32_t mask) {
  if (mask == 0xffffffffu) {
    for (int lane = 0; lane < kWarp; ++lane)
      __builtin_prefetch(reinterpret_cast<const void*>(addresses[lane]), kToWrite);
    return;
  }
  for (; mask != 0; mask &= mask - 1)
    __builtin_prefetch(reinterpret_cast<const void*>(addresses[std::countr_zero(mask)]), kToWrite);
}

}  // namespace

extern const AddressLoops RIDGE_LOOPS;
const AddressLoops RIDGE_LOOPS{summarize<uint64_t>,
                               summarize<uint32_t>,
                               gather<uint32_t>,
                               gather<uint64_t>,
                               split<2>,
                               split<4>,
                               join<2>,
                               join<4>,
                               fetch<0>,
                               fetch<1>};

}  // namespace ridge::machine

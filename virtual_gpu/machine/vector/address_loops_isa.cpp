// Built once for each instruction set, with RIDGE_LOOPS naming the function that hands out the result.
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/vector/address_loops.h"

namespace ridge::machine {
namespace {

constexpr int kWarp = 32;

// Word is how wide the address register is; arithmetic wraps in it, as it does on the hardware.
template <class Word>
AddressSummary summarize(const void* row, int64_t offset, uint32_t mask, uint64_t* out) {
  const Word* addresses = static_cast<const Word*>(row);
  const Word shift = static_cast<Word>(offset);
  AddressSummary s;
  // One exact line through the first two active lanes, then the question whether the others are on it.
  const int first = std::countr_zero(mask);
  const uint32_t rest = mask & (mask - 1);
  Word stride = 0;
  bool divides = true;
  if (rest != 0) {
    const int second = std::countr_zero(rest);
    const Word difference = static_cast<Word>(addresses[second] - addresses[first]);
    const auto gap = static_cast<std::make_signed_t<Word>>(second - first);
    const auto signed_difference = static_cast<std::make_signed_t<Word>>(difference);
    stride = gap == 1 ? difference : static_cast<Word>(signed_difference / gap);
    divides = gap == 1 || static_cast<Word>(stride * static_cast<Word>(gap)) == difference;
  }
  const Word base = static_cast<Word>(addresses[first] - stride * static_cast<Word>(first));
  Word off_line = 0;
  if (mask == 0xffffffffu) {
    Word expected = base;
    for (int lane = 0; lane < kWarp; ++lane) {
      off_line |= static_cast<Word>(addresses[lane] ^ expected);
      expected = static_cast<Word>(expected + stride);
    }
  } else {
    Word expected = base;
    for (int lane = 0; lane < kWarp; ++lane) {
      off_line |= mask >> lane & 1 ? static_cast<Word>(addresses[lane] ^ expected) : Word{0};
      expected = static_cast<Word>(expected + stride);
    }
  }
  if (off_line == 0 && divides) {
    const int last = 31 - std::countl_zero(mask);
    const Word begin = static_cast<Word>(base + shift);
    const Word low = static_cast<Word>(addresses[first] + shift), high = static_cast<Word>(addresses[last] + shift);
    const int64_t signed_stride = static_cast<std::make_signed_t<Word>>(stride);
    s.base = begin;
    s.stride = signed_stride;
    s.shape = stride == 0 ? AccessShape::uniform : AccessShape::strided;
    s.lowest = signed_stride < 0 ? high : low;
    s.highest = signed_stride < 0 ? low : high;
    s.bits = low | static_cast<Word>(stride);
    // A line that wraps around in 32 bits, or whose lane 0 would, is not one in 64.
    const uint64_t exact_low = s.base + static_cast<uint64_t>(signed_stride) * static_cast<uint64_t>(first);
    const uint64_t exact_high = s.base + static_cast<uint64_t>(signed_stride) * static_cast<uint64_t>(last);
    if (exact_low == low && exact_high == high) return s;
  }
  s.shape = AccessShape::scattered;
  uint64_t lowest = ~0ull, highest = 0, bits = 0;
  for (int lane = 0; lane < kWarp; ++lane) {
    const uint64_t address = static_cast<Word>(addresses[lane] + shift);
    const bool active = mask >> lane & 1;
    out[lane] = address;
    const uint64_t for_low = active ? address : ~0ull, for_high = active ? address : 0;
    lowest = lowest < for_low ? lowest : for_low;
    highest = highest > for_high ? highest : for_high;
    bits |= for_high;
  }
  s.lowest = lowest;
  s.highest = highest;
  s.bits = bits;
  return s;
}

template <class Word>
void gather(const uint64_t* addresses, void* row) {
  Word values[kWarp];
  for (int lane = 0; lane < kWarp; ++lane) {
    std::memcpy(&values[lane], reinterpret_cast<const void*>(addresses[lane]), sizeof(Word));
  }
  std::memcpy(row, values, sizeof values);
}

}  // namespace

extern const AddressLoops RIDGE_LOOPS;
const AddressLoops RIDGE_LOOPS{summarize<uint64_t>, summarize<uint32_t>, gather<uint32_t>, gather<uint64_t>};

}  // namespace ridge::machine

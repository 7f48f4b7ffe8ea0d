// What the core may do without telling anybody. Inner loops make the same accesses over and over, and nobody
// learns anything from nearly all of them: a checker has seen that the instruction reads what nobody writes,
// and a counter only adds one. So observers leave with each instruction what its next accesses have to be
// like for that, and the core tells them only of the others.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace ridge::machine {

// Of one instruction. Holds for accesses that repeat the one before (Access::repeats), so that all follows
// from where the first lane points.
struct alignas(64) QuietAccess {
  static constexpr uint32_t kNotLogged = ~0u;
  // Quiet when `from <= first <= from + span`; at first never.
  uint64_t from = ~uint64_t{0}, span = 0;
  // What came to pass quietly: how often, from where to where, and how often by the bits of `first` in
  // `key_mask` (a table with an entry for each, somebody else's).
  uint64_t times = 0, lowest = ~uint64_t{0}, highest = 0;
  uint64_t* counts = nullptr;
  uint32_t key_mask = 0;
  // Loads of shared memory that have to be entered in the block's ReadLog: under what number, and the bytes
  // they span, from the lowest, which lies `below` the first lane's address.
  uint32_t pattern = kNotLogged;
  uint32_t below = 0, bytes = 0;

  void be_told() {
    from = ~uint64_t{0};
    span = 0;
  }
  bool covers(uint64_t first) const { return first - from <= span; }
  void note(uint64_t first) {
    ++counts[first & key_mask];
    ++times;
    lowest = first < lowest ? first : lowest;
    highest = first > highest ? first : highest;
  }
};

// The loads that warps of a block made of its shared memory since somebody last looked, in order: enough to
// tell later, and only if it comes to that, who read what. See observe/shared_shadow.h for who needs it.
struct ReadLog {
  static constexpr uint32_t kLineBytes = 128, kLines = 2048, kMostLines = 56, kNoWarp = ~0u;
  struct Entry {
    uint32_t first = 0;  // where the first lane read
    uint32_t pattern = 0;
  };
  // A bit for each line. still: nobody has written it since the last meeting of all warps; settled: and every
  // byte of it is written; read: somebody has, in the log.
  using LineBits = uint8_t[kLines / 8 + 8];
  LineBits settled{}, read{}, still{};
  // Of lines that are written in part (padding never is), loads all of whose bytes are: see key_of().
  static constexpr uint32_t kSure = 1024;
  uint64_t sure[kSure]{};
  Entry *next = nullptr, *end = nullptr;
  uint32_t warp = kNoWarp;  // whose loads may be entered

  static_assert(std::endian::native == std::endian::little);
  // The bits of kMostLines lines from `line` on.
  static uint64_t bits_from(const LineBits& bits, uint64_t line) {
    uint64_t here;
    std::memcpy(&here, bits + line / 8, sizeof here);
    return here >> line % 8;
  }
  static void set(LineBits& bits, uint64_t line, uint64_t which) {
    uint64_t here;
    std::memcpy(&here, bits + line / 8, sizeof here);
    here |= which << line % 8;
    std::memcpy(bits + line / 8, &here, sizeof here);
  }
  static uint64_t key_of(uint64_t first, uint32_t pattern) {
    return uint64_t{1} << 63 | uint64_t{pattern} << 32 | first;
  }
  uint64_t& sure_of(uint64_t key) { return sure[key * 0x9e3779b97f4a7c15u >> 54]; }
  static_assert(kSure == 1 << (64 - 54));
  // False: it has to be told.
  bool add(const QuietAccess& access, uint64_t first, uint32_t by_warp) {
    const uint64_t begin = first - access.below, line = begin / kLineBytes;
    const uint64_t lines = (begin % kLineBytes + access.bytes - 1) / kLineBytes;
    const uint64_t span = (uint64_t{2} << lines) - 1;
    if (by_warp != warp || next == end) return false;
    if ((~bits_from(settled, line) & span) != 0) {
      const uint64_t key = key_of(first, access.pattern);
      if ((~bits_from(still, line) & span) != 0 || sure_of(key) != key) return false;
    }
    if ((~bits_from(read, line) & span) != 0) set(read, line, span);
    *next++ = {static_cast<uint32_t>(first), access.pattern};
    return true;
  }
};

}  // namespace ridge::machine

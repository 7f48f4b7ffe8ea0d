// Access elision: which accesses the machine executes without calling the observers. Inner loops
// repeat their accesses, and most repetitions carry no information: a checker knows that nothing
// writes these addresses, and a counter only adds one. Observers store with each instruction the
// terms on which its next accesses may be elided; the machine counts elided accesses and reports
// all others.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace ridge::machine {

// The terms of one instruction. They apply to accesses that repeat the previous one
// (Access::repeats), so the address of the first lane determines all others.
struct alignas(64) ElidedAccess {
  static constexpr uint32_t kNotLogged = ~0u;
  // An access is elided when `from <= first <= from + span`; initially none is.
  uint64_t from = ~uint64_t{0}, span = 0;
  // The elided accesses: their number, their lowest and highest `first`, and their number by the
  // bits of `first` in `key_mask` (in a table of the observer with one entry per value).
  uint64_t times = 0, lowest = ~uint64_t{0}, highest = 0;
  uint64_t* counts = nullptr;
  uint32_t key_mask = 0;
  // For elided loads of shared memory that the block's ReadLog must record: the number of their
  // pattern, and their span in bytes from the lowest one, which is `below` bytes below the first
  // lane's address.
  uint32_t pattern = kNotLogged;
  uint32_t below = 0, bytes = 0;

  void stop_eliding() {
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

// The elided loads of a block's shared memory, in order. An observer that subscribes to them
// provides the log and reconstructs later, only if needed, which warp read what, as in
// observe/races/shared/shared_shadow.h.
struct ReadLog {
  static constexpr uint32_t kLineBytes = 128, kLines = 2048, kMaxLines = 56, kNoWarp = ~0u;
  struct Entry {
    uint32_t first = 0;  // address of the first lane
    uint32_t pattern = 0;
  };
  // One bit per line. unmodified: not written since the last barrier of all warps; settled: in addition
  // all its bytes are written; read: the log has a load of it.
  using LineBits = uint8_t[kLines / 8 + 8];
  LineBits settled{}, read{}, unmodified{};
  // Loads in partly written lines (padding is never written) whose bytes are all written: see
  // key_of().
  static constexpr uint32_t kVerified = 1024;
  uint64_t verified[kVerified]{};
  Entry *next = nullptr, *end = nullptr;
  uint32_t warp = kNoWarp;  // the warp whose loads may be recorded

  static_assert(std::endian::native == std::endian::little);
  // The bits of kMaxLines lines from `line` on.
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
  uint64_t& verified_entry(uint64_t key) { return verified[key * 0x9e3779b97f4a7c15u >> 54]; }
  static_assert(kVerified == 1 << (64 - 54));
  // Returns false when the access must be reported to the observers.
  bool add(const ElidedAccess& access, uint64_t first, uint32_t by_warp) {
    const uint64_t begin = first - access.below, line = begin / kLineBytes;
    const uint64_t lines = (begin % kLineBytes + access.bytes - 1) / kLineBytes;
    const uint64_t span = (uint64_t{2} << lines) - 1;
    if (by_warp != warp || next == end) return false;
    if ((~bits_from(settled, line) & span) != 0) {
      const uint64_t key = key_of(first, access.pattern);
      if ((~bits_from(unmodified, line) & span) != 0 || verified_entry(key) != key) return false;
    }
    if ((~bits_from(read, line) & span) != 0) set(read, line, span);
    *next++ = {static_cast<uint32_t>(first), access.pattern};
    return true;
  }
};

}  // namespace ridge::machine

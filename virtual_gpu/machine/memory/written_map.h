// The initialised bytes of an address range: one bit per byte. Pages of the map take no memory
// until bits in them are set. Host threads may set bits of different bytes concurrently.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridge::machine {

class WrittenMap {
 public:
  WrittenMap() = default;
  // Reserves address space; if that fails, the map covers nothing.
  WrittenMap(uint64_t begin, uint64_t bytes);
  ~WrittenMap();
  WrittenMap(const WrittenMap&) = delete;
  WrittenMap& operator=(const WrittenMap&) = delete;

  // True when the map covers [address, address + bytes).
  bool covers(uint64_t address, uint64_t bytes) const {
    return address - begin_ < bytes_ && bytes <= bytes_ - (address - begin_);
  }
  // All of these require covers().
  bool all_written(uint64_t address, uint64_t bytes) const;
  // Bit k is set when byte `address + k` was written; bytes <= 32.
  uint32_t written_bits(uint64_t address, uint32_t bytes) const;
  void set(uint64_t address, uint64_t bytes);
  void clear(uint64_t address, uint64_t bytes);
  // Copies the bits of the source to the destination.
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  // The first uninitialised address in [from, end), or end.
  uint64_t first_unwritten(uint64_t from, uint64_t end) const;

 private:
  uint64_t begin_ = 0, bytes_ = 0;
  uint64_t* words_ = nullptr;
};

}  // namespace ridge::machine

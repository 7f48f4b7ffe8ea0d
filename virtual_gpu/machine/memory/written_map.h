// Which bytes of a range of addresses have been written: one bit per byte. Pages of the map cost nothing
// until bits in them are set. Bits of different bytes may be set by several host threads at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridge::machine {

class WrittenMap {
 public:
  WrittenMap() = default;
  WrittenMap(uint64_t begin, uint64_t bytes);  // reserves address space; without it the map knows nothing
  ~WrittenMap();
  WrittenMap(const WrittenMap&) = delete;
  WrittenMap& operator=(const WrittenMap&) = delete;

  // Whether the map covers [address, address + bytes).
  bool covers(uint64_t address, uint64_t bytes) const {
    return address - begin_ < bytes_ && bytes <= bytes_ - (address - begin_);
  }
  // All of these need covers().
  bool all_written(uint64_t address, uint64_t bytes) const;
  // Bit k is set when byte `address + k` was written; bytes <= 32.
  uint32_t written_bits(uint64_t address, uint32_t bytes) const;
  void set(uint64_t address, uint64_t bytes);
  void clear(uint64_t address, uint64_t bytes);
  // What is known of the source is known of the destination.
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  // The first address in [from, end) that has not been written, or end.
  uint64_t first_unwritten(uint64_t from, uint64_t end) const;

 private:
  uint64_t begin_ = 0, bytes_ = 0;
  uint64_t* words_ = nullptr;
};

}  // namespace ridge::machine

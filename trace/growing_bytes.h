// A growing buffer of bytes that is written in pieces: one column of a block that is being
// recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace ridge::trace {

class GrowingBytes {
 public:
  std::span<const uint8_t> all() const { return {bytes_.data(), used_}; }
  // Returns the position of the next piece, with room for `most` bytes.
  uint8_t* room_for(size_t most) {
    if (bytes_.size() - used_ < most) [[unlikely]]
      grow(most);
    return bytes_.data() + used_;
  }
  void end_at(const uint8_t* end) { used_ = static_cast<size_t>(end - bytes_.data()); }

 private:
  // New capacity is not zero-filled: pages that are never written cost nothing.
  struct Unfilled : std::allocator<uint8_t> {
    template <typename T>
    struct rebind {
      using other = Unfilled;
    };
    void construct(uint8_t* at) { ::new (at) uint8_t; }
    void construct(uint8_t* at, const uint8_t& value) { ::new (at) uint8_t(value); }
  };
  [[gnu::noinline]] void grow(size_t most) { bytes_.resize(2 * bytes_.size() + most); }

  std::vector<uint8_t, Unfilled> bytes_;
  size_t used_ = 0;
};

}  // namespace ridge::trace

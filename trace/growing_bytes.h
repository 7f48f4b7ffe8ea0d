// Bytes that become more, written by the piece: the column of a block that is being recorded.
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
  // Where the next piece goes, of which the writer knows the most that it may take.
  uint8_t* room_for(size_t most) {
    if (bytes_.size() - used_ < most) [[unlikely]]
      grow(most);
    return bytes_.data() + used_;
  }
  void end_at(const uint8_t* end) { used_ = static_cast<size_t>(end - bytes_.data()); }

 private:
  // Room is not filled with zeros: pages that nothing is written to cost nothing.
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

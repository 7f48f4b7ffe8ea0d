// Encodes numbers and texts as bytes of the .rtrace file, and decodes them. Internal to trace.
// Every read is checked against the end: damaged bytes cause an exception, never an invalid access.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "trace/growing_bytes.h"

namespace ridge::trace {

inline constexpr size_t kMostVarintBytes = 10;

// Seven bits per byte, lowest first; the top bit says that more bytes follow. Small numbers take
// one byte. Returns the end.
inline uint8_t* put_varint(uint8_t* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<uint8_t>(value);
  return at;
}
inline void put_varint(std::vector<uint8_t>& out, uint64_t value) {
  std::array<uint8_t, kMostVarintBytes> bytes;
  out.insert(out.end(), bytes.data(), put_varint(bytes.data(), value));
}

// 0, -1, 1, -2, ... become 0, 1, 2, 3, ...: small magnitudes become small numbers.
inline uint64_t zigzag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
inline void put_signed(std::vector<uint8_t>& out, int64_t value) {
  put_varint(out, zigzag(value));
}

inline void put_text(std::vector<uint8_t>& out, std::string_view text) {
  put_varint(out, text.size());
  out.insert(out.end(), text.begin(), text.end());
}

template <typename T>
void put_fixed(std::vector<uint8_t>& out, T value) {
  for (size_t k = 0; k < sizeof(T); ++k)
    out.push_back(static_cast<uint8_t>(value >> (8 * k)));
}

class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes, size_t position = 0)
      : bytes_(bytes), position_(position) {}

  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

  [[gnu::always_inline]] uint64_t varint() {
    // Nearly all numbers take one byte: the longer ones are decoded outside the reader's loop.
    if (position_ < bytes_.size() && bytes_[position_] < 0x80) return bytes_[position_++];
    return long_varint();
  }
  int64_t signed_varint() {
    const uint64_t value = varint();
    return static_cast<int64_t>(value >> 1 ^ (uint64_t{0} - (value & 1)));
  }
  uint32_t varint32() { return static_cast<uint32_t>(at_most(varint(), 0xffffffffu, "a number")); }
  std::string text() {
    const std::span<const uint8_t> letters = bytes(varint());
    return {letters.begin(), letters.end()};
  }
  // A count of items of at least `bytes_each` bytes. It is limited by the remaining bytes, so that
  // a forged count causes no large allocation.
  uint64_t count(uint64_t bytes_each = 1) { return at_most(varint(), remaining() / bytes_each, "a count"); }

  uint8_t byte() {
    if (position_ >= bytes_.size()) ends_too_early();
    return bytes_[position_++];
  }
  template <typename T>
  T fixed() {
    const std::span<const uint8_t> part = bytes(sizeof(T));
    T value = 0;
    for (size_t k = 0; k < sizeof(T); ++k)
      value |= static_cast<T>(static_cast<T>(part[k]) << (8 * k));
    return value;
  }
  std::span<const uint8_t> bytes(uint64_t size) {
    if (size > remaining()) ends_too_early();
    const std::span<const uint8_t> part = bytes_.subspan(position_, size);
    position_ += size;
    return part;
  }
  static uint64_t at_most(uint64_t value, uint64_t limit, const char* what) {
    if (value <= limit) return value;
    too_large(value, limit, what);
  }

 private:
  [[gnu::noinline]] uint64_t long_varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      const uint8_t byte = this->byte();
      // The tenth byte has room for one bit.
      if (shift == 63 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("a number is longer than 64 bits");
  }
  [[noreturn, gnu::noinline]] static void ends_too_early() { throw std::runtime_error("it ends too early"); }
  [[noreturn, gnu::noinline]] static void too_large(uint64_t value, uint64_t limit, const char* what) {
    throw std::runtime_error(std::string(what) + " is " + std::to_string(value) + ", at most " +
                             std::to_string(limit) + " is possible");
  }

  std::span<const uint8_t> bytes_;
  size_t position_;
};

}  // namespace ridge::trace

// The modifiers of a scalar video instruction (vadd, vmad, vset, ...), packed in one word that its
// lane operation reads as operand d. There are too many combinations for a row each.
#pragma once

#include <cstdint>

namespace ridge::machine {

// Which part of a register: all of it, byte 0 to 3, or half 0 or 1.
enum class VideoPart : uint8_t { word, b0, b1, b2, b3, h0, h1 };
enum class VideoCompare : uint8_t { eq, ne, lt, le, gt, ge };
// What happens to the result and c.
enum class VideoFinal : uint8_t { merge, add, min, max };

struct VideoControl {
  VideoPart to = VideoPart::word, a = VideoPart::word, b = VideoPart::word;
  VideoCompare compare = VideoCompare::eq;
  VideoFinal final = VideoFinal::merge;
  uint8_t shift = 0;            // vmad: 0, 7 or 15
  bool to_signed = false, a_signed = false, b_signed = false;
  bool saturates = false;
  bool clamps = false;          // vshl, vshr: the distance; otherwise it wraps
  bool plus_one = false;        // vmad.po
  bool a_negative = false, b_negative = false, c_negative = false;

  constexpr uint32_t packed() const {
    uint32_t word = 0, at = 0;
    const auto put = [&](uint32_t value, uint32_t bits) {
      word |= value << at;
      at += bits;
    };
    put(static_cast<uint32_t>(to), 3), put(static_cast<uint32_t>(a), 3), put(static_cast<uint32_t>(b), 3);
    put(static_cast<uint32_t>(compare), 3), put(static_cast<uint32_t>(final), 2), put(shift, 4);
    for (const bool flag :
         {to_signed, a_signed, b_signed, saturates, clamps, plus_one, a_negative, b_negative, c_negative})
      put(flag, 1);
    return word;
  }
  static constexpr VideoControl of(uint32_t word) {
    const auto take = [&](uint32_t bits) {
      const uint32_t value = word & ((1u << bits) - 1);
      word >>= bits;
      return value;
    };
    VideoControl control;
    control.to = static_cast<VideoPart>(take(3));
    control.a = static_cast<VideoPart>(take(3));
    control.b = static_cast<VideoPart>(take(3));
    control.compare = static_cast<VideoCompare>(take(3));
    control.final = static_cast<VideoFinal>(take(2));
    control.shift = static_cast<uint8_t>(take(4));
    for (bool* flag : {&control.to_signed, &control.a_signed, &control.b_signed, &control.saturates,
                       &control.clamps, &control.plus_one, &control.a_negative, &control.b_negative,
                       &control.c_negative})
      *flag = take(1) != 0;
    return control;
  }
};

}  // namespace ridge::machine

// The source lane of a shuffle: the PTX manual's table for shfl.
#pragma once

#include <cstdint>

#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {

// A lane whose source is outside its segment reads from itself.
struct ShuffleSource {
  int lane;
  bool inside;
};

inline ShuffleSource shuffle_source(WarpOpMode mode, int lane, uint32_t b, uint32_t c) {
  const int distance = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31),
            segment = static_cast<int>(c >> 8 & 31);
  const int last = (lane & segment) | (clamp & ~segment & 31), first = lane & segment;
  ShuffleSource source{lane, false};
  switch (mode) {
    case WarpOpMode::up:
      source = {lane - distance, lane - distance >= last};
      break;
    case WarpOpMode::down:
      source = {lane + distance, lane + distance <= last};
      break;
    case WarpOpMode::butterfly:
      source = {lane ^ distance, (lane ^ distance) <= last};
      break;
    default: {
      const int wanted = first | (distance & ~segment & 31);
      source = {wanted, wanted <= last};
    }
  }
  if (!source.inside) source.lane = lane;
  return source;
}

}  // namespace ridge::machine

// What a tensor copy does, by its plain definition, element by element: the other side of the tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "virtual_gpu/machine/copy_engine/tensor_box.h"

namespace ridge::machine::test {

// Where byte `address` of the unswizzled box lies (PTX ISA, swizzling modes): the 16-byte chunk's number is
// xored with the number of the 128-byte line, as many bits of it as chunks fit in the span.
inline uint32_t swizzled_place(uint32_t address, uint32_t swizzle) {
  const uint32_t line = address / 128, chunk = address / 16 % 8;
  const uint32_t bits = swizzle == 1 ? line % 2 : swizzle == 2 ? line % 4 : swizzle == 3 ? line % 8 : 0;
  // 32 bytes: the bit comes from every line; the pattern of a span repeats after so many lines.
  return line * 128 + (chunk ^ bits) * 16 + address % 16;
}

// Calls visit(shared place, global address or 0 when outside) for every element of a box, first dimension
// fastest.
inline void for_each_element(const TensorBox& box, uint32_t base,
                             const std::function<void(uint32_t, uint64_t)>& visit) {
  const TensorLayout& t = box.layout;
  const uint32_t size = element_bytes(t.element);
  const auto address_of = [&](const int64_t(&c)[5]) -> uint64_t {
    uint64_t address = t.address + static_cast<uint64_t>(c[0]) * size;
    for (uint32_t d = 0; d < t.rank; ++d) {
      if (c[d] < 0 || c[d] >= static_cast<int64_t>(t.dims[d])) return 0;
      if (d > 0) address += static_cast<uint64_t>(c[d]) * t.strides[d - 1];
    }
    return address;
  };
  uint32_t number = 0;
  const auto element = [&](const int64_t(&c)[5]) {
    // With a swizzle each row of the box begins a span of its own.
    const uint32_t in_row = t.mode == TensorMode::tiled ? t.box[0] : t.channels;
    const uint32_t pitch = t.swizzle == 0 ? in_row * size : 16u << t.swizzle;
    visit(swizzled_place(base + number / in_row * pitch + number % in_row * size, t.swizzle), address_of(c));
    ++number;
  };
  if (t.mode == TensorMode::tiled) {
    uint32_t counts[5] = {1, 1, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
    for (uint32_t d = 0; d < t.rank; ++d) {
      steps[d] = d == 0 ? 1 : t.element_strides[d];
      counts[d] = (t.box[d] + steps[d] - 1) / steps[d];
    }
    for (uint32_t e = 0; e < counts[4]; ++e)
      for (uint32_t d = 0; d < counts[3]; ++d)
        for (uint32_t c = 0; c < counts[2]; ++c)
          for (uint32_t b = 0; b < counts[1]; ++b)
            for (uint32_t a = 0; a < counts[0]; ++a) {
              const uint32_t at[5] = {a, b, c, d, e};
              int64_t coordinates[5] = {};
              for (uint32_t i = 0; i < t.rank; ++i)
                coordinates[i] = int64_t{box.start[i]} + int64_t{at[i]} * steps[i];
              element(coordinates);
            }
    return;
  }
  // im2col: the pixels of the bounding box in order of N, D, H, W, those before the start left out.
  const uint32_t spatial = t.rank - 2;
  std::vector<std::vector<int64_t>> pixels;
  std::vector<int64_t> positions[3];
  for (uint32_t i = 0; i < 3; ++i) {
    if (i >= spatial) {
      positions[i] = {0};
      continue;
    }
    for (int64_t p = t.lower[i]; p < static_cast<int64_t>(t.dims[i + 1]) + t.upper[i];
         p += t.element_strides[i + 1])
      positions[i].push_back(p);
  }
  bool started = false;
  for (int64_t n = box.start[t.rank - 1]; pixels.size() < t.pixels; ++n)
    for (const int64_t z : positions[2])
      for (const int64_t y : positions[1])
        for (const int64_t x : positions[0]) {
          const int64_t p[3] = {x, y, z};
          bool is_start = true;
          for (uint32_t i = 0; i < spatial; ++i)
            is_start &= p[i] == box.start[i + 1];
          started |= is_start;
          if (started && pixels.size() < t.pixels) pixels.push_back({x, y, z, n});
        }
  for (const auto& pixel : pixels) {
    for (uint32_t channel = 0; channel < t.channels; ++channel) {
      int64_t coordinates[5] = {box.start[0] + int64_t{channel}};
      for (uint32_t i = 0; i < spatial; ++i)
        coordinates[i + 1] = pixel[i] + box.offsets[i];
      coordinates[t.rank - 1] = pixel[3];
      element(coordinates);
    }
  }
}

// Shared memory after a load, from what it held before.
inline std::vector<uint8_t> loaded(const TensorBox& box, uint32_t base, std::vector<uint8_t> window) {
  const uint32_t size = element_bytes(box.layout.element);
  for_each_element(box, base, [&](uint32_t place, uint64_t address) {
    uint8_t value[8] = {};
    if (address != 0)
      std::memcpy(value, reinterpret_cast<const void*>(address), size);
    else if (box.layout.fill == TensorFill::nan) {
      for (uint32_t i = 0; i < size; ++i)
        value[i] = i % 2 == 0 ? 0xf7 : 0x7f;
    }
    std::memcpy(window.data() + place, value, size);
  });
  return window;
}

}  // namespace ridge::machine::test

// The bytes that one tensor copy moves: a box of a tensor (or an im2col column of pixels), row by
// row.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "virtual_gpu/machine/copy_engine/tensor_map.h"

namespace ridge::machine {

struct TensorBox {
  TensorLayout layout;
  std::array<int32_t, 5> start{};     // coordinates, contiguous dimension first
  std::array<uint32_t, 3> offsets{};  // im2col: of the filter, W first
};

// A row of the box that is contiguous in memory. Its elements outside the tensor precede and follow
// those inside.
struct TensorRow {
  uint64_t global = 0;  // address of the first byte inside the tensor
  uint32_t plain = 0;   // offset of the row in the unswizzled box in shared memory
  uint32_t before = 0, inside = 0, after = 0;  // bytes
};

// The part of the innermost dimension inside the tensor, the same for all rows.
struct InnerSpan {
  uint64_t first = 0;  // byte offset in the tensor's row
  uint32_t before = 0, inside = 0, after = 0;
};
InnerSpan inner_span(const TensorBox& box);

// The address range [begin, end) of all bytes inside the tensor; both 0 when none is inside.
struct TensorExtent {
  uint64_t begin = 0, end = 0;
};
TensorExtent extent(const TensorBox& box);

// Calls visit(TensorRow) for each row, in the order of shared memory.
template <class F>
void for_each_tile_row(const TensorBox& box, F&& visit) {
  const TensorLayout& t = box.layout;
  const InnerSpan inner = inner_span(box);
  const uint32_t row_bytes = t.row_bytes(), pitch = t.row_pitch();
  std::array<uint32_t, 5> steps{1, 1, 1, 1, 1}, at{};
  for (uint32_t i = 1; i < t.rank; ++i)
    steps[i] = t.steps(i);
  uint32_t plain = 0;
  // Dimension 1 is the inner loop; the others count like an odometer.
  for (;;) {
    bool outside = false;
    uint64_t base = t.address + inner.first;
    for (uint32_t i = 2; i < t.rank; ++i) {
      const int64_t c = int64_t{box.start[i]} + int64_t{at[i]} * t.element_strides[i];
      outside |= c < 0 || c >= static_cast<int64_t>(t.dims[i]);
      base += static_cast<uint64_t>(c) * t.strides[i - 1];
    }
    for (uint32_t k = 0; k < steps[1]; ++k, plain += pitch) {
      const int64_t c = t.rank == 1 ? 0 : int64_t{box.start[1]} + int64_t{k} * t.element_strides[1];
      if (outside || inner.inside == 0 || c < 0 || (t.rank > 1 && c >= static_cast<int64_t>(t.dims[1]))) {
        visit(TensorRow{0, plain, row_bytes, 0, 0});
        continue;
      }
      const uint64_t address = base + (t.rank == 1 ? 0 : static_cast<uint64_t>(c) * t.strides[0]);
      visit(TensorRow{address, plain, inner.before, inner.inside, inner.after});
    }
    uint32_t i = 2;
    for (; i < t.rank; ++i) {
      if (++at[i] < steps[i]) break;
      at[i] = 0;
    }
    if (i >= t.rank) return;
  }
}

// im2col: visits the pixels in the box of pixels, W first, then H, D and finally N, beginning at
// the start coordinates. The offsets shift what is read, not the box.
template <class F>
void for_each_pixel_row(const TensorBox& box, F&& visit) {
  const TensorLayout& t = box.layout;
  const InnerSpan inner = inner_span(box);
  const uint32_t row_bytes = t.row_bytes(), spatial = t.rank - 2;
  std::array<int64_t, 5> c{};
  for (uint32_t i = 1; i < t.rank; ++i)
    c[i] = box.start[i];
  for (uint32_t pixel = 0; pixel < t.pixels; ++pixel) {
    bool outside = inner.inside == 0;
    uint64_t address = t.address + inner.first;
    for (uint32_t i = 1; i < t.rank; ++i) {
      const int64_t moved = c[i] + (i <= spatial ? int64_t{box.offsets[i - 1]} : 0);
      outside |= moved < 0 || moved >= static_cast<int64_t>(t.dims[i]);
      address += static_cast<uint64_t>(moved) * t.strides[i - 1];
    }
    const uint32_t plain = pixel * t.row_pitch();
    visit(outside ? TensorRow{0, plain, row_bytes, 0, 0}
                  : TensorRow{address, plain, inner.before, inner.inside, inner.after});
    uint32_t i = 1;
    for (; i <= spatial; ++i) {
      c[i] += t.element_strides[i];
      if (c[i] < static_cast<int64_t>(t.dims[i]) + t.upper[i - 1]) break;
      c[i] = t.lower[i - 1];
    }
    if (i > spatial) ++c[t.rank - 1];
  }
}

template <class F>
void for_each_row(const TensorBox& box, F&& visit) {
  if (box.layout.mode == TensorMode::tiled)
    for_each_tile_row(box, visit);
  else
    for_each_pixel_row(box, visit);
}

// The value of an element outside the tensor, and the conversion of the _FTZ and TFLOAT32 types for
// one inside; both process complete rows.
void fill_outside(const TensorLayout& layout, std::byte* bytes, uint32_t count);
bool converts(const TensorLayout& layout);
void convert(const TensorLayout& layout, std::byte* bytes, uint32_t count);

}  // namespace ridge::machine

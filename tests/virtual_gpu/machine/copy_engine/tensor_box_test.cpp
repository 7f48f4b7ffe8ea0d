// The copy engine's geometry against the plain definition: every rank, element size, swizzle, and position in
// and around the tensor.
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/copy_engine/tensor_reference.h"
#include "virtual_gpu/machine/copy_engine/bulk_bytes.h"

using namespace ridge::machine;
namespace reference = ridge::machine::test;

namespace {

constexpr uint32_t kWindowBytes = 1 << 17;

// A tensor of bytes that tell where they lie.
struct Tensor {
  TensorLayout layout;
  std::vector<uint64_t> storage;

  explicit Tensor(const TensorLayout& wanted) : layout(wanted) {
    uint64_t bytes = layout.dims[0] * element_bytes(layout.element);
    for (uint32_t i = 1; i < layout.rank; ++i)
      bytes += (layout.dims[i] - 1) * layout.strides[i - 1];
    storage.resize(bytes / 8 + 4);
    layout.address = (reinterpret_cast<uint64_t>(storage.data()) + 15) / 16 * 16;
    uint64_t state = 1;
    for (uint64_t& word : storage)
      word = state = state * 6364136223846793005ull + 1442695040888963407ull;
  }
};

TensorLayout packed_tensor(TensorElement element, std::vector<uint64_t> dims, std::vector<uint32_t> box) {
  TensorLayout t;
  t.element = element;
  t.rank = static_cast<uint32_t>(dims.size());
  t.dims.fill(1);
  uint64_t stride = (dims[0] * element_bytes(element) + 15) / 16 * 16;
  for (size_t i = 0; i < dims.size(); ++i) {
    t.dims[i] = dims[i];
    t.box[i] = box[i];
    if (i > 0) {
      t.strides[i - 1] = stride;
      stride *= dims[i];
    }
  }
  return t;
}

void require_load_as_defined(const Tensor& tensor, const TensorBox& box, uint32_t base) {
  std::vector<uint8_t> window(kWindowBytes, 0xcd), wanted = reference::loaded(box, base, window);
  load_box(box, reinterpret_cast<std::byte*>(window.data()), base);
  REQUIRE(window == wanted);
  (void)tensor;
}

// Copies the box out of a window of random bytes, and the same by definition.
void require_store_as_defined(const Tensor& tensor, const TensorBox& box, uint32_t base) {
  std::vector<uint8_t> window(kWindowBytes);
  for (size_t i = 0; i < window.size(); ++i)
    window[i] = static_cast<uint8_t>(i * 2654435761u >> 24);
  const std::vector<uint64_t> before = tensor.storage;
  std::vector<uint64_t>& memory = const_cast<std::vector<uint64_t>&>(tensor.storage);
  const uint32_t size = element_bytes(box.layout.element);
  reference::for_each_element(box, base, [&](uint32_t place, uint64_t address) {
    if (address != 0) std::memcpy(reinterpret_cast<void*>(address), window.data() + place, size);
  });
  const std::vector<uint64_t> wanted = memory;
  std::copy(before.begin(), before.end(), memory.begin());
  std::vector<std::byte> plain(box.layout.shared_bytes());
  unswizzle_box(box, reinterpret_cast<const std::byte*>(window.data()), base, plain.data());
  store_box(box, plain.data());
  REQUIRE(memory == wanted);
  std::copy(before.begin(), before.end(), memory.begin());
}

}  // namespace

TEST_CASE("A tile is loaded and stored as defined, for every rank, element, swizzle and position") {
  struct Shape {
    std::vector<uint64_t> dims;
    std::vector<uint32_t> box;
  };
  const Shape shapes[] = {{{100}, {32}},
                          {{40, 30}, {16, 8}},
                          {{33, 9, 7}, {16, 4, 3}},
                          {{17, 5, 4, 6}, {16, 3, 2, 4}},
                          {{20, 4, 3, 5, 4}, {16, 2, 3, 2, 3}}};
  const TensorElement elements[] = {TensorElement::u8, TensorElement::bf16, TensorElement::f32,
                                    TensorElement::s64};
  int cases = 0;
  for (const Shape& shape : shapes) {
    for (const TensorElement element : elements) {
      Tensor tensor(packed_tensor(element, shape.dims, shape.box));
      for (const uint32_t swizzle : {0u, 1u, 2u, 3u}) {
        tensor.layout.swizzle = swizzle;
        if (swizzle != 0 && tensor.layout.row_bytes() > tensor.layout.swizzle_span()) continue;
        REQUIRE(broken_rule(tensor.layout) == "");
        // Inside, over each edge, wholly outside, in each dimension; and over all edges at once.
        for (uint32_t d = 0; d <= tensor.layout.rank; ++d) {
          for (const int which : {0, 1, 2, 3, 4, 5}) {
            TensorBox box{tensor.layout, {}, {}};
            const auto place = [&](uint32_t i) {
              const auto size = static_cast<int32_t>(shape.dims[i]),
                         side = static_cast<int32_t>(shape.box[i]);
              const int32_t places[] = {1, -1, size - side + 1, -side, size, -1000};
              box.start[i] = places[which];
            };
            for (uint32_t i = 0; i < tensor.layout.rank; ++i) {
              if (i == d || d == tensor.layout.rank) place(i);
            }
            INFO(fmt::format("rank {} {} swizzle {} dimension {} position {}", tensor.layout.rank,
                             element_name(element), swizzle, d, which));
            require_load_as_defined(tensor, box, 1024 + 128 * (d + 1));
            require_store_as_defined(tensor, box, 128 * (d + 2));
            ++cases;
          }
        }
      }
    }
  }
  REQUIRE(cases > 700);
}

TEST_CASE("Element strides skip along a dimension, and the box in shared memory has no gaps") {
  Tensor tensor(packed_tensor(TensorElement::f16, {24, 40, 12}, {16, 15, 6}));
  for (const uint32_t second : {1u, 2u, 3u, 8u}) {
    for (const uint32_t third : {1u, 4u}) {
      tensor.layout.element_strides = {1, second, third, 1, 1};
      TensorBox box{tensor.layout, {4, -5, 7}, {}};
      REQUIRE(tensor.layout.copy_bytes() == 32 * ((15 + second - 1) / second) * ((6 + third - 1) / third));
      require_load_as_defined(tensor, box, 512);
      require_store_as_defined(tensor, box, 512);
    }
  }
}

TEST_CASE("Elements outside the tensor are zeros, or NaN when the map says so") {
  for (const TensorElement element :
       {TensorElement::f16, TensorElement::bf16, TensorElement::f32, TensorElement::f64}) {
    Tensor tensor(packed_tensor(element, {20, 5}, {16, 8}));
    tensor.layout.fill = TensorFill::nan;
    require_load_as_defined(tensor, TensorBox{tensor.layout, {-3, -2}, {}}, 256);
    require_load_as_defined(tensor, TensorBox{tensor.layout, {10, 2}, {}}, 256);
  }
}

TEST_CASE("im2col walks the box of pixels as defined, for every rank, stride and filter offset") {
  struct Shape {
    std::vector<uint64_t> dims;  // C, W, H, D, N
    std::vector<int32_t> lower, upper;
  };
  const Shape shapes[] = {{{24, 13, 3}, {-1}, {-1}},
                          {{24, 9, 7, 2}, {-1, -1}, {-1, -1}},
                          {{16, 9, 7, 3}, {0, -2}, {-2, 0}},
                          {{16, 5, 4, 3, 2}, {-1, 0, -1}, {-1, -1, 0}}};
  for (const Shape& shape : shapes) {
    TensorLayout t = packed_tensor(TensorElement::bf16, shape.dims, {1, 1, 1, 1, 1});
    t.mode = TensorMode::im2col;
    t.channels = 16;
    for (size_t i = 0; i < shape.lower.size(); ++i)
      t.lower[i] = shape.lower[i], t.upper[i] = shape.upper[i];
    Tensor tensor(t);
    for (const uint32_t pixels : {1u, 5u, 64u}) {
      for (const uint32_t stride : {1u, 2u}) {
        for (const uint32_t offset : {0u, 1u, 2u}) {
          for (const int32_t channel : {0, 8, -4}) {
            tensor.layout.pixels = pixels;
            for (uint32_t i = 1; i + 1 < t.rank; ++i)
              tensor.layout.element_strides[i] = stride;
            REQUIRE(broken_rule(tensor.layout) == "");
            TensorBox box{tensor.layout, {}, {offset, offset / 2, 1}};
            box.start[0] = channel;
            for (uint32_t i = 1; i + 1 < t.rank; ++i)
              box.start[i] = shape.lower[i - 1] + static_cast<int32_t>(stride);
            require_load_as_defined(tensor, box, 128);
          }
        }
      }
    }
  }
}

TEST_CASE(
    "The TFLOAT32 types round to 10 bits, to nearest even, as an H200 does; no type flushes subnormals") {
  struct Row {
    uint32_t in, tf32;
  };
  const Row rows[] = {{0x00000001, 0},          {0x807fffff, 0x80800000}, {0x3f800fff, 0x3f800000},
                      {0x3f801000, 0x3f800000}, {0x3f803000, 0x3f804000}, {0x3f801001, 0x3f802000},
                      {0x7f7fffff, 0x7f800000}, {0x7f800000, 0x7f800000}, {0x7fc01234, 0x7fffe000},
                      {0x7f800001, 0x7fffe000}};
  for (const Row& row : rows) {
    INFO(fmt::format("{:#x}", row.in));
    for (const TensorElement element : {TensorElement::tf32, TensorElement::tf32_ftz}) {
      const TensorLayout t = packed_tensor(element, {4}, {4});
      uint32_t word = row.in;
      CHECK(converts(t));
      convert(t, reinterpret_cast<std::byte*>(&word), 4);
      CHECK(word == row.tf32);
    }
  }
  CHECK_FALSE(converts(packed_tensor(TensorElement::f32_ftz, {4}, {4})));
}

TEST_CASE("The extent of a box is that of its elements inside the tensor") {
  Tensor tensor(packed_tensor(TensorElement::f32, {20, 9, 6}, {8, 4, 3}));
  tensor.layout.element_strides = {1, 2, 1, 1, 1};
  for (const int32_t x : {-9, -3, 0, 15, 20}) {
    for (const int32_t y : {-4, -3, 0, 6, 8, 9}) {
      for (const int32_t z : {-3, -1, 0, 5, 6}) {
        const TensorBox box{tensor.layout, {x, y, z}, {}};
        uint64_t begin = ~0ull, end = 0;
        reference::for_each_element(box, 0, [&](uint32_t, uint64_t address) {
          if (address == 0) return;
          begin = std::min(begin, address), end = std::max(end, address + 4);
        });
        const TensorExtent all = extent(box);
        INFO(fmt::format("{} {} {}", x, y, z));
        CHECK(all.end == end);
        if (end != 0) CHECK(all.begin == begin);
      }
    }
  }
}

TEST_CASE("Runs of bytes cover what a copy touches, once") {
  Tensor tensor(packed_tensor(TensorElement::bf16, {70, 20}, {32, 7}));
  for (const uint32_t swizzle : {0u, 2u, 3u}) {
    tensor.layout.swizzle = swizzle;
    const TensorBox box{tensor.layout, {50, 15}, {}};
    Runs global, shared;
    add_global_runs(box, global);
    add_shared_runs(box, 640, shared);
    std::vector<uint8_t> touched(4096), wanted(4096);
    uint64_t inside = 0, covered = 0;
    reference::for_each_element(box, 640, [&](uint32_t place, uint64_t address) {
      wanted[place] = wanted[place + 1] = 1;
      inside += address != 0 ? 2 : 0;
    });
    for (const auto& run : shared)
      for (uint64_t i = 0; i < run.bytes; ++i)
        touched[run.begin + i] = static_cast<uint8_t>(touched[run.begin + i] + 1);
    for (const auto& run : global)
      covered += run.bytes;
    CHECK(touched == wanted);
    CHECK(covered == inside);
  }
}

TEST_CASE("A tensor map keeps its fields, and bytes that are none are found out") {
  TensorLayout t = packed_tensor(TensorElement::bf16, {4096, 1ull << 32, 3}, {64, 256, 2});
  t.address = 0x7f0000000010;
  t.swizzle = 3;
  t.fill = TensorFill::nan;
  t.strides = {8192, (1ull << 40) - 16, 0, 0};
  t.element_strides = {1, 8, 2, 1, 1};
  TensorMap map = packed(t);
  const auto back = unpacked(map);
  REQUIRE(back);
  CHECK(back->address == t.address);
  CHECK(back->dims == t.dims);
  CHECK(back->strides == t.strides);
  CHECK(back->box == t.box);
  CHECK(back->element_strides == t.element_strides);
  CHECK(back->element == t.element);
  CHECK(back->swizzle == 3);
  CHECK(back->fill == TensorFill::nan);
  map.bytes[9] ^= std::byte{1};
  CHECK_FALSE(unpacked(map));
  CHECK_FALSE(unpacked(TensorMap{}));
  CHECK(is_blank(TensorMap{}));
  CHECK_FALSE(is_blank(map));
}

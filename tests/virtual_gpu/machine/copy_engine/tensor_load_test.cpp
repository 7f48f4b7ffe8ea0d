// Copies by a tensor map: tiles of every dimension, swizzled, im2col, stored back, and maps that a kernel
// changes.
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/copy_engine/bulk_run.h"
#include "tests/virtual_gpu/machine/copy_engine/tensor_reference.h"

using namespace ridge::machine;
using namespace ridge::machine::test;

TEST_CASE("A tensor's tile arrives swizzled and with what lies outside filled, for every dimension") {
  struct Row {
    TensorElement element;
    std::vector<uint64_t> dims;
    std::vector<uint32_t> box;
    uint32_t swizzle;
    std::vector<int32_t> start;
  };
  const Row rows[] = {{TensorElement::u32, {100}, {64}, 0, {48}},
                      {TensorElement::bf16, {40, 20}, {32, 16}, 2, {16, 9}},
                      {TensorElement::f16, {72, 20}, {64, 16}, 3, {-8, -3}},
                      {TensorElement::u8, {48, 6, 5}, {16, 4, 3}, 0, {32, -1, 3}},
                      {TensorElement::f32, {8, 4, 3, 5}, {8, 2, 2, 2}, 1, {0, 3, -1, 4}},
                      {TensorElement::s64, {4, 3, 2, 3, 2}, {4, 2, 2, 2, 2}, 0, {2, 1, 1, 2, -1}}};
  for (const Row& row : rows) {
    TensorLayout t;
    t.element = row.element;
    t.rank = static_cast<uint32_t>(row.dims.size());
    t.swizzle = row.swizzle;
    t.dims.fill(1);
    uint64_t bytes = element_bytes(row.element);
    for (size_t i = 0; i < row.dims.size(); ++i) {
      t.dims[i] = row.dims[i];
      t.box[i] = row.box[i];
      bytes *= row.dims[i];
      if (i + 1 < row.dims.size()) t.strides[i] = bytes;
    }
    TensorBox box{t, {}, {}};
    std::string coordinates, set;
    for (size_t i = 0; i < row.start.size(); ++i) {
      box.start[i] = row.start[i];
      set += fmt::format("mov.s32 %r{}, {};\n", 30 + i, row.start[i]);
      coordinates += fmt::format("{}%r{}", i == 0 ? "" : ", ", 30 + i);
    }
    Device device(bulk_kernel(
        kInitBarrier + set + "@%p2 bra $issued;\n" +
        fmt::format("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], {};\n"
                    "cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                    "[%r20], [%rd38, {{{}}}], [%r21];\n",
                    t.copy_bytes(), t.rank, coordinates) +
        "$issued: bar.sync 0;\n" + wait_for(0, 0) + show_shared(1024)));
    box.layout.address = device.upload(counting(bytes / 4, 1000));
    REQUIRE(broken_rule(box.layout) == "");
    const uint64_t out = device.upload(std::vector<uint32_t>(1024));
    const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, out, out, 0u, packed(box.layout));
    INFO(t.rank << " dimensions: " << fault_of(outcome));
    REQUIRE_FALSE(outcome.fault);
    CHECK(device.download<uint8_t>(out, 4096) == loaded(box, 0, std::vector<uint8_t>(4096, 0xff)));
  }
}

TEST_CASE("im2col brings the pixels from the start coordinates on, moved by the offsets") {
  TensorLayout t;
  t.mode = TensorMode::im2col;
  t.element = TensorElement::f16;
  t.rank = 4;
  t.dims = {8, 6, 5, 2, 1};
  t.strides = {16, 96, 480, 0};
  t.lower = {-1, -1, 0};
  t.upper = {-1, -1, 0};
  t.channels = 8;
  t.pixels = 24;
  TensorBox box{t, {0, 3, 1, 0}, {2, 1}};
  Device device(bulk_kernel(kInitBarrier + R"(
    mov.u32 %r30, 0; mov.u32 %r31, 3; mov.u32 %r32, 1; mov.u32 %r33, 0; mov.u16 %h0, 2; mov.u16 %h1, 1;
    @%p2 bra $issued;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 384;
    cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
      [%r20], [%rd38, {%r30, %r31, %r32, %r33}], [%r21], {%h0, %h1};
    $issued: bar.sync 0;)" + wait_for(0, 0) +
                            show_shared(1024)));
  box.layout.address = device.upload(counting(8 * 6 * 5 * 2 / 2, 1));
  REQUIRE(broken_rule(box.layout) == "");
  const uint64_t out = device.upload(std::vector<uint32_t>(1024));
  const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, out, out, 0u, packed(box.layout));
  INFO(fault_of(outcome));
  REQUIRE_FALSE(outcome.fault);
  CHECK(device.download<uint8_t>(out, 4096) == loaded(box, 0, std::vector<uint8_t>(4096, 0xff)));
}

TEST_CASE("im2col begins at a multiple of 16 bytes, in the box of pixels") {
  TensorLayout t;
  t.mode = TensorMode::im2col;
  t.element = TensorElement::f16;
  t.rank = 4;
  t.dims = {16, 6, 5, 2, 1};
  t.strides = {32, 192, 960, 0};
  t.lower = {-1, -2, 0};
  t.upper = {-2, 0, 0};
  t.channels = 8;
  t.pixels = 4;
  struct Row {
    std::array<int, 4> start;  // channel, column, row, image
    const char* words;         // "": no fault
  };
  // As on an H100 (tests/programs/copy_engine/tma_im2col_corners.cu): columns -1 to 3, rows -2 to 4.
  const Row rows[] = {{{8, -1, -2, 0}, ""},
                      {{-8, 3, 4, 2}, ""},
                      {{4, 0, 0, 0}, "first coordinate is 4, which is 8 bytes"},
                      {{0, -2, 0, 0}, "coordinate -2 of dimension 1, which is outside the box of pixels, -1 to 3"},
                      {{0, 4, 0, 0}, "coordinate 4 of dimension 1"},
                      {{0, 0, -3, 0}, "coordinate -3 of dimension 2, which is outside the box of pixels, -2 to 4"},
                      {{0, 0, 5, 0}, "coordinate 5 of dimension 2"},
                      {{0, 4, 0, 2}, "coordinate 4 of dimension 1"}};
  for (const Row& row : rows) {
    Device device(bulk_kernel(
        kInitBarrier +
        fmt::format("mov.s32 %r30, {}; mov.s32 %r31, {}; mov.s32 %r32, {}; mov.s32 %r33, {}; mov.u16 %h0, 0;\n",
                    row.start[0], row.start[1], row.start[2], row.start[3]) +
        "@%p2 bra $issued; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 64;\n"
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes\n"
        "[%r20], [%rd38, {%r30, %r31, %r32, %r33}], [%r21], {%h0, %h0};\n"
        "$issued: bar.sync 0;" +
        wait_for(0, 0)));
    t.address = device.upload(counting(16 * 6 * 5 * 2 / 2));
    REQUIRE(broken_rule(t) == "");
    const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, t.address, t.address, 0u, packed(t));
    INFO(fault_of(outcome));
    REQUIRE(outcome.fault.has_value() == (*row.words != '\0'));
    if (outcome.fault) CHECK_THAT(outcome.fault->message, Catch::Contains(row.words));
  }
}

TEST_CASE("A tile is stored, added and looked up again through the same map") {
  TensorLayout t;
  t.element = TensorElement::u32;
  t.rank = 2;
  t.swizzle = 1;
  t.dims = {20, 10, 1, 1, 1};
  t.strides = {80, 0, 0, 0};
  t.box = {8, 4, 0, 0, 0};
  Device device(bulk_kernel(kInitBarrier + R"(
    mov.u32 %r30, 16; mov.u32 %r31, 8; mov.u32 %r32, 4; mov.u32 %r33, -2;
    shl.b32 %r1, %r10, 2; add.s32 %r1, %r20, %r1; add.s32 %r2, %r10, 100; st.shared.u32 [%r1], %r2;
    fence.proxy.async.shared::cta; bar.sync 0;
    @%p2 ret;
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd38, {%r30, %r31}], [%r20];
    cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd38, {%r32, %r33}], [%r20];
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;)"));
  std::vector<uint32_t> wanted = counting(200);
  TensorBox stored{t, {16, 8}, {}}, added{t, {4, -2}, {}};
  t.address = device.upload(wanted);
  for (TensorBox* box : {&stored, &added}) {
    box->layout.address = t.address;
    for_each_element(*box, 0, [&](uint32_t place, uint64_t address) {
      if (address == 0) return;
      uint32_t& word = wanted[(address - t.address) / 4];
      word = (box == &added ? word : 0) + place / 4 + 100;
    });
  }
  const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, t.address, t.address, 0u, packed(t));
  INFO(fault_of(outcome));
  REQUIRE_FALSE(outcome.fault);
  CHECK(device.download<uint32_t>(t.address, 200) == wanted);
}

TEST_CASE("A kernel changes a map field by field and copies through it") {
  // The map in shared memory starts blank; it becomes 2-D, u32, 20 x 10, and is published in global memory.
  Device device(bulk_kernel(kInitBarrier + R"(
    shl.b32 %r1, %r10, 2; add.s32 %r1, %r20, %r1; st.shared.u32 [%r1+1024], 0; bar.warp.sync 0xffffffff;
    add.s32 %r2, %r20, 1024; mov.u32 %r40, 20; mov.u32 %r41, 10; mov.u32 %r42, 8; mov.u32 %r43, 4; mov.u64 %rd40, 80;
    @%p2 bra $made;
    tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r2], %rd0;
    tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r2], 1;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 0, %r40;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 1, %r41;
    tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r2], 0, %rd40;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 0, %r42;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r2], 1, %r43;
    tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r2], 1, 2;
    tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r2], 2;
    tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r2], 0;
    tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r2], 1;
    tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r2], 0;
    $made: bar.warp.sync 0xffffffff;
    add.s64 %rd3, %rd1, 8192;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd3], [%r2], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%rd3], 128;
    mov.u32 %r30, 4; mov.u32 %r31, 7;
    @%p2 bra $issued;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 64;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd3, {%r30, %r31}], [%r21];
    $issued: bar.sync 0;)" + wait_for(0, 0) +
                            show_shared(32)));
  const uint64_t in = device.upload(counting(1024)), out = device.upload(std::vector<uint32_t>(4096));
  const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, in, out, 0u, TensorMap{});
  INFO(fault_of(outcome));
  REQUIRE_FALSE(outcome.fault);
  TensorLayout t;
  t.element = TensorElement::u32;
  t.rank = 2;
  t.address = in;
  t.swizzle = 1;
  t.dims = {20, 10, 1, 1, 1};
  t.strides = {80, 0, 0, 0};
  t.box = {8, 4, 0, 0, 0};
  t.element_strides = {1, 2, 1, 1, 1};
  CHECK(device.download<uint8_t>(out, 64) == [&] {
    auto bytes = loaded(TensorBox{t, {4, 7}, {}}, 0, std::vector<uint8_t>(64, 0xff));
    return bytes;
  }());
}

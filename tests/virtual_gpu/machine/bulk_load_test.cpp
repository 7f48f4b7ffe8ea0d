// Bulk copies into shared memory: late, counted by their mbarrier, to one block or several of a cluster.
#include <fmt/format.h>

#include <numeric>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/bulk_kernel.h"
#include "tests/virtual_gpu/machine/tensor_reference.h"
#include "tests/virtual_gpu/machine/virtual_device.h"
#include "virtual_gpu/machine/tensor_map.h"

using namespace ridge::machine;
using namespace ridge::machine::test;

namespace {

std::string fault_of(const LaunchOutcome& outcome) {
  return outcome.fault ? outcome.fault->message : "(no fault)";
}

std::vector<uint32_t> counting(size_t count, uint32_t first = 0) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

struct Ran {
  LaunchOutcome outcome;
  std::vector<uint32_t> out;
};

// One block of 32 threads; a: 1024 words that count from 0, b: 1024 words of output.
Ran ran(const std::string& body, const TensorMap& map = {}, Dim3 grid = {1, 1, 1},
        const std::string& directives = {}, uint32_t words = 1024) {
  Device device(bulk_kernel(body, 4096, directives));
  device.config.deadlock_after_s = 0.2;
  const uint64_t in = device.upload(counting(1024)), out = device.upload(std::vector<uint32_t>(words, 7));
  Ran r{device.launch("k", grid, {32, 1, 1}, in, out, 0u, map), {}};
  r.out = device.download<uint32_t>(out, words);
  return r;
}

const std::string kLoad =
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd0+64], 256, [%r21];\n";
const std::string kExpect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 256;\n";

}  // namespace

TEST_CASE("A bulk load is there after the wait for its mbarrier, and not before") {
  struct Row {
    std::string wait;
    uint32_t first;
  };
  const Row rows[] = {{wait_for(0, 0), 16},
                      {"", 0xffffffff},
                      {"bar.sync 0;", 0xffffffff},
                      {wait_for(0, 1), 0xffffffff},  // the phase before: complete from the beginning
                      {"mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r21], 0;", 16}};
  for (const Row& row : rows) {
    const Ran r = ran(kInitBarrier + "@%p2 bra $issued;\n" + kExpect + kLoad + "$issued:\nbar.sync 0;\n" +
                      row.wait + "\n" + show_shared(64));
    INFO(row.wait << "\n" << fault_of(r.outcome));
    REQUIRE_FALSE(r.outcome.fault);
    CHECK(r.out[0] == row.first);
    CHECK(r.out[63] == (row.first == 16 ? 79 : 0xffffffff));
    CHECK(r.out[64] == 7);
  }
}

TEST_CASE("Only the copies of the mbarrier that is asked arrive") {
  const Ran r = ran(kInitBarrier + R"(
    @%p2 bra $issued;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 32;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21+8], 16;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20], [%rd0], 16, [%r21];
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r20+16], [%rd0+16], 16, [%r21+8], %rd1;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20+32], [%rd0+32], 16, [%r21];
    $issued: bar.sync 0;)" +
                    wait_for(0, 0) + show_shared(12));
  INFO(fault_of(r.outcome));
  REQUIRE_FALSE(r.outcome.fault);
  CHECK(r.out[3] == 3);
  CHECK(r.out[4] == 0xffffffff);
  CHECK(r.out[8] == 8);
}

TEST_CASE("A copy arrives, too, when its block has nothing else to do than to look for the data") {
  const Ran r = ran(kInitBarrier + "@%p2 bra $issued;\n" + kExpect + kLoad + R"(
    $issued: bar.sync 0;
    $look: ld.volatile.shared.u32 %r30, [%r20+252]; setp.ne.u32 %p3, %r30, 79; @%p3 bra $look;)" +
                    show_shared(64));
  INFO(fault_of(r.outcome));
  REQUIRE_FALSE(r.outcome.fault);
  CHECK(r.out[0] == 16);
}

TEST_CASE("Bytes that are announced and never come are a deadlock; so is a wait for the wrong count") {
  const Ran r =
      ran(kInitBarrier + "@%p2 bra $issued;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 272;\n" +
          kLoad + "$issued: bar.sync 0;\n" + wait_for(0, 0));
  REQUIRE(r.outcome.fault);
  CHECK(r.outcome.fault->kind == Fault::Kind::deadlock);
}

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

TEST_CASE("A multicast writes to the blocks of its mask, each of which counts it on its own mbarrier") {
  // Rank 1 loads for ranks 0, 1 and 3; rank 2 loads for itself.
  const std::string body = kInitBarrier + R"(
    mov.u32 %r1, %cluster_ctarank; mov.u16 %h0, 11;
    cvt.u64.u32 %rd2, %r1; shl.b64 %rd2, %rd2, 9; add.s64 %rd1, %rd1, %rd2;
    @!%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 256;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    setp.eq.u32 %p3, %r1, 1; setp.eq.u32 %p4, %r1, 2;
    @%p2 bra $issued;
    @%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r20], [%rd0], 256, [%r21], %h0;
    @%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd0+1024], 256, [%r21];
    $issued: bar.sync 0;)" +
                           wait_for(0, 0) + show_shared(64) +
                           "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
  for (const unsigned threads : {1u, 3u}) {
    Device device(bulk_kernel(body, 4096, ".explicitcluster .reqnctapercluster 4, 1, 1"));
    device.config.host_threads = threads;
    device.config.cluster = {4, 1, 1};
    const uint64_t in = device.upload(counting(1024)), out = device.upload(std::vector<uint32_t>(512));
    const auto outcome = device.launch("k", {4, 1, 1}, {32, 1, 1}, in, out, 0u, TensorMap{});
    INFO(fault_of(outcome));
    REQUIRE_FALSE(outcome.fault);
    const auto words = device.download<uint32_t>(out, 512);
    for (uint32_t rank = 0; rank < 4; ++rank) {
      for (uint32_t i = 0; i < 64; ++i)
        REQUIRE(words[rank * 128 + i] == i + (rank == 2 ? 256 : 0));
    }
  }
}

TEST_CASE("A block copies, and adds, from its shared memory to another block's") {
  const std::string body = kInitBarrier + R"(
    mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1;
    shl.b32 %r3, %r10, 2; add.s32 %r3, %r20, %r3; mad.lo.u32 %r4, %r1, 1000, %r10; st.shared.u32 [%r3+512], %r4;
    st.shared.u32 [%r3+128], 5;
    cvt.u64.u32 %rd2, %r1; shl.b64 %rd2, %rd2, 9; add.s64 %rd1, %rd1, %rd2;
    @!%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 256;
    fence.proxy.async.shared::cta;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mapa.shared::cluster.u32 %r5, %r20, %r2; mapa.shared::cluster.u32 %r6, %r21, %r2;
    @%p2 bra $issued;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r5], [%r20+512], 128, [%r6];
    cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r5+128], [%r20+512], 128, [%r6];
    $issued: bar.sync 0;)" +
                           wait_for(0, 0) + show_shared(64) +
                           "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
  Device device(bulk_kernel(body, 4096, ".explicitcluster .reqnctapercluster 2, 1, 1"));
  device.config.cluster = {2, 1, 1};
  const uint64_t out = device.upload(std::vector<uint32_t>(256));
  const auto outcome = device.launch("k", {2, 1, 1}, {32, 1, 1}, out, out, 0u, TensorMap{});
  INFO(fault_of(outcome));
  REQUIRE_FALSE(outcome.fault);
  const auto words = device.download<uint32_t>(out, 256);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    for (uint32_t i = 0; i < 32; ++i) {
      REQUIRE(words[rank * 128 + i] == (1 - rank) * 1000 + i);
      REQUIRE(words[rank * 128 + 32 + i] == (1 - rank) * 1000 + i + 5);
    }
  }
}

TEST_CASE("What is wrong with a bulk load is said when it is issued, with the line and the numbers") {
  TensorLayout t;
  t.element = TensorElement::u32;
  t.rank = 2;
  t.dims = {32, 64, 1, 1, 1};  // twice what the array holds
  t.strides = {128, 0, 0, 0};
  t.box = {16, 16, 0, 0, 0};
  TensorLayout enormous = t;  // 2^33 bytes a box
  enormous.rank = 5;
  enormous.dims = {1, 1, 1, 1, 1};
  enormous.box = {256, 256, 256, 128, 1};
  TensorLayout interleaved = t;
  interleaved.interleave = TensorInterleave::bytes_16;
  interleaved.rank = 3;
  interleaved.box = {8, 4, 4, 0, 0};
  struct Row {
    std::string copy;
    Fault::Kind kind;
    const char* words;
    const TensorLayout* layout = nullptr;
  };
  const std::string tile =
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes ";
  const Row rows[] = {
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20+8], [%rd0], 64, [%r21];",
       Fault::Kind::misaligned, "a destination at offset 0x8 of shared memory"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20], [%rd0+8], 64, [%r21];",
       Fault::Kind::misaligned, "8 bytes past a multiple of 16"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20], [%rd0+4032], 80, [%r21];",
       Fault::Kind::out_of_bounds, "its last 16 bytes would lie past its end"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20+4096], [%rd0], 64, [%r21];",
       Fault::Kind::out_of_bounds, "64 bytes at offset 4096 of shared memory"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20], [%rd0], 64, [%r21+4];",
       Fault::Kind::misaligned, "a mbarrier at offset"},
      {tile + "[%r20+64], [%rd38, {%r0, %r0}], [%r21];", Fault::Kind::misaligned, "not a multiple of 128"},
      {tile + "[%r20], [%rd38, {%r0, %r30}], [%r21];", Fault::Kind::out_of_bounds,
       "reads 64 bytes at byte 4096 of an array of 4096 bytes: the first byte past its end"},
      {tile + "[%r20], [%rd38, {%r31, %r0}], [%r21];", Fault::Kind::misaligned,
       "whose first coordinate is 2, which is 8 bytes"},
      {"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd38, "
       "{%r0, %r0, "
       "%r0}], [%r21];",
       Fault::Kind::invalid_launch, "copies 3 dimensions with a tensor map of rank 2"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r20], [%rd0], "
       "64, "
       "[%r21], %h1;",
       Fault::Kind::out_of_bounds,
       "multicasts to the blocks of mask 0x3, and its cluster has 1 block: none with rank 1"},
      {tile + "[%r20], [%rd31, {%r0, %r0}], [%r21];", Fault::Kind::invalid_launch,
       "in its thread's local memory"},
      {tile + "[%r20], [%rd32, {%r0, %r0}], [%r21];", Fault::Kind::invalid_launch, "in shared memory, where"},
      {"cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd38, "
       "{%r0, %r0, "
       "%r0, %r0, %r0}], [%r21];",
       Fault::Kind::out_of_bounds, "2147483648 bytes at offset 0 of shared memory", &enormous},
      {"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd38, "
       "{%r0, %r0, "
       "%r0}], [%r21];",
       Fault::Kind::unknown_instruction, "copies an interleaved tensor", &interleaved},
  };
  for (const Row& row : rows) {
    Device device(
        bulk_kernel(kInitBarrier + ".local .align 128 .b8 copied[128]; mov.u64 %rd30, copied;\n" +
                    "cvta.local.u64 %rd31, %rd30; cvt.u64.u32 %rd32, %r20; cvta.shared.u64 %rd32, %rd32;\n"
                    "mov.u32 %r30, 24; mov.u32 %r31, 2; mov.u16 %h1, 3;\n@%p2 ret;\n" +
                    row.copy));
    TensorLayout layout = row.layout != nullptr ? *row.layout : t;
    layout.address = device.upload(counting(1024));
    const auto outcome =
        device.launch("k", {1, 1, 1}, {32, 1, 1}, layout.address, layout.address, 0u, packed(layout));
    INFO(row.copy << "\n" << fault_of(outcome));
    REQUIRE(outcome.fault);
    CHECK(outcome.fault->kind == row.kind);
    CHECK_THAT(outcome.fault->message, Catch::Contains(row.words));
  }
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

TEST_CASE("A load that its block never waits for does not reach the blocks after it") {
  // Even blocks issue a load and end; odd ones look at their shared memory.
  const std::string body = kInitBarrier + R"(
    mov.u32 %r1, %ctaid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p3, %r2, 1;
    cvt.u64.u32 %rd2, %r1; shl.b64 %rd2, %rd2, 7; add.s64 %rd1, %rd1, %rd2;
    @%p3 bra $look;
    @%p2 ret;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 256;
    cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20], [%rd0], 256, [%r21];
    ret;
    $look:)" + show_shared(32);
  const Ran r = ran(body, {}, {40, 1, 1}, {}, 40 * 32);
  INFO(fault_of(r.outcome));
  REQUIRE_FALSE(r.outcome.fault);
  for (uint32_t block = 0; block < 40; ++block) {
    for (uint32_t i = 0; i < 32; ++i)
      REQUIRE(r.out[block * 32 + i] == (block % 2 == 1 ? 0xffffffffu : 7u));
  }
}

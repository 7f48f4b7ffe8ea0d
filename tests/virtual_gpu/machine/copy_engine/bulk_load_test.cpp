// Bulk copies into shared memory: late, counted by their mbarrier, to one block or several of a cluster.
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/copy_engine/bulk_run.h"
#include "tests/virtual_gpu/machine/copy_engine/tensor_reference.h"
#include "virtual_gpu/machine/copy_engine/tensor_map.h"

using namespace ridge::machine;
using namespace ridge::machine::test;

namespace {

const std::string kLoad =
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd0+64], 256, [%r21];\n";
const std::string kExpect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r21], 256;\n";

}  // namespace

TEST_CASE("a bulk load has landed after the wait for its mbarrier, and not before") {
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

TEST_CASE("only the copies of the mbarrier that is waited for land") {
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

TEST_CASE("a copy lands when its block only polls for the data") {
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

TEST_CASE("an invalid bulk load is reported at its issue, with the line and the numbers") {
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

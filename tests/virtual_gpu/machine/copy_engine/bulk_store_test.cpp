// cp.async.bulk out of shared memory, its groups, reductions, and what is refused.
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"
#include "virtual_gpu/machine/memory/half_float.h"
#include "virtual_gpu/machine/copy_engine/tensor_map.h"

using namespace ridge::machine;
using ridge::machine::test::Device;

namespace {

// A kernel of one parameter-free body: %rd0 = first parameter, %rd1 = second, %r0 = third, %r10 = thread.
std::string kernel(const std::string& body, const std::string& shared = ".shared .align 128 .b8 s[4096];") {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n" + shared +
         "\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 c) {\n"
         ".reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .pred %p<10>; .reg .b16 %h<10>;\n"
         "ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b]; ld.param.u32 %r0, [c]; mov.u32 %r10, %tid.x;\n" +
         body + "\nret;\n}\n";
}

// s[i] = i * 3 + 1 as words, by the first warp, 256 words.
const std::string kFill = R"(
  mov.u32 %r1, 0;
$fill:
  shl.b32 %r2, %r1, 5; add.s32 %r2, %r2, %r10; mad.lo.s32 %r3, %r2, 3, 1;
  shl.b32 %r4, %r2, 2; mov.u32 %r5, s; add.s32 %r5, %r5, %r4; st.shared.u32 [%r5], %r3;
  add.s32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 8; @%p1 bra $fill;
  bar.warp.sync 0xffffffff; fence.proxy.async.shared::cta;
  mov.u32 %r20, s; setp.ne.u32 %p2, %r10, 0;
)";

std::string fault_of(const LaunchOutcome& outcome) {
  return outcome.fault ? outcome.fault->message : "(no fault)";
}

std::vector<uint32_t> launched(const std::string& body, size_t words = 256) {
  Device device(kernel(body));
  const uint64_t out = device.upload(std::vector<uint32_t>(words, 7));
  const uint64_t seen = device.upload(std::vector<uint32_t>(words, 7));
  const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, out, seen, 0u);
  INFO(fault_of(outcome));
  REQUIRE_FALSE(outcome.fault);
  std::vector<uint32_t> both = device.download<uint32_t>(out, words);
  const auto second = device.download<uint32_t>(seen, words);
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

}  // namespace

TEST_CASE("a bulk store is complete when the block ends, waited for or not") {
  for (const char* wait :
       {"", "cp.async.bulk.commit_group;", "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"}) {
    const auto out = launched(
        kFill + "@%p2 ret; cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r20], 1024;" + wait);
    for (uint32_t i = 0; i < 256; ++i)
      REQUIRE(out[i] == i * 3 + 1);
  }
}

TEST_CASE(
    "A bulk store reads its source at the wait, so reuse without one shows, and writes at the full wait") {
  // Issue, commit, wait (or not), overwrite the source, look at the destination, then wait for all.
  struct Row {
    const char* wait;
    uint32_t stored, seen;  // word 0 in the end; word 0 after the wait
  };
  const Row rows[] = {{"", 99, 7},
                      {"cp.async.bulk.wait_group.read 0;", 1, 7},
                      {"cp.async.bulk.wait_group 0;", 1, 1},
                      {"cp.async.bulk.wait_group.read 1;", 99, 7},
                      {"cp.async.bulk.wait_group 1;", 99, 7}};
  for (const Row& row : rows) {
    const auto out = launched(kFill + R"(
      @%p2 ret;
      cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r20], 1024;
      cp.async.bulk.commit_group;)" +
                              row.wait + R"(
      st.shared.u32 [%r20], 99; ld.global.u32 %r30, [%rd0]; st.global.u32 [%rd1], %r30;
      cp.async.bulk.wait_group 0;)");
    INFO(row.wait);
    CHECK(out[0] == row.stored);
    CHECK(out[256] == row.seen);
    CHECK(out[1] == 4);
  }
}

TEST_CASE("wait_group N leaves the newest N groups, and what was never committed, under way") {
  const auto out = launched(kFill + R"(
    @%p2 ret;
    cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r20], 16; cp.async.bulk.commit_group;
    cp.async.bulk.global.shared::cta.bulk_group [%rd0+16], [%r20+16], 16; cp.async.bulk.commit_group;
    cp.async.bulk.global.shared::cta.bulk_group [%rd0+32], [%r20+32], 16;
    cp.async.bulk.wait_group 1;
    ld.global.u32 %r30, [%rd0]; st.global.u32 [%rd1], %r30;
    ld.global.u32 %r30, [%rd0+16]; st.global.u32 [%rd1+4], %r30;
    cp.async.bulk.wait_group 0;
    ld.global.u32 %r30, [%rd0+16]; st.global.u32 [%rd1+8], %r30;
    ld.global.u32 %r30, [%rd0+32]; st.global.u32 [%rd1+12], %r30;)");
  CHECK(out[256] == 1);
  CHECK(out[257] == 7);
  CHECK(out[258] == 4 * 3 + 1);
  CHECK(out[259] == 7);
  CHECK(out[8] == 8 * 3 + 1);  // at the block's end
}

TEST_CASE("Bulk groups belong to the thread that made them") {
  const auto out = launched(kFill + R"(
    setp.eq.u32 %p3, %r10, 5;
    @%p3 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r20], 16;
    cp.async.bulk.commit_group;
    @!%p3 cp.async.bulk.wait_group 0;
    ld.global.u32 %r30, [%rd0]; @%p3 st.global.u32 [%rd1], %r30;
    @%p3 cp.async.bulk.wait_group 0;
    ld.global.u32 %r30, [%rd0]; @%p3 st.global.u32 [%rd1+4], %r30;)");
  CHECK(out[256] == 7);
  CHECK(out[257] == 1);
}

TEST_CASE("Every reduction of the copy engine does to each element what its name says") {
  struct Row {
    const char* operation;
    uint64_t old, value, wanted;
    uint32_t bytes;
  };
  const auto f32 = [](float f) { return uint64_t{std::bit_cast<uint32_t>(f)}; };
  const auto f64 = [](double f) { return std::bit_cast<uint64_t>(f); };
  const auto f16 = [](float f) { return uint64_t{float_to_half(f)}; };
  const auto bf16 = [](float f) { return uint64_t{float_to_bfloat(f)}; };
  const uint64_t minus = ~0ull - 4;  // -5
  const Row rows[] = {{"add.u32", 0xfffffffe, 5, 3, 4},
                      {"add.s32", 7, minus & 0xffffffff, 2, 4},
                      {"add.u64", 0xfffffffffffffffe, 5, 3, 8},
                      {"add.f32", f32(1.5f), f32(-4), f32(-2.5f), 4},
                      {"add.f64", f64(0.1), f64(0.2), f64(0.1 + 0.2), 8},
                      {"add.noftz.f16", f16(1.5f), f16(0.25f), f16(1.75f), 2},
                      {"add.noftz.f16", 1, 1, 2, 2},  // subnormals
                      {"add.noftz.bf16", bf16(256), bf16(1), bf16(256), 2},
                      {"min.u32", 3, minus & 0xffffffff, 3, 4},
                      {"min.s32", 3, minus & 0xffffffff, minus & 0xffffffff, 4},
                      {"max.u32", 3, minus & 0xffffffff, minus & 0xffffffff, 4},
                      {"max.s32", 3, minus & 0xffffffff, 3, 4},
                      {"min.u64", 3, minus, 3, 8},
                      {"min.s64", 3, minus, minus, 8},
                      {"max.u64", 3, minus, minus, 8},
                      {"max.s64", 3, minus, 3, 8},
                      {"min.f16", f16(-2), f16(1), f16(-2), 2},
                      {"max.f16", f16(-2), f16(1), f16(1), 2},
                      {"max.bf16", bf16(-2), bf16(-1), bf16(-1), 2},
                      {"inc.u32", 4, 5, 5, 4},
                      {"inc.u32", 5, 5, 0, 4},
                      {"dec.u32", 0, 5, 5, 4},
                      {"dec.u32", 4, 5, 3, 4},
                      {"and.b32", 0xf0f0, 0xff00, 0xf000, 4},
                      {"or.b32", 0xf0f0, 0xff00, 0xfff0, 4},
                      {"xor.b32", 0xf0f0, 0xff00, 0x0ff0, 4},
                      {"and.b64", 0xf0f0f0f0f0f0f0f0, 0xffff000000000001, 0xf0f0000000000000, 8},
                      {"xor.b64", 1ull << 63, 1ull << 63 | 1, 1, 8}};
  for (const Row& row : rows) {
    Device device(kernel(R"(
      setp.ne.u32 %p2, %r10, 0; @%p2 ret; mov.u32 %r20, s; mov.u32 %r1, 0;
    $copy:
      cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];
      add.s32 %r3, %r20, %r1; st.shared.u32 [%r3], %r2;
      add.s32 %r1, %r1, 4; setp.lt.u32 %p1, %r1, 64; @%p1 bra $copy;
      fence.proxy.async;
      cp.reduce.async.bulk.global.shared::cta.bulk_group.)" +
                         std::string(row.operation) + R"( [%rd0], [%r20], 64;
      cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;)"));
    std::vector<uint8_t> old(64), value(64), wanted(64);
    for (size_t i = 0; i < 64; i += row.bytes) {
      std::memcpy(&old[i], &row.old, row.bytes);
      std::memcpy(&value[i], &row.value, row.bytes);
      std::memcpy(&wanted[i], &row.wanted, row.bytes);
    }
    const uint64_t out = device.upload(old), in = device.upload(value);
    const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, out, in, 0u);
    INFO(row.operation << ": " << fault_of(outcome));
    REQUIRE_FALSE(outcome.fault);
    CHECK(device.download<uint8_t>(out, 64) == wanted);
  }
}

TEST_CASE("Reductions of many blocks into one array all arrive, for any number of host threads") {
  for (const unsigned threads : {1u, 2u, 5u}) {
    Device device(kernel(kFill + R"(
      @%p2 ret;
      cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r20], 1024;)"));
    device.config.host_threads = threads;
    const uint64_t out = device.upload(std::vector<uint32_t>(256, 0));
    REQUIRE_FALSE(device.launch("k", {100, 1, 1}, {32, 1, 1}, out, out, 0u).fault);
    const auto sums = device.download<uint32_t>(out, 256);
    for (uint32_t i = 0; i < 256; ++i)
      REQUIRE(sums[i] == 100 * (i * 3 + 1));
  }
}

TEST_CASE("a copy that is not supported ends the launch with the reason") {
  struct Row {
    const char* copy;
    Fault::Kind kind;
    std::vector<const char*> words;
  };
  const Row rows[] = {
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r20+8], 64;",
       Fault::Kind::misaligned,
       {"a source at offset 0x8 of shared memory, which is not a multiple of 16"}},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd0+4], [%r20], 64;",
       Fault::Kind::misaligned,
       {"which is 4 bytes past a multiple of 16"}},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r20], 24;",
       Fault::Kind::misaligned,
       {"a bulk copy of 24 bytes"}},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r20+4000], 128;",
       Fault::Kind::out_of_bounds,
       {"128 bytes at offset 4000 of shared memory, of which the block has 4096 bytes"}},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd0+512], [%r20], 1024;",
       Fault::Kind::out_of_bounds,
       {"writes 1024 bytes at byte 512 of an array of 1024 bytes",
        "its last 512 bytes would lie past its end", "cudaMalloc"}},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0+1024], [%r20], 16;",
       Fault::Kind::out_of_bounds,
       {"updates 16 bytes", "the first byte past its end"}},
      {"cp.async.bulk.prefetch.L2.global [%rd0+1024], 16;", Fault::Kind::out_of_bounds, {"reads 16 bytes"}},
      {"prefetch.tensormap [%rd0];", Fault::Kind::invalid_launch, {"takes for a tensor map are none"}},
      {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd0, {%r1, %r2}], [%r20];",
       Fault::Kind::invalid_launch,
       {"takes for a tensor map are none"}},
      {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd0+32, {%r1, %r2}], [%r20];",
       Fault::Kind::misaligned,
       {"which is not a multiple of 64"}},
  };
  for (const Row& row : rows) {
    Device device(kernel(kFill + "@%p2 ret;\n" + row.copy));
    const uint64_t out = device.upload(std::vector<uint32_t>(256, 7));
    const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, out, out, 0u);
    INFO(row.copy << "\n" << fault_of(outcome));
    REQUIRE(outcome.fault);
    CHECK(outcome.fault->kind == row.kind);
    for (const char* words : row.words)
      CHECK_THAT(outcome.fault->message, Catch::Contains(words));
    CHECK_THAT(outcome.fault->message, Catch::Contains("thread (0,0,0) of block (0,0,0)"));
  }
}

TEST_CASE("Policies, priorities, discards and prefetches of the caches are accepted and change nothing") {
  const auto out = launched(kFill + R"(
    createpolicy.fractional.L2::evict_first.b64 %rd5, 0.5;
    createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd6;
    createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd7, [%rd0], 0x100, 0x200;
    createpolicy.cvt.L2.b64 %rd8, 0x10F0000000000000;
    @%p2 ret;
    ld.global.L1::evict_last.L2::cache_hint.L2::128B.v4.u32 {%r21, %r22, %r23, %r24}, [%rd0], %rd5;
    st.global.L1::no_allocate.L2::cache_hint.u32 [%rd1], %r21, %rd6;
    ld.global.nc.L2::evict_first.u32 %r25, [%rd0];
    red.global.add.L2::cache_hint.u32 [%rd1], %r25, %rd7;
    applypriority.global.L2::evict_normal [%rd0], 128;
    discard.global.L2 [%rd0], 128;
    prefetch.global.L2 [%rd0];
    prefetch.global.L2::evict_last [%rd0];
    cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd0], 64, %rd8;
    cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd0], [%r20], 64, %rd8;)");
  CHECK(out[256] == 14);
  CHECK(out[0] == 1);
}

TEST_CASE("Stores that were read and never fully waited for are all done, however many they are") {
  // Each of 600 rounds writes its number to the first word of the source, stores the 4096 bytes to
  // the next place, and waits only until they have been read.
  constexpr uint32_t kRounds = 600;
  const auto out = launched(kFill + R"(
    @%p2 ret;
    mov.u32 %r30, 0; mov.u64 %rd5, %rd0;
  $again:
    st.shared.u32 [%r20], %r30; fence.proxy.async.shared::cta;
    cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r20], 4096;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
    add.s64 %rd5, %rd5, 4096; add.s32 %r30, %r30, 1; setp.lt.u32 %p1, %r30, 600; @%p1 bra $again;)",
                            kRounds * 1024);
  for (uint32_t round = 0; round < kRounds; ++round) {
    REQUIRE(out[round * 1024] == round);
    REQUIRE(out[round * 1024 + 5] == 16);
    REQUIRE(out[round * 1024 + 300] == 0xffffffff);
  }
}

// Atomics in shared memory against an H200: one warp, wavefronts as Nsight Compute counts them
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom, and of loops those of op_ld too, without the kernel's
// other loads; CUDA 13.0), for 13 patterns of addresses.
#include <array>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "warp_model/shared_memory/shared_access.h"

namespace ridge::warp_model {
namespace {

struct AtomicPattern {
  const char* name;
  std::array<int, 32> elements;  // by lane, of the size of the access; -1: inactive
};
const std::vector<AtomicPattern> kAtomicPatterns = {
    {"one word each",
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}},
    {"one word for all",
     {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}},
    {"a word per pair",
     {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15}},
    {"a word per four lanes",
     {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7}},
    {"every second bank",
     {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62}},
    {"32 words of one bank",
     {0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 544, 576, 608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928, 960, 992}},
    {"halves alike",
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
    {"two words of one bank",
     {0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32, 0, 32}},
    {"16 lanes, one word",
     {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}},
    {"four words in each of four banks",
     {0, 32, 64, 96, 0, 32, 64, 96, 1, 33, 65, 97, 1, 33, 65, 97, 2, 34, 66, 98, 2, 34, 66, 98, 3, 35, 67, 99, 3, 35, 67, 99}},
    {"random of 64",
     {28, 2, 49, 27, 4, 36, 8, 48, 49, 19, 52, 34, 3, 48, 20, 17, 26, 25, 10, 29, 23, 48, 53, 38, 24, 19, 52, 12, 62, 35, 41, 47}},
    {"random of 1024",
     {122, 274, 585, 151, 52, 449, 992, 470, 815, 90, 71, 783, 395, 507, 416, 865, 872, 965, 521, 492, 230, 728, 932, 463, 550, 85, 143, 556, 838, 346, 748, 546}},
    {"one lane",
     {-1, -1, -1, -1, -1, -1, -1, 9, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}},
};

using Counted = std::array<uint32_t, 13>;
struct Operation {
  const char* instruction;
  bool uses_result;
  uint32_t bytes;
  Counted wavefronts;
};

constexpr Counted kIncrement = {1, 1, 1, 1, 2, 32, 1, 2, 1, 4, 2, 4, 1},
                  kOneByOne = {1, 32, 2, 4, 2, 32, 2, 32, 16, 8, 3, 4, 1},
                  kSwap = {2, 64, 4, 8, 4, 64, 4, 64, 32, 16, 6, 8, 2},
                  kLoop = {3, 96, 6, 12, 7, 592, 6, 127, 48, 42, 11, 18, 3},
                  kLoop64 = {6, 128, 10, 20, 14, 336, 9, 99, 48, 81, 28, 19, 3},
                  kExchange64 = {2, 32, 4, 8, 4, 32, 2, 32, 16, 16, 6, 5, 1};

const std::vector<Operation> kOperations = {
    {"atom.shared.add.u32 %r9, [%r8], 1", false, 4, kIncrement},
    {"@%p1 atom.shared.add.u32 %r9, [%r8], 1;", false, 4, kIncrement},
    {"red.shared.add.u32 [%r8], 1", false, 4, kIncrement},
    {"atom.shared.add.u32 %r9, [%r8], 1", true, 4, kOneByOne},
    {"atom.shared.add.u32 %r9, [%r8], 5", false, 4, kOneByOne},
    {"atom.shared.add.u32 %r9, [%r8], -1", false, 4, kOneByOne},
    {"atom.shared.add.u32 %r9, [%r8], %r1", false, 4, kOneByOne},
    {"atom.shared.max.u32 %r9, [%r8], 7", false, 4, kOneByOne},
    {"atom.shared.max.u32 %r9, [%r8], 1", false, 4, kOneByOne},
    {"atom.shared.or.b32 %r9, [%r8], 8", false, 4, kOneByOne},
    {"atom.shared.inc.u32 %r9, [%r8], 100", false, 4, kOneByOne},
    {"atom.shared.exch.b32 %r9, [%r8], %r1", true, 4, kOneByOne},
    {"atom.shared.cas.b32 %r9, [%r8], %r1, 5", true, 4, kSwap},
    {"atom.shared.add.f32 %f1, [%r8], 0f3F800000", false, 4, kLoop},
    {"atom.shared.add.f32 %f1, [%r8], %f2", true, 4, kLoop},
    {"atom.shared.add.f64 %fd1, [%r8], 0d3FF0000000000000", false, 8, kLoop64},
    {"atom.shared.add.u64 %rd9, [%r8], 1", false, 8, kLoop64},
    {"atom.shared.exch.b64 %rd9, [%r8], %rd1", true, 8, kExchange64},
};

}  // namespace

TEST_CASE("Shared atomics take the wavefronts that an H200 counts") {
  for (const Operation& operation : kOperations) {
    const SharedAccess access = shared_access_of(operation.instruction, operation.uses_result);
    for (size_t k = 0; k < kAtomicPatterns.size(); ++k) {
      uint64_t addresses[32] = {};
      uint32_t mask = 0;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        if (kAtomicPatterns[k].elements[lane] < 0) continue;
        mask |= 1u << lane;
        addresses[lane] = static_cast<uint64_t>(kAtomicPatterns[k].elements[lane]) * operation.bytes;
      }
      INFO(operation.instruction << ", " << kAtomicPatterns[k].name);
      const SharedCost cost = shared_cost_of(access, addresses, mask, operation.bytes);
      CHECK(cost.wavefronts == operation.wavefronts[k]);
      CHECK(cost.ideal_wavefronts <= cost.wavefronts);
      CHECK(cost.bytes == active_lanes(mask) * operation.bytes);
    }
  }
}

TEST_CASE("An increment is one only where no instruction reads its result") {
  struct Case {
    std::vector<std::string_view> instructions;
    SharedAccess first;
  };
  const Case cases[] = {
      {{"atom.shared.add.u32 %r9, [%r8], 1", "st.global.u32 [%rd1], %r1"}, SharedAccess::atomic_increment},
      {{"atom.shared.add.u32 %r9, [%r8], 1", "st.global.u32 [%rd1], %r9"}, SharedAccess::atomic},
      {{"atom.shared.add.u32 %r9, [%r8], 1", "st.global.u32 [%rd1], %r91"}, SharedAccess::atomic_increment},
      {{"atom.shared.add.u32 _, [%r8], 1", "st.global.u32 [%rd1], %r9"}, SharedAccess::atomic_increment},
      {{"ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1]"}, SharedAccess::load},
      {{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5]"}, SharedAccess::store},
      {{"st.shared.f32 [%r1], %f1"}, SharedAccess::store},
  };
  for (const Case& c : cases) {
    INFO(c.instructions.front());
    CHECK(shared_accesses(c.instructions).front() == c.first);
  }
}

}  // namespace ridge::warp_model

#include "virtual_gpu/observe/copies/product_reads.h"

#include "tests/catch.h"

using ridge::machine::Product;
using ridge::machine::ProductOperand;
using ridge::machine::shared_matrix;
using ridge::machine::SyncPlace;
using ridge::observe::BlockClock;
using ridge::observe::ProductReads;

namespace {

// Offsets in bytes; swizzle as the descriptor has it: 0 none, 1 128 bytes, 2 64, 3 32.
uint64_t descriptor(uint64_t start, uint64_t leading, uint64_t stride, uint64_t swizzle) {
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62;
}

Product product(uint32_t warp, uint64_t ordinal, uint64_t start) {
  Product made;
  made.warp = warp;
  made.ordinal = ordinal;
  made.operands[0] = {descriptor(start, 16, 256, 0), 1, false};  // 128 bytes, in two core matrices 16 apart
  return made;
}

const SyncPlace kGivenBack{SyncPlace::Kind::mbarrier, 0, 64, 0};

}  // namespace

TEST_CASE("an operand's extent holds all its rows, and only the bytes of rows are its own") {
  for (uint64_t swizzle = 0; swizzle < 4; ++swizzle) {
    for (const bool mn_major : {false, true}) {
      for (const uint32_t cores : {1u, 8u, 32u}) {
        for (const uint64_t start : {0u, 32u, 1024u, 5 * 1024u + 64u}) {
          const ProductOperand operand{descriptor(start, 4096, 1024, swizzle), cores, mn_major};
          const auto extent = operand.extent();
          const auto matrix = shared_matrix(operand.descriptor);
          std::vector<bool> own(1 << 18);
          for (uint32_t i = 0; i < cores; ++i) {
            for (uint32_t row = 0; row < 16; ++row) {
              const uint64_t at = matrix.row_address(i, row / 8, row % 8, mn_major);
              REQUIRE(at >= extent.begin);
              REQUIRE(at + 16 <= extent.end);
              std::fill_n(own.begin() + static_cast<std::ptrdiff_t>(at), 16, true);
            }
          }
          for (uint64_t at = 0; at < extent.end + 128; at += 80)
            REQUIRE(operand.byte_in(at, at + 1).has_value() == own[at]);
        }
      }
    }
  }
}

TEST_CASE("a write comes after a product when it comes after the wait of one warp of its warpgroup") {
  BlockClock clock;
  clock.begin(8);
  ProductReads reads;
  uint64_t at = 0;
  for (uint32_t warp = 0; warp < 4; ++warp)
    reads.issued(product(warp, 1, 1024), 0);
  const auto meets = [&](uint32_t warp) { return reads.read_before(1040, 1044, warp, clock, at) != nullptr; };
  REQUIRE(meets(4));
  REQUIRE(meets(0));
  REQUIRE(reads.read_before(2048, 4096, 4, clock, at) == nullptr);
  reads.made(product(2, 1, 1024), clock.stamp(2));
  REQUIRE_FALSE(meets(2));
  REQUIRE(meets(4));
  clock.released(2, kGivenBack);
  clock.acquired(4, 1, kGivenBack);
  REQUIRE_FALSE(meets(4));
  REQUIRE(meets(5));
  // The other warps wait later, and issue the same product late: it is over all the same.
  reads.issued(product(3, 1, 1024), 0);
  reads.made(product(3, 1, 1024), clock.stamp(3));
  REQUIRE_FALSE(meets(4));
  // The next product of the same tile.
  reads.issued(product(0, 2, 1024), 0);
  REQUIRE(meets(4));
}

TEST_CASE("products that are over for all warps are not looked at again, and any number may be known") {
  BlockClock clock;
  clock.begin(4);
  ProductReads reads;
  uint64_t at = 0;
  for (uint64_t turn = 0; turn < 2; ++turn) {
    for (uint64_t i = 0; i < 1000; ++i) {
      for (uint32_t warp = 0; warp < 4; ++warp)
        reads.issued(product(warp, turn * 1000 + i + 1, i * 128), 0);
    }
    for (uint64_t i = 0; i < 1000; ++i) {
      REQUIRE(reads.read_before(i * 128, i * 128 + 16, 1, clock, at) != nullptr);
      for (uint32_t warp = 0; warp < 4; ++warp)
        reads.made(product(warp, turn * 1000 + i + 1, i * 128), clock.stamp(warp));
    }
    REQUIRE_FALSE(reads.empty());
    const SyncPlace barrier{SyncPlace::Kind::block_barrier, 0, 0, turn};
    for (uint32_t warp = 0; warp < 4; ++warp)
      clock.released(warp, barrier);
    for (uint32_t warp = 0; warp < 4; ++warp)
      clock.acquired(warp, ~0u, barrier);
    REQUIRE(reads.read_before(0, 1 << 18, 1, clock, at) == nullptr);
    REQUIRE(reads.empty());
  }
}

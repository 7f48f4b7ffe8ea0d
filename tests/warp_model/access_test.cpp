// What one warp access costs: known cases by hand, then the fast general path against the literal
// definitions.
#include "warp_model/access.h"

#include <random>
#include <vector>

#include "tests/catch.h"
#include "tests/warp_model/plain_access.h"

using namespace ridge::warp_model;
using plain::Addresses;

namespace {

constexpr uint64_t kBase = 0x7f3a00000000;

// Element [row][column] of a tile of floats, `columns` wide, read by lane = row: a column of it.
Addresses column_of_tile(uint32_t columns, uint32_t column) {
  Addresses addresses{};
  for (uint32_t row = 0; row < 32; ++row)
    addresses[row] = (row * columns + column) * 4;
  return addresses;
}

Addresses permuted(const Addresses& from, uint32_t factor) {
  Addresses to{};
  for (uint32_t lane = 0; lane < 32; ++lane)
    to[lane] = from[lane * factor % 32];
  return to;
}

}  // namespace

TEST_CASE("lanes of a global atomic with equal addresses take turns at their sector") {
  struct Row {
    const char* what;
    std::vector<uint32_t> words;  // by lane, from lane 0
    uint32_t sectors;
  };
  const std::vector<Row> rows = {{"one word each", {0, 1, 2, 3, 8, 9}, 2},
                                 {"one word for four lanes", {5, 5, 5, 5}, 4},
                                 {"two words of a sector, most by three lanes", {0, 0, 0, 1, 1}, 3},
                                 {"two words of a sector, equally often", {0, 1, 0, 1}, 2},
                                 {"two sectors", {0, 0, 8, 8, 8, 9}, 5},
                                 {"no lane", {}, 0}};
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Addresses addresses{};
    for (size_t lane = 0; lane < row.words.size(); ++lane)
      addresses[lane] = kBase + row.words[lane] * 4;
    const uint32_t mask = (1u << row.words.size()) - 1;
    GlobalCost expected = global_cost(addresses.data(), mask, 4);
    expected.sectors = row.sectors;
    CHECK(global_atomic_cost(addresses.data(), mask, 4) == expected);
  }
}

TEST_CASE("global loads of floats cost the sectors and tags of their stride") {
  struct Row {
    int64_t stride_floats;
    uint32_t sectors, ideal_sectors, tags;
  };
  const Row row = GENERATE(values<Row>({{0, 1, 1, 1},
                                        {1, 4, 4, 1},
                                        {-1, 4, 4, 1},
                                        {2, 8, 4, 2},
                                        {3, 12, 4, 3},
                                        {4, 16, 4, 4},
                                        {8, 32, 4, 8},
                                        {9, 32, 4, 9},
                                        {32, 32, 4, 32},
                                        {1024, 32, 4, 32}}));
  CAPTURE(row.stride_floats);
  const uint64_t base = row.stride_floats < 0 ? kBase + 31 * 4 : kBase;
  const Addresses addresses = plain::strided(base, row.stride_floats * 4);
  CHECK(global_cost(addresses.data(), kFullMask, 4) ==
        GlobalCost{1, row.sectors, row.ideal_sectors, row.tags, 128});
}

TEST_CASE("a misaligned warp touches one sector and perhaps one line more") {
  const Addresses shifted = plain::strided(kBase + 4, 4);
  CHECK(global_cost(shifted.data(), kFullMask, 4) == GlobalCost{1, 5, 4, 2, 128});
  const Addresses straddling =
      plain::strided(kBase + 31, 64);  // two bytes, one on either side of a sector's end
  CHECK(global_cost(straddling.data(), kFullMask, 2).sectors == 64);
}

TEST_CASE("a column of a tile conflicts 32 ways, and one column of padding or an XOR swizzle frees it") {
  const uint32_t column = GENERATE(0u, 1u, 17u, 31u);
  CHECK(shared_cost(column_of_tile(32, column).data(), kFullMask, 4) == SharedCost{1, 32, 1, 128});
  CHECK(shared_cost(column_of_tile(33, column).data(), kFullMask, 4) == SharedCost{1, 1, 1, 128});
  Addresses swizzled{};
  for (uint32_t row = 0; row < 32; ++row)
    swizzled[row] = (row * 32 + (column ^ row)) * 4;
  CHECK(shared_cost(swizzled.data(), kFullMask, 4).conflicts() == 0);
}

TEST_CASE("lanes that ask for one word share it") {
  const Addresses one_word = plain::strided(400, 0);
  CHECK(shared_cost(one_word.data(), kFullMask, 4).conflicts() == 0);
  Addresses two_words_one_bank{};
  for (uint32_t lane = 0; lane < 32; ++lane)
    two_words_one_bank[lane] = lane % 2 ? 128 : 0;
  CHECK(shared_cost(two_words_one_bank.data(), kFullMask, 4) == SharedCost{1, 2, 1, 128});
  const Addresses bytes = plain::strided(0, 1);  // four lanes per word
  CHECK(shared_cost(bytes.data(), kFullMask, 1) == SharedCost{1, 1, 1, 32});
}

TEST_CASE("wide shared accesses take one wavefront per 128 bytes") {
  struct Row {
    uint32_t bytes;
    int64_t stride;
    uint32_t mask, wavefronts, ideal;
  };
  const Row row = GENERATE(values<Row>({
      {8, 8, kFullMask, 2, 2},      // a row of doubles: two half-warps
      {8, 16, kFullMask, 4, 2},     // every second double: each half conflicts two ways
      {16, 16, kFullMask, 4, 4},    // a row of float4: four quarter-warps
      {16, 32, kFullMask, 8, 4},    //
      {16, 144, kFullMask, 4, 4},   // rows of 128 bytes padded by 16: ldmatrix without conflicts
      {16, 128, kFullMask, 32, 4},  // and without the padding
      {16, 128, 0xff, 8, 1},        // ldmatrix.x1: eight addresses
      {16, 144, 0xffff, 2, 2},      // ldmatrix.x2
      {8, 0, kFullMask, 2, 2},      // one double for all: a broadcast in either half
      {8, 8, 0xffff, 1, 1},         // half a warp, one phase
      {4, 128, 0x1, 1, 1},          // a lone lane
      {4, 128, 0, 0, 0},            // nobody
  }));
  CAPTURE(row.bytes, row.stride, row.mask);
  const Addresses addresses = plain::strided(0, row.stride);
  const SharedCost cost = shared_cost(addresses.data(), row.mask, row.bytes);
  CHECK(cost.wavefronts == row.wavefronts);
  CHECK(cost.ideal_wavefronts == row.ideal);
}

TEST_CASE("an inactive lane's address is ignored") {
  Addresses addresses = plain::strided(kBase, 4);
  for (uint32_t lane = 0; lane < 32; lane += 2)
    addresses[lane] = lane == 0 ? ~0ull : addresses[1];
  CHECK(global_cost(addresses.data(), 0xaaaaaaaa, 4) == plain::global_cost(addresses, 0xaaaaaaaa, 4));
  CHECK(shared_cost(addresses.data(), 0xaaaaaaaa, 4) == plain::shared_cost(addresses, 0xaaaaaaaa, 4));
  CHECK(global_cost(addresses.data(), 0, 4) == GlobalCost{});
}

TEST_CASE("local memory is interleaved, so equal offsets are coalesced and unequal ones are not") {
  const Addresses equal = plain::strided(16, 0), apart = plain::strided(0, 4);
  CHECK(local_cost(equal.data(), kFullMask, 4) == GlobalCost{1, 4, 4, 1, 128});
  CHECK(local_cost(equal.data(), kFullMask, 16) == GlobalCost{1, 16, 16, 4, 512});
  CHECK(local_cost(apart.data(), kFullMask, 4) == GlobalCost{1, 32, 4, 32, 128});
}

TEST_CASE("constant memory delivers one word per wavefront") {
  const Addresses same = plain::strided(64, 0), apart = plain::strided(64, 4);
  CHECK(constant_wavefronts(same.data(), kFullMask, 4) == 1);
  CHECK(constant_wavefronts(same.data(), kFullMask, 16) == 4);
  CHECK(constant_wavefronts(apart.data(), kFullMask, 4) == 32);
  CHECK(constant_wavefronts(apart.data(), 0x7, 4) == 3);
}

TEST_CASE("the fast general path equals the definitions on random warps") {
  std::mt19937_64 random(20240607);
  const uint32_t sizes[] = {1, 2, 4, 8, 16, 32, 3, 12, 64, 128};
  const uint64_t spreads[] = {1, 33, 128, 700, 4096, 65536, 1 << 20, 1ull << 33, 1ull << 40};
  for (int trial = 0; trial < 12000; ++trial) {
    const uint32_t bytes = sizes[random() % std::size(sizes)];
    const uint64_t spread = spreads[random() % std::size(spreads)];
    const bool aligned = random() % 4 != 0;
    const uint32_t mask = trial % 3 == 0 ? kFullMask : static_cast<uint32_t>(random() & random());
    Addresses addresses{};
    for (uint64_t& address : addresses) {
      const uint64_t offset = random() % spread;
      address = aligned ? kBase + offset / bytes * bytes : kBase + offset;
      if (aligned) address = address / bytes * bytes;
    }
    if (trial % 5 == 0) addresses = permuted(addresses, 4);  // repeats
    CAPTURE(trial, bytes, spread, aligned, mask);
    REQUIRE(global_cost(addresses.data(), mask, bytes) == plain::global_cost(addresses, mask, bytes));
    REQUIRE(shared_cost(addresses.data(), mask, bytes) == plain::shared_cost(addresses, mask, bytes));
    REQUIRE(local_cost(addresses.data(), mask, bytes) == plain::local_cost(addresses, mask, bytes));
  }
}

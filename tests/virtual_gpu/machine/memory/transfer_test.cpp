// Vectors that two host threads access at the same time: a word and the flag beside it stay together.
#include "virtual_gpu/machine/memory/transfer.h"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/catch.h"

using namespace ridge::machine;

namespace {

constexpr uint32_t kRowBytes = 32 * 4;

MemoryOp volatile_vector(uint8_t count) {
  MemoryOp op;
  op.count = count;
  op.access_bytes = 4u * count;
  op.ordering = Ordering::relaxed;
  for (uint32_t k = 0; k < count; ++k)
    op.values[k] = k * kRowBytes;
  return op;
}

Addresses side_by_side(const void* memory, uint8_t count) {
  Addresses addresses;
  addresses.summary.shape = AccessShape::strided;
  addresses.summary.base = reinterpret_cast<uint64_t>(memory);
  addresses.summary.stride = 4 * count;
  return addresses;
}

}  // namespace

TEST_CASE("a volatile vector access moves the active lanes' words") {
  for (const uint8_t count : {uint8_t{2}, uint8_t{4}}) {
    const MemoryOp op = volatile_vector(count);
    alignas(16) uint32_t memory[32 * 4] = {}, rows[32 * 4] = {}, back[32 * 4] = {};
    for (uint32_t i = 0; i < 32u * count; ++i)
      rows[i] = 100 + i;
    const Addresses addresses = side_by_side(memory, count);
    constexpr uint32_t kSome = 0x80000011;
    store_transfer(op)(op, addresses, 0, kSome, reinterpret_cast<std::byte*>(rows), address_loops());
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t k = 0; k < count; ++k)
        CHECK(memory[lane * count + k] == (kSome >> lane & 1 ? rows[k * 32 + lane] : 0));
    load_transfer(op)(op, addresses, 0, kSome, reinterpret_cast<std::byte*>(back), address_loops());
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t k = 0; k < count; ++k)
        CHECK(back[k * 32 + lane] == (kSome >> lane & 1 ? rows[k * 32 + lane] : 0));
  }
}

TEST_CASE("who sees the flag of a volatile vector store sees the word beside it") {
  constexpr uint32_t kTimes = 200'000, kMasks[] = {0xffffffff, 0x0f0f0f0f};
  const MemoryOp op = volatile_vector(4);
  alignas(16) static uint32_t memory[32 * 4];
  const Addresses addresses = side_by_side(memory, 4);
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    std::vector<uint32_t> rows(32 * 4);
    for (uint32_t time = 0; !ends; ++time) {
      std::fill(rows.begin(), rows.end(), time);
      store_transfer(op)(op, addresses, 0, kMasks[time % 2], reinterpret_cast<std::byte*>(rows.data()),
                         address_loops());
    }
  });
  std::vector<uint32_t> rows(32 * 4);
  uint32_t torn = 0;
  for (uint32_t time = 0; time < kTimes; ++time) {
    load_transfer(op)(op, addresses, 0, kMasks[time % 2], reinterpret_cast<std::byte*>(rows.data()),
                      address_loops());
    for (uint32_t lane = 0; lane < 4; ++lane)
      torn += (rows[lane] != rows[32 + lane]) + (rows[64 + lane] != rows[96 + lane]);
  }
  ends = true;
  writer.join();
  CHECK(torn == 0);
}

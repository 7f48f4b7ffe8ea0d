#include "virtual_gpu/observe/caches/cache_model.h"

#include <memory>
#include <random>
#include <set>
#include <vector>

#include "tests/catch.h"
#include "tests/virtual_gpu/observe/small_kernel.h"

using namespace ridge;
using namespace ridge::observe;
using machine::Access;
using machine::AccessKind;
using machine::AccessShape;
using machine::AccessSpace;

namespace {

constexpr uint64_t kMegabyte = 1 << 20;

CacheLayout layout_of(uint64_t blocks) {
  CacheLayout layout;
  layout.blocks = blocks;
  layout.warps_per_block = 1;
  layout.multiprocessors = 4;
  layout.blocks_per_sm = 2;
  layout.l1_bytes = 64 * 1024;
  layout.l2_bytes = 2 * kMegabyte;
  return layout;
}

// A warp that reads (or writes) 128 bytes at `address`.
Access access_at(uint64_t block, uint64_t address, AccessKind kind = AccessKind::load) {
  Access access;
  access.space = AccessSpace::global;
  access.kind = kind;
  access.shape = AccessShape::strided;
  access.mask = ~0u;
  access.bytes = 4;
  access.stride = 4;
  access.base = access.first = address;
  access.block = block;
  return access;
}

// Every block reads `lines` lines of its own, `times` times; block b is executed by host thread b % threads.
trace::LaunchReport read_own_lines(const CacheLayout& layout, L2Cache& l2, uint64_t lines, int times,
                                   size_t threads, const std::vector<SpillAccess>& spills = {}) {
  const auto program = small_program();
  CacheModel model(layout, l2);
  std::vector<std::unique_ptr<machine::Observer>> observers;
  for (size_t k = 0; k < threads; ++k)
    observers.push_back(model.make(*program));
  for (uint64_t block = 0; block < layout.blocks; ++block) {
    machine::Observer& observer = *observers[block % threads];
    observer.block_begin(block);
    for (int time = 0; time < times; ++time)
      for (uint64_t line = 0; line < lines; ++line)
        observer.access(access_at(block, (block * lines + line) * 128));
    observer.block_end(block);
  }
  for (auto& observer : observers)
    model.collect(std::move(observer));
  trace::LaunchReport report;
  SpillsBehind behind;
  if (!spills.empty()) behind[machine::sources(*program).front().ptx_line] = spills;
  model.report(report, behind);
  return report;
}

}  // namespace

TEST_CASE("What fits in L1 is missed once and hit ever after; every byte comes from DRAM once") {
  const CacheLayout layout = layout_of(4);
  L2Cache l2(layout.l2_bytes);
  const trace::LaunchReport report = read_own_lines(layout, l2, 256, 4, 1);
  CHECK(report.l1_load_sectors == 4 * 256 * 4 * 4);
  CHECK(report.l1_load_hits == report.l1_load_sectors * 3 / 4);
  CHECK(report.l2_read_sectors == report.l1_load_sectors / 4);
  CHECK(report.dram_read_bytes == 4 * 256 * 128);
  CHECK(report.ideal_bytes == report.dram_read_bytes);
  CHECK(report.cache_sample == 1);
}

TEST_CASE("What is in the memory of other devices goes through L2 and comes from no DRAM") {
  CacheLayout layout = layout_of(4);
  layout.devices = {0, 64 * kMegabyte};
  layout.own = {0, 2 * 256 * 128};  // of blocks 0 and 1; those of 2 and 3 are elsewhere
  L2Cache l2(layout.l2_bytes);
  for (int launch = 0; launch < 2; ++launch) {
    const trace::LaunchReport report = read_own_lines(layout, l2, 256, 4, 1);
    CHECK(report.l1_load_hits == report.l1_load_sectors * 3 / 4);
    CHECK(report.l2_read_sectors == report.l1_load_sectors / 4);
    CHECK(report.l2_read_hits == (launch == 0 ? 0 : report.l2_read_sectors / 2));
    CHECK(report.dram_read_bytes == (launch == 0 ? 2 * 256 * 128 : 0));
    CHECK(report.ideal_bytes == 4 * 256 * 128);
    CHECK(report.peer_ideal_bytes == 2 * 256 * 128);
  }
}

TEST_CASE("What is larger than L1 is read from L2 every time, and from DRAM once") {
  const CacheLayout layout = layout_of(4);
  L2Cache l2(layout.l2_bytes);
  const trace::LaunchReport report = read_own_lines(layout, l2, 1024, 3, 1);
  CHECK(report.l1_load_hits == 0);
  CHECK(report.l2_read_sectors == report.l1_load_sectors);
  CHECK(report.dram_read_bytes == 4 * 1024 * 128);
}

TEST_CASE("The next launch finds in L2 what the last one left there") {
  const CacheLayout layout = layout_of(4);
  L2Cache l2(layout.l2_bytes);
  CHECK(read_own_lines(layout, l2, 64, 1, 1).dram_read_bytes == 4 * 64 * 128);
  CHECK(read_own_lines(layout, l2, 64, 1, 1).dram_read_bytes == 0);
  l2.clear();
  CHECK(read_own_lines(layout, l2, 64, 1, 1).dram_read_bytes == 4 * 64 * 128);
}

TEST_CASE("The counts are the same for any number of host threads, whole launches and parts of them") {
  for (const uint64_t budget : {uint64_t{1} << 20, uint64_t{1} << 16, uint64_t{1} << 14}) {
    CacheLayout layout = layout_of(64);
    layout.budget_words = budget;
    L2Cache alone(layout.l2_bytes), together(layout.l2_bytes);
    const trace::LaunchReport one = read_own_lines(layout, alone, 512, 2, 1);
    const trace::LaunchReport three = read_own_lines(layout, together, 512, 2, 3);
    CHECK(trace::to_json_line(one) == trace::to_json_line(three));
    CHECK((one.cache_sample < 1) == (budget < (uint64_t{1} << 20)));
    // Every block does the same, so a part says what the whole would.
    CHECK(one.l2_read_sectors == 64 * 512 * 2 * 4);
    CHECK(one.dram_read_bytes >= 64 * 512 * 128);
  }
}

TEST_CASE(
    "What was spilled comes from L1 while it is there, and from L2 when other lines have pushed it out") {
  const CacheLayout layout = layout_of(1);
  const auto reloaded = [&](uint64_t lines, const std::vector<SpillAccess>& spills) {
    L2Cache l2(layout.l2_bytes), without(layout.l2_bytes);
    return read_own_lines(layout, l2, lines, 1, 1, spills).l2_read_sectors -
           read_own_lines(layout, without, lines, 1, 1).l2_read_sectors;
  };
  const SpillAccess store{false, 5, 1, 1}, load{true, 5, 1, 1}, late_load{true, 5, 1, 1.0 / 1024};
  CHECK(reloaded(1024, {store, load}) == 0);
  // Stored and read by turns of 600 accesses, more lines than L1 has; the other way round it is still there.
  const double rarely = 1.0 / 600;
  CHECK(reloaded(1200, {{true, 5, 1, rarely}, {false, 5, 1, rarely}}) == 8);
  CHECK(reloaded(1200, {{false, 5, 1, rarely}, {true, 5, 1, rarely}}) == 0);
  CHECK(reloaded(1024, {late_load}) == 4);
  CHECK(reloaded(1024, {{true, 4, 4, 1.0 / 1024}}) == 16);
  CHECK(reloaded(1023, {late_load}) == 0);  // never its turn
}

TEST_CASE("A scattered access requests each of its sectors once, whatever the order of its lanes") {
  struct Case {
    uint64_t distance;  // of possible addresses
    uint64_t places;    // their number
    uint32_t bytes, mask;
  };
  const Case c = GENERATE(Case{4, 1 << 20, 4, ~0u}, Case{4, 64, 4, ~0u}, Case{128, 40, 4, ~0u},
                          Case{4096, 1000, 8, 0x0ff0f00f}, Case{20, 300, 16, ~0u},
                          Case{100, 30, 128, 0x80000001}, Case{64 * 1024, 64, 4, 0x7fffffff});
  CAPTURE(c.distance, c.places, c.bytes);
  std::mt19937 random(7);
  const CacheLayout layout = layout_of(1);
  L2Cache l2(layout.l2_bytes);
  const auto program = small_program();
  CacheModel model(layout, l2);
  auto observer = model.make(*program);
  observer->block_begin(0);
  uint64_t expected = 0;
  for (int time = 0; time < 200; ++time) {
    uint64_t addresses[32];
    std::set<uint64_t> sectors;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      addresses[lane] = random() % c.places * c.distance;
      if (!(c.mask >> lane & 1)) continue;
      for (uint32_t byte = 0; byte < c.bytes; ++byte)
        sectors.insert((addresses[lane] + byte) / 32);
    }
    Access access = access_at(0, addresses[0]);
    access.shape = AccessShape::scattered;
    access.mask = c.mask;
    access.bytes = c.bytes;
    access.addresses = addresses;
    observer->access(access);
    expected += sectors.size();
  }
  observer->block_end(0);
  model.collect(std::move(observer));
  trace::LaunchReport report;
  model.report(report);
  CHECK(report.l1_load_sectors == expected);
}

TEST_CASE("A store that begins in the sector in which the SM's last one ended goes to L2 with it") {
  struct Case {
    const char* what;
    uint64_t first, second;  // addresses of two warps' stores
    uint64_t sent;
  };
  const Case c =
      GENERATE(Case{"rows that do not begin at a sector", 16, 16 + 128, 9}, Case{"rows that do", 0, 128, 8},
               Case{"the same row twice", 0, 0, 8}, Case{"the lower row last", 16 + 128, 16, 10});
  CAPTURE(c.what);
  CacheLayout layout = layout_of(1);
  layout.warps_per_block = 2;
  L2Cache l2(layout.l2_bytes);
  const auto program = small_program();
  CacheModel model(layout, l2);
  auto observer = model.make(*program);
  observer->block_begin(0);
  for (const uint32_t warp : {0u, 1u}) {
    Access access = access_at(0, warp == 0 ? c.first : c.second, AccessKind::store);
    access.warp = warp;
    observer->access(access);
  }
  observer->block_end(0);
  model.collect(std::move(observer));
  trace::LaunchReport report;
  model.report(report);
  CHECK(report.l2_write_sectors == c.sent);
}

TEST_CASE("A store goes to L2 with the same warp's last access if that stored to the same sectors") {
  struct Step {
    uint64_t address;
    AccessKind kind;
    uint32_t instruction;
  };
  struct Case {
    const char* what;
    std::vector<Step> steps;
    uint64_t sent;
  };
  constexpr AccessKind kStore = AccessKind::store, kLoad = AccessKind::load;
  const Case c = GENERATE(Case{"the same row", {{0, kStore, 0}, {0, kStore, 1}, {0, kStore, 2}}, 4},
                          Case{"most of it", {{0, kStore, 0}, {32, kStore, 1}}, 5},
                          Case{"a quarter of it", {{0, kStore, 0}, {4192, kStore, 1}, {4096, kStore, 2}}, 12},
                          Case{"the same instruction again", {{0, kStore, 1}, {0, kStore, 1}}, 8},
                          Case{"a load in between", {{0, kStore, 0}, {4096, kLoad, 1}, {0, kStore, 2}}, 8},
                          Case{"another row in between", {{0, kStore, 0}, {4096, kStore, 1}, {0, kStore, 2}}, 12});
  CAPTURE(c.what);
  const CacheLayout layout = layout_of(1);
  L2Cache l2(layout.l2_bytes);
  const auto program = small_program();
  CacheModel model(layout, l2);
  auto observer = model.make(*program);
  observer->block_begin(0);
  for (const Step& step : c.steps) {
    Access access = access_at(0, step.address, step.kind);
    access.instruction = step.instruction;
    observer->access(access);
  }
  observer->block_end(0);
  model.collect(std::move(observer));
  trace::LaunchReport report;
  model.report(report);
  CHECK(report.l2_write_sectors == c.sent);
}

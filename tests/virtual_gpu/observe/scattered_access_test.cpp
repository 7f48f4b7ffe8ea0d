// Loads whose lanes are anywhere, on the real machine with all checks and counters: values, written
// bytes, counts and faults are those that the test computes lane by lane.
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/catch.h"
#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/observe/caches/cache_model.h"
#include "virtual_gpu/observe/checks.h"
#include "virtual_gpu/observe/counts/launch_counter.h"
#include "virtual_gpu/observe/observer_list.h"
#include "virtual_gpu/observe/uninitialised/undefined_results.h"
#include "virtual_gpu/ptx/parser.h"

using namespace ridge;

namespace {

// out[i] = is_chosen[i] ? *from[i] : -1
constexpr std::string_view kPick = R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry pick(.param .u64 from, .param .u64 is_chosen, .param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [is_chosen];
  ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, 256, %r1;
  mul.wide.u32 %rd4, %r3, 8;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u64 %rd6, [%rd5];
  mul.wide.u32 %rd7, %r3, 4;
  add.s64 %rd8, %rd2, %rd7;
  ld.global.u32 %r4, [%rd8];
  setp.ne.u32 %p1, %r4, 0;
  mov.u32 %r5, -1;
  @%p1 ld.global.u32 %r5, [%rd6];
  add.s64 %rd9, %rd3, %rd7;
  st.global.u32 [%rd9], %r5;
  ret;
}
)";

constexpr uint32_t kPickBlocks = 64, kPickThreads = 256, kPickLanes = kPickBlocks * kPickThreads;

struct Arrays {
  explicit Arrays(uint32_t seed) : random(seed), memory(uint64_t{256} << 20) {
    // Two of the size at which pages become large; others next to each other, of odd sizes.
    for (const uint64_t bytes : {6u << 20, 5u << 20, 4096u, 68u, 4u, 132u, 1028u})
      begins.push_back(make(bytes, true));
    const uint64_t freed = make(1 << 20, true);
    REQUIRE(memory.release(freed));
    bad = {freed, freed + 4096,         begins[3] + 68, begins[4] + 4, begins[4] - 4,
           0,     begins[0] + (6 << 20)};
    holes = make(8192, false);
    for (uint64_t word = 0; word < 2048; ++word) {
      if (random() % 2 == 0) memory.record_written(holes + word * 4, 4);
    }
    from = make(kPickLanes * 8, true);
    is_chosen = make(kPickLanes * 4, true);
    out = make(kPickLanes * 4, false);
  }
  uint64_t make(uint64_t bytes, bool is_written) {
    const uint64_t begin = *memory.allocate(bytes, "array");
    for (uint64_t at = begin; at < begin + bytes; at += 4) {
      const auto value = static_cast<uint32_t>(random() >> 1);
      std::memcpy(reinterpret_cast<void*>(at), &value, 4);
    }
    if (is_written) memory.record_written(begin, bytes);
    sizes[begin] = bytes;
    return begin;
  }
  uint64_t word_of(uint64_t begin) { return begin + random() % (sizes[begin] / 4) * 4; }

  // The addresses of a warp in one of the ways that the machine treats apart.
  void fill_warp(uint32_t warp) {
    const uint32_t way = random() % 6;
    const uint32_t hole = random() % 2 == 0 ? 31 : random() % 32;
    const uint64_t one = begins[random() % begins.size()], line = word_of(begins[0]) & ~255ull;
    for (uint32_t lane = warp * 32; lane < warp * 32 + 32; ++lane) {
      uint64_t address = word_of(begins[0]);
      if (way == 1) address = word_of(one);                                        // one array
      if (way == 2) address = word_of(begins[random() % begins.size()]);           // all arrays
      if (way == 3) address = word_of(lane % 32 == hole ? holes : begins[1]);      // one unwritten
      if (way == 4) address = line + random() % 64 * 4;                            // few lines
      if (way == 5) address = word_of(random() % 8 == 0 ? begins[1] : begins[0]);  // two arrays
      const bool chosen = warp % 2 == 0 || random() % 8 != 0;
      if (!chosen) address = bad[random() % bad.size()] + random() % 2;
      set(lane, address, chosen);
    }
  }
  void set(uint32_t lane, uint64_t address, bool chosen) {
    const uint32_t flag = chosen;
    std::memcpy(reinterpret_cast<void*>(from + lane * 8), &address, 8);
    std::memcpy(reinterpret_cast<void*>(is_chosen + lane * 4), &flag, 4);
  }
  template <class T>
  static T at(uint64_t address) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
  }
  uint64_t address(uint32_t lane) const { return at<uint64_t>(from + lane * 8); }
  bool chosen(uint32_t lane) const { return at<uint32_t>(is_chosen + lane * 4) != 0; }

  std::mt19937 random;
  machine::DeviceMemory memory;
  std::map<uint64_t, uint64_t> sizes;
  std::vector<uint64_t> begins, bad;
  uint64_t holes = 0, from = 0, is_chosen = 0, out = 0;
};

struct Launched {
  machine::LaunchOutcome outcome;
  trace::LaunchReport report, caches;
};

Launched launch(Arrays& arrays, unsigned host_threads) {
  machine::LaunchConfig config;
  config.grid = {kPickBlocks, 1, 1};
  config.block = {kPickThreads, 1, 1};
  config.host_threads = host_threads;
  for (const uint64_t parameter : {arrays.from, arrays.is_chosen, arrays.out}) {
    config.parameters.resize(config.parameters.size() + 8);
    std::memcpy(config.parameters.data() + config.parameters.size() - 8, &parameter, 8);
  }
  auto module = std::make_shared<const ptx::Module>(ptx::parse(kPick));
  const auto program = machine::decode(
      std::move(module), "pick",
      [](const std::string& name) -> uint64_t { throw std::runtime_error("no symbol " + name); });
  observe::UndefinedResults results;
  observe::Checks checks({true, true, &results}, config, arrays.memory);
  observe::LaunchCounter counter;
  observe::CacheLayout layout;
  layout.blocks = kPickBlocks;
  layout.warps_per_block = kPickThreads / 32;
  layout.multiprocessors = 4;
  layout.l1_bytes = layout.l2_bytes = 1 << 20;
  observe::L2Cache l2(layout.l2_bytes);
  observe::CacheModel caches(layout, l2);
  observe::ObserverList observers;
  observers.add(checks);
  observers.add(counter);
  observers.add(caches);
  Launched launched{machine::run(*program, config, arrays.memory, &observers), {}, {}};
  launched.report = counter.report();
  caches.report(launched.caches);
  return launched;
}

}  // namespace

TEST_CASE("scattered lanes read their own words, chosen or not, in whatever arrays") {
  const auto seed = static_cast<uint32_t>(GENERATE(range(1, 7)));
  const unsigned host_threads = GENERATE(1u, 3u);
  CAPTURE(seed, host_threads);
  Arrays arrays(seed);
  for (uint32_t warp = 0; warp < kPickLanes / 32; ++warp)
    arrays.fill_warp(warp);
  const Launched launched = launch(arrays, host_threads);
  REQUIRE_FALSE(launched.outcome.fault.has_value());
  uint64_t lanes = 0, sectors = 0, lines = 0, undefined = 0;
  bool all_right = true;
  for (uint32_t warp = 0; warp < kPickLanes / 32; ++warp) {
    std::set<uint64_t> of_warp, lines_of_warp;
    for (uint32_t lane = warp * 32; lane < warp * 32 + 32; ++lane) {
      const uint64_t result = arrays.out + lane * 4, address = arrays.address(lane);
      const bool is_written = arrays.memory.written().written_bits(result, 4) == 15;
      if (!arrays.chosen(lane)) {
        all_right &= is_written && Arrays::at<uint32_t>(result) == ~0u;
        continue;
      }
      const bool is_defined = arrays.memory.written().written_bits(address, 4) == 15;
      all_right &= Arrays::at<uint32_t>(result) == Arrays::at<uint32_t>(address);
      all_right &= is_written == is_defined;
      undefined += !is_defined;
      of_warp.insert(address / 32);
      lines_of_warp.insert(address / 128);
      ++lanes;
    }
    sectors += of_warp.size();
    lines += lines_of_warp.size();
  }
  CHECK(all_right);
  CHECK(undefined > 10);
  REQUIRE(launched.report.instructions.size() == 4);
  const trace::InstructionCounts& load = launched.report.instructions[2];
  CHECK(load.lanes == lanes);
  CHECK(load.sectors == sectors);
  CHECK(load.tags == lines);
  uint64_t all_sectors = 0;
  for (const trace::InstructionCounts& row : launched.report.instructions)
    all_sectors += row.kind == "load" ? row.sectors : 0;
  CHECK(launched.caches.cache_sample == 1);
  CHECK(launched.caches.l1_load_sectors == all_sectors);
}

TEST_CASE("one lane of many that leaves its array is the fault") {
  const auto seed = static_cast<uint32_t>(GENERATE(range(1, 15)));
  CAPTURE(seed);
  Arrays arrays(seed);
  for (uint32_t warp = 0; warp < kPickLanes / 32; ++warp)
    arrays.fill_warp(warp);
  const uint32_t culprit = arrays.random() % kPickLanes;
  const bool is_misaligned = seed % 3 == 0;
  arrays.set(culprit,
             is_misaligned ? arrays.begins[seed % 2] + 2 : arrays.bad[seed % arrays.bad.size()],
             true);
  const Launched launched = launch(arrays, 1);
  REQUIRE(launched.outcome.fault.has_value());
  const machine::Fault& fault = *launched.outcome.fault;
  using Kind = machine::Fault::Kind;
  CHECK(fault.kind == (is_misaligned ? Kind::misaligned : Kind::out_of_bounds));
  CHECK(fault.block.x == culprit / kPickThreads);
  CHECK(fault.thread.x == culprit % kPickThreads);
}

// A real kernel on the real machine, with everything attached: the counts are those worked out by hand.
#include <cstring>

#include "tests/catch.h"
#include "tests/trace/scratch_folder.h"
#include "tests/virtual_gpu/observe/small_kernel.h"
#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/observe/counts/launch_counter.h"
#include "virtual_gpu/observe/observer_list.h"
#include "virtual_gpu/observe/trace/trace_recorder.h"

using namespace ridge;

namespace {

constexpr uint32_t kBlocks = 10, kThreads = 64, kElements = kBlocks * kThreads;

struct Observed {
  trace::LaunchReport report;
  trace::AccessTrace trace;
};

Observed launch(unsigned host_threads) {
  machine::DeviceMemory memory(64 << 20);
  const uint64_t in = *memory.allocate(kElements * 8, "in"), out = *memory.allocate(kElements * 4, "out");
  for (uint32_t k = 0; k < kElements * 2; ++k) {
    const float value = static_cast<float>(k);
    std::memcpy(reinterpret_cast<void*>(in + k * 4), &value, 4);
  }
  machine::LaunchConfig config;
  config.grid = {kBlocks, 1, 1};
  config.block = {kThreads, 1, 1};
  config.host_threads = host_threads;
  config.parameters.resize(16);
  std::memcpy(config.parameters.data(), &in, 8);
  std::memcpy(config.parameters.data() + 8, &out, 8);

  const auto program = small_program();
  observe::LaunchCounter counter;
  observe::TraceRecorder recorder(
      {observe::choose_blocks("", {kBlocks, 1, 1}), 1 << 20, false, [&](uint64_t address) {
         const auto found = memory.find(address);
         return found ? std::optional(trace::TraceArray{found->begin, found->bytes, found->origin})
                      : std::nullopt;
       }});
  observe::ObserverList observers;
  observers.add(counter);
  observers.add(recorder);
  const machine::LaunchOutcome outcome = machine::run(*program, config, memory, &observers);
  REQUIRE_FALSE(outcome.fault.has_value());
  CHECK(outcome.warp_instructions == counter.report().warp_instructions);
  float value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(out + 39 * 4), 4);
  CHECK(value == 78);

  const ScratchFolder folder;
  trace::TraceLaunch about;
  about.grid = {kBlocks, 1, 1};
  about.block = {kThreads, 1, 1};
  recorder.write(folder.path / "t", about);
  return {counter.report(), trace::read_access_trace(folder.path / "t")};
}

}  // namespace

TEST_CASE("a real launch counts what its source says") {
  const Observed observed = launch(GENERATE(1u, 4u));
  struct Row {
    std::string_view space, kind;
    uint64_t requests, lanes, sectors, ideal_sectors, wavefronts;
  };
  const Row expected[] = {
      {"global", "load", 20, 640, 160, 80, 0},  // every second float: 8 sectors per warp, 4 would do
      {"shared", "store", 20, 640, 0, 0, 20},   //
      {"shared", "load", 20, 640, 0, 0, 20},    //
      {"global", "store", 20, 400, 50, 50, 0},  // threads 0 to 39: a full warp and 8 lanes of the next
  };
  const trace::LaunchReport& report = observed.report;
  REQUIRE(report.instructions.size() == std::size(expected));
  for (size_t k = 0; k < std::size(expected); ++k) {
    const trace::InstructionCounts& counts = report.instructions[k];
    CAPTURE(counts.text);
    CHECK(counts.space == expected[k].space);
    CHECK(counts.kind == expected[k].kind);
    CHECK(counts.requests == expected[k].requests);
    CHECK(counts.executions == expected[k].requests);
    CHECK(counts.lanes == expected[k].lanes);
    CHECK(counts.sectors == expected[k].sectors);
    CHECK(counts.ideal_sectors == expected[k].ideal_sectors);
    CHECK(counts.wavefronts == expected[k].wavefronts);
  }
  CHECK(report.barriers == 20);
  CHECK(report.divergent_branches == 10);  // the second warp of each block
}

TEST_CASE("a real launch is traced: three blocks, each warp's accesses, its barrier, its arrays") {
  const Observed observed = launch(2);
  REQUIRE(observed.trace.blocks.size() == 3);
  CHECK(observed.trace.blocks[1].block() == 5);
  REQUIRE(observed.trace.arrays.size() == 3);  // in, out and the shared one
  CHECK(observed.trace.arrays[2].space == trace::RecordSpace::shared);
  CHECK(observed.trace.arrays[0].origin == "in");
  for (const trace::BlockRecords& block : observed.trace.blocks) {
    uint32_t accesses = 0, barriers = 0, divergences = 0;
    trace::RecordCursor cursor(block);
    for (trace::TraceRecord record; cursor.next(record);) {
      accesses += record.kind <= trace::RecordKind::reduction;
      barriers += record.kind == trace::RecordKind::barrier;
      divergences += record.kind == trace::RecordKind::divergence;
    }
    CHECK(accesses == 8);
    CHECK(barriers == 2);
    CHECK(divergences == 1);
  }
}

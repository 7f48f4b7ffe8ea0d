#include "visualizer/session/text/occupancy_text.h"

#include <fmt/format.h>

#include "tests/catch.h"
#include "warp_model/occupancy.h"

namespace ridge::view {
namespace {

using warp_model::BlockResources;

trace::LaunchReport report_of(const BlockResources& block) {
  const warp_model::Occupancy found = warp_model::occupancy(warp_model::default_device(), block);
  trace::LaunchReport report;
  report.registers_per_thread = block.registers_per_thread;
  report.static_shared_bytes = block.static_shared_bytes;
  report.dynamic_shared_bytes = block.dynamic_shared_bytes;
  report.occupancy = found.fraction;
  report.occupancy_limiter = warp_model::name(found.limiter);
  report.blocks_per_sm = found.blocks_per_sm, report.warps_per_sm = found.warps_per_sm;
  report.limit_threads = found.limit_threads, report.limit_blocks = found.limit_blocks;
  report.limit_registers = found.limit_registers, report.limit_shared_memory = found.limit_shared_memory;
  return report;
}

std::string text_of(const BlockResources& block) {
  return occupancy_text(report_of(block), block.threads_per_block, warp_model::default_device());
}

}  // namespace

TEST_CASE("what limits an SM is said with numbers, and where one block more begins to fit") {
  CHECK(text_of({128, 90, 24584, 0}) ==
        "20 of 64 warps per SM: 5 blocks of 4\n"
        "blocks that fit, by registers 5, shared memory 9, threads 16, block slots 32\n"
        "one block more fits with 80 registers per thread; there are 90");
  CHECK(text_of({256, 32, 65536, 0}) ==
        "24 of 64 warps per SM: 3 blocks of 8\n"
        "blocks that fit, by registers 8, shared memory 3, threads 8, block slots 32\n"
        "one block more fits with 56 KB of shared memory a block; there are 64 KB");
  // Nothing but the threads: there is no resource to save.
  CHECK(text_of({1024, 16, 0, 0}) ==
        "64 of 64 warps per SM: 2 blocks of 32\n"
        "blocks that fit, by registers 4, threads 2, block slots 32");
}

TEST_CASE("with the registers that are named a block more fits, with one more it does not") {
  for (uint32_t registers = 33; registers <= 255; registers += 3) {
    BlockResources block{256, registers, 0, 0};
    const auto blocks = [&](uint32_t with) {
      block.registers_per_thread = with;
      return warp_model::occupancy(warp_model::default_device(), block).blocks_per_sm;
    };
    const uint32_t now = blocks(registers);
    uint32_t most = registers;
    while (most > 0 && blocks(most) <= now)
      --most;
    block.registers_per_thread = registers;
    CAPTURE(registers);
    CHECK_THAT(text_of(block), Catch::Matchers::Contains(fmt::format("fits with {} registers", most)));
  }
}

TEST_CASE("an inconsistent report does not hang the view") {
  trace::LaunchReport report;
  report.registers_per_thread = report.static_shared_bytes = report.dynamic_shared_bytes = ~0u;
  for (const char* limiter : {"registers", "shared memory"}) {
    report.occupancy_limiter = limiter;
    CHECK_THAT(occupancy_text(report, 0, warp_model::default_device()),
               Catch::Matchers::Contains("0 of 64 warps per SM"));
  }
}

}  // namespace ridge::view

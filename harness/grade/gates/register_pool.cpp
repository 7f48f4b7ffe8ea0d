#include "harness/grade/gates/register_pool.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ridge::grade {

namespace {

constexpr uint64_t kRegisterStep = 8;  // registers per thread are allocated in multiples of 8
constexpr uint64_t kWarp = 32;

}  // namespace

std::optional<Outcome> check_register_pool(std::span<const trace::LaunchReport> launches) {
  for (const trace::LaunchReport& launch : launches) {
    if (launch.registers_per_thread == 0) continue;
    const uint64_t blocks = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
    const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    const uint64_t warps = blocks * ((threads + kWarp - 1) / kWarp);
    const uint64_t at_start =
        (launch.registers_per_thread + kRegisterStep - 1) / kRegisterStep * kRegisterStep;
    uint64_t changed = 0, registers = 0;  // warps that executed setmaxnreg; their registers per lane
    bool asks_for_more = false;
    for (const trace::OpcodeCounts& counts : launch.opcodes) {
      const size_t number = counts.opcode.rfind(' ');
      if (!counts.opcode.starts_with("setmaxnreg.") || number == std::string::npos) continue;
      changed += counts.executed;
      registers += counts.executed * std::strtoull(counts.opcode.c_str() + number + 1, nullptr, 10);
      asks_for_more |= counts.opcode.starts_with("setmaxnreg.inc");
    }
    // A warp that executes setmaxnreg several times keeps one of the values; which one is not
    // counted.
    if (!asks_for_more || changed > warps) continue;
    registers += (warps - changed) * at_start;
    if (registers <= warps * at_start) continue;
    return outcome_with({"launch_error.register_pool",
                         {{"kernel", launch.kernel.substr(0, launch.kernel.find('('))},
                          {"wanted", registers * kWarp / blocks},
                          {"launched", at_start * kWarp * warps / blocks}}});
  }
  return std::nullopt;
}

}  // namespace ridge::grade

#include "visualizer/session/text/occupancy_text.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "visualizer/session/text/access_text.h"
#include "warp_model/occupancy.h"

namespace ridge::view {
namespace {

constexpr uint32_t kMostRegisters = 255;  // per thread; a damaged trace may contain any value

// The largest value below `now`, in steps of `step`, with which an SM holds more blocks.
template <typename Blocks>
std::optional<uint32_t> enough(uint32_t now, uint32_t step, uint32_t blocks_now, Blocks blocks_with) {
  if (now == 0) return std::nullopt;
  for (uint32_t value = now - 1 - (now - 1) % step; value >= step; value -= step)
    if (blocks_with(value) > blocks_now) return value;
  return std::nullopt;
}

std::string room_text(const trace::LaunchReport& report, uint32_t threads,
                      const warp_model::DeviceDescription& device) {
  const warp_model::BlockResources block{threads, report.registers_per_thread,
                                         static_cast<uint32_t>(report.static_shared_bytes),
                                         static_cast<uint32_t>(report.dynamic_shared_bytes)};
  const uint32_t blocks = report.blocks_per_sm;
  if (report.occupancy_limiter == "registers" && block.registers_per_thread <= kMostRegisters) {
    const auto found = enough(block.registers_per_thread, 1, blocks, [&](uint32_t registers) {
      auto other = block;
      other.registers_per_thread = registers;
      return warp_model::occupancy(device, other).blocks_per_sm;
    });
    if (found)
      return fmt::format("one block more fits with {} registers per thread; there are {}", *found,
                         block.registers_per_thread);
  }
  const uint32_t shared = block.static_shared_bytes + block.dynamic_shared_bytes;
  if (report.occupancy_limiter == "shared memory" && shared <= device.shared_bytes_per_sm) {
    const auto found = enough(shared, 128, blocks, [&](uint32_t bytes) {
      auto other = block;
      other.static_shared_bytes = bytes, other.dynamic_shared_bytes = 0;
      return warp_model::occupancy(device, other).blocks_per_sm;
    });
    if (found)
      return fmt::format("one block more fits with {} of shared memory a block; there are {}",
                         with_unit(*found), with_unit(shared));
  }
  return {};
}

}  // namespace

std::string occupancy_text(const trace::LaunchReport& report, uint32_t threads,
                           const warp_model::DeviceDescription& device) {
  std::string text =
      fmt::format("{} of {} warps per SM: {} block{} of {}", report.warps_per_sm, device.max_warps_per_sm,
                  report.blocks_per_sm, report.blocks_per_sm == 1 ? "" : "s", (threads + 31) / 32);
  const bool uses_shared = report.static_shared_bytes != 0 || report.dynamic_shared_bytes != 0;
  const std::array<std::pair<const char*, uint32_t>, 4> limits = {
      {{"registers", report.limit_registers},
       {"shared memory", uses_shared ? report.limit_shared_memory : 0},
       {"threads", report.limit_threads},
       {"block slots", report.limit_blocks}}};
  std::string allowed;
  for (const auto& [what, most] : limits)
    if (most > 0 && most < warp_model::kUnlimited)
      allowed += fmt::format("{}{} {}", allowed.empty() ? "\nblocks that fit, by " : ", ", what, most);
  text += allowed;
  if (const std::string room = room_text(report, threads, device); !room.empty()) text += "\n" + room;
  return text;
}

}  // namespace ridge::view

// The occupancy calculator: the warp slots of one SM, which blocks fill them, and what stops one
// more block.
#include "warp_model/occupancy.h"

#include <fmt/format.h>

#include "text/numbers.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/web/calculators/devices.h"
#include "visualizer/web/calculators/settings.h"
#include "visualizer/web/surface.h"

namespace ridge::view {
namespace {

using warp_model::OccupancyLimiter;

class OccupancyCalculator : public Surface {
 public:
  bool set(std::string_view name, double value) override { return settings_.set(name, value); }

  bool draw(Canvas& canvas, Rect area, double) override {
    canvas.clear_regions();
    canvas.box(area, theme_.panel, theme_.px(4));
    area = area.inset(theme_.px(12), theme_.px(8));
    const warp_model::Occupancy now = occupancy();
    const Rect head = area.take_top(theme_.px(32));
    canvas.text({head.x, head.centre().y}, canvas.shortened(title(now), head.w, theme_.heading()),
                theme_.text, theme_.heading());
    Rect bars = area.take_bottom(theme_.px(22) * 4 + theme_.px(26));
    draw_slots(canvas, area, now);
    draw_limits(canvas, bars, now);
    return false;
  }

  nlohmann::json state() const override {
    const warp_model::Occupancy now = occupancy();
    return {
        {"settings", settings_.json()},
        {"devices", device_names()},
        {"results",
         {result("Occupancy", fmt::format("{:.1f}% ({} of {} warps)", 100 * now.fraction,
                                          now.warps_per_sm, device().max_warps_per_sm)),
          result("Blocks per SM", fmt::format("{}", now.blocks_per_sm)),
          result("Limited by", std::string(warp_model::name(now.limiter))),
          result("Registers per block", text::with_thousands(now.registers_allocated_per_block)),
          result("Shared memory per block", with_unit(now.shared_bytes_allocated_per_block))}},
        {"description", description(now)}};
  }

 private:
  const warp_model::DeviceDescription& device() const {
    const auto all = warp_model::devices();
    return all[std::min<size_t>(settings_.whole("device"), all.size() - 1)];
  }
  warp_model::Occupancy occupancy() const {
    warp_model::BlockResources block;
    block.threads_per_block = settings_.whole("threads");
    block.registers_per_thread = settings_.whole("registers");
    block.dynamic_shared_bytes = settings_.whole("shared_bytes");
    return warp_model::occupancy(device(), block);
  }
  std::string title(const warp_model::Occupancy& now) const {
    if (now.blocks_per_sm == 0)
      return fmt::format("No block fits: {}", warp_model::name(now.limiter));
    return fmt::format("{} of {} warps per SM, {} block{}", now.warps_per_sm,
                       device().max_warps_per_sm, now.blocks_per_sm,
                       now.blocks_per_sm == 1 ? "" : "s");
  }
  std::string description(const warp_model::Occupancy& now) const {
    std::string words =
        fmt::format("Warp slots of one SM of the {}. {}.", device().name, title(now));
    if (now.blocks_per_sm)
      words += fmt::format(" {} stop one more block.", warp_model::name(now.limiter));
    for (const Limit& limit : limits(now))
      words += fmt::format(" {}: {}.", limit.name, limit_text(limit.blocks));
    return words;
  }

  struct Limit {
    OccupancyLimiter limiter;
    std::string_view name;
    uint32_t blocks;
  };
  static std::array<Limit, 4> limits(const warp_model::Occupancy& now) {
    return {{{OccupancyLimiter::threads, "Threads", now.limit_threads},
             {OccupancyLimiter::blocks, "Block slots", now.limit_blocks},
             {OccupancyLimiter::registers, "Registers", now.limit_registers},
             {OccupancyLimiter::shared_memory, "Shared memory", now.limit_shared_memory}}};
  }
  static std::string limit_text(uint32_t blocks) {
    if (blocks == warp_model::kUnlimited) return "no limit";
    return fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s");
  }

  // One box per warp slot, 16 in a row; blocks alternate in shade and are numbered.
  void draw_slots(Canvas& canvas, Rect area, const warp_model::Occupancy& now) const {
    const uint32_t slots = device().max_warps_per_sm, rows = (slots + 15) / 16;
    const uint32_t warps_per_block = now.blocks_per_sm ? now.warps_per_sm / now.blocks_per_sm : 0;
    const float step = std::min(area.w / 16, area.h / static_cast<float>(rows));
    for (uint32_t slot = 0; slot < slots; ++slot) {
      const Rect cell = Rect{area.x + step * static_cast<float>(slot % 16),
                             area.y + step * static_cast<float>(slot / 16), step, step}
                            .inset(theme_.px(1.5f));
      if (slot >= now.warps_per_sm) {
        canvas.frame(cell, theme_.edge, theme_.px(1), theme_.px(2));
        continue;
      }
      const uint32_t block = slot / warps_per_block;
      canvas.box(cell, block % 2 ? mix(theme_.useful, theme_.panel, 0.35f) : theme_.useful,
                 theme_.px(2));
      if (step >= theme_.px(16))
        canvas.text(cell.centre(), std::to_string(block),
                    theme_.dark ? theme_.background : theme_.panel,
                    theme_.small_code(Align::centre));
    }
  }

  // Blocks that each resource allows; the one that decides is hatched.
  void draw_limits(Canvas& canvas, Rect area, const warp_model::Occupancy& now) const {
    const Rect head = area.take_top(theme_.px(24));
    canvas.text({head.x, head.centre().y}, "Blocks that each resource allows", theme_.dim,
                theme_.small());
    const uint32_t most = device().max_blocks_per_sm;
    for (const Limit& limit : limits(now)) {
      Rect row = area.take_top(theme_.px(22));
      const Rect name = row.take_left(theme_.px(112)), number = row.take_right(theme_.px(72));
      const bool decides = limit.limiter == now.limiter;
      canvas.text({name.x, name.centre().y}, limit.name, decides ? theme_.text : theme_.dim,
                  theme_.body());
      canvas.text({number.right(), number.centre().y}, limit_text(limit.blocks),
                  decides ? theme_.text : theme_.dim, theme_.body(Align::right));
      const float part =
          std::min(1.0f, static_cast<float>(limit.blocks) / static_cast<float>(most));
      const Rect bar{row.x, row.y + theme_.px(4), row.w * part, row.h - theme_.px(8)};
      if (bar.w < 1) continue;
      if (decides)
        draw_role(canvas, theme_, bar, Role::waste);
      else
        canvas.box(bar, theme_.edge);
    }
  }

  Settings settings_{{{"device", 0, 0, static_cast<double>(warp_model::devices().size() - 1)},
                      {"threads", 256, 1, 1024},
                      {"registers", 64, 1, 255},
                      {"shared_bytes", 16384, 0, 233472}}};
};

}  // namespace

std::unique_ptr<Surface> make_occupancy_calculator() {
  return std::make_unique<OccupancyCalculator>();
}

}  // namespace ridge::view

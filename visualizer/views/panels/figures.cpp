// The shown access, and below it the whole launch, in numbers: actual and ideal.
#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"
#include "visualizer/session/analysis/launch_change.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/session/text/occupancy_text.h"
#include "visualizer/views/panels/panels.h"

namespace ridge::view {
namespace {

class FiguresPanel : public View {
 public:
  FiguresPanel() : View("figures", "Figures") {}
  std::string_view sentence() const override {
    return "Sums over the recorded blocks; the launch as a whole below.";
  }
  std::vector<LegendEntry> legend() const override { return {}; }

  void draw(const Frame& f) override {
    Rect area = f.area;
    const Clip clip(f.canvas, area);
    const LoadedTrace& a = *f.session.a();
    if (!f.session.prediction.asking) {
      const auto costs = recorded_costs(a);
      std::array<CostSum, 2> before{};
      if (f.session.b()) before = recorded_costs(*f.session.b());
      // These are totals of the records; everything below is about the launch.
      const float bars = (costs[0].actual ? 46.0f : 0.0f) + (costs[1].actual ? 46.0f : 0.0f);
      // They must not displace anything below.
      if (bars > 0 && area.h > f.theme.px(16 + bars + 9 * 18)) {
        const Rect line = area.take_top(f.theme.px(16));
        f.canvas.text({line.x, line.centre().y},
                      f.canvas.shortened("in " + which_blocks(a), line.w, f.theme.small()), f.theme.dim,
                      f.theme.small());
      }
      const auto& all = a.instructions();  // local memory uses the same path and the same unit
      const bool local = std::any_of(all.begin(), all.end(), [](const InstructionCost& one) {
        return one.space == trace::RecordSpace::local;
      });
      bar(f, area, local ? "global, local: sectors" : "global: sectors", costs[0], before[0],
          "sectors of 32 B that the warps asked for in " + which_blocks(a) +
              ", and how few would do for the same bytes");
      bar(f, area, "shared: wavefronts", costs[1], before[1],
          "wavefronts of shared memory in " + which_blocks(a) + ", and how few would do for the same words");
    }
    const auto& launch = a.launch();
    row(f, area, "kernel", kernel_name(launch.kernel));
    row(f, area, "device", launch.device);
    row(f, area, "grid", fmt::format("{} x {} x {} blocks", launch.grid[0], launch.grid[1], launch.grid[2]));
    row(f, area, "block",
        fmt::format("{} x {} x {} threads", launch.block[0], launch.block[1], launch.block[2]));
    if (const auto* report = a.report()) {
      row(f, area, "occupancy",
          fmt::format("{:.0f}%, limit: {}", report->occupancy * 100, report->occupancy_limiter),
          occupancy_text(*report, launch.threads(), a.device()));
      row(f, area, "registers", report->registers_per_thread > 0
                                   ? fmt::format("{} per thread", report->registers_per_thread)
                                   : "not known: clang compiled, not nvcc");
      if (const uint64_t spills = report->spill_loads + report->spill_stores)
        row(f, area, "spills", text::with_thousands(spills) + " warp accesses",
            "loads and stores of registers for which there was no room: they go to local memory, through L1");
      row(f, area, "shared",
          with_unit(report->static_shared_bytes + report->dynamic_shared_bytes) + " per block");
      row(f, area, "barriers", text::with_thousands(report->barriers),
          "warps that arrived at a barrier of their block, in the whole launch");
      row(f, area, "divergent", text::with_thousands(report->divergent_branches) + " branches",
          "times that lanes of one warp went different ways: each way runs by itself while the others wait");
    }
    if (a.trace().records_dropped())
      row(f, area, "left out", text::with_thousands(a.trace().records_dropped()) + " records: the limit");
    uint64_t without_values = 0;
    for (const trace::BlockRecords& block : a.trace().blocks)
      without_values += block.without_values();
    if (without_values)
      row(f, area, "values", "left out of " + text::with_thousands(without_values) + " records");
  }

 private:
  static void row(const Frame& f, Rect& area, std::string_view name, const std::string& value,
                  const std::string& tooltip = {}) {
    if (area.h < f.theme.px(16)) return;
    Rect line = area.take_top(f.theme.px(18));
    if (!tooltip.empty())
      f.canvas.region(line, fmt::format("figure/{}", name), [tooltip] { return tooltip; });
    f.canvas.text({line.x, line.centre().y}, name, f.theme.dim, f.theme.small());
    line.take_left(f.theme.px(66));
    f.canvas.text({line.x, line.centre().y}, f.canvas.shortened(value, line.w, f.theme.small()), f.theme.text,
                  f.theme.small());
  }

  static std::string which_blocks(const LoadedTrace& a) {
    const uint64_t recorded = a.trace().blocks.size(), all = a.launch().blocks();
    if (all == 1) return "the launch's one block";
    if (recorded == all) return fmt::format("all {} blocks", text::with_thousands(all));
    return fmt::format("{} recorded block{} of {}", text::with_thousands(recorded), recorded == 1 ? "" : "s",
                       text::with_thousands(all));
  }

  static void bar(const Frame& f, Rect& area, std::string_view name, const CostSum& sum,
                  const CostSum& before, const std::string& tooltip) {
    if (sum.actual == 0 || area.h < f.theme.px(44)) return;
    Rect part = area.take_top(f.theme.px(46));
    f.canvas.region(part, fmt::format("figure/{}", name), [tooltip] { return tooltip; });
    Rect head = part.take_top(f.theme.px(17));
    std::string counts =
        fmt::format("{} / {} ideal", text::with_thousands(sum.actual), text::with_thousands(sum.ideal));
    // Drop that word rather than the name if there is no room for both.
    if (f.canvas.text_width(name, f.theme.small()) + f.canvas.text_width(counts, f.theme.small()) +
            f.theme.px(6) >
        head.w)
      counts.erase(counts.find(" ideal"));
    const float room = head.w - f.canvas.text_width(counts, f.theme.small()) - f.theme.px(6);
    f.canvas.text({head.x, head.centre().y}, f.canvas.shortened(name, room, f.theme.small()), f.theme.dim,
                  f.theme.small());
    f.canvas.text({head.right(), head.centre().y}, counts, f.theme.text, f.theme.small(Align::right));
    Rect whole = part.take_top(f.theme.px(14));
    const float needed = std::min(1.0f, static_cast<float>(sum.ideal) / static_cast<float>(sum.actual));
    draw_role(f.canvas, f.theme, whole, sum.waste() ? Role::waste : Role::useful);
    f.canvas.box({whole.x, whole.y, whole.w * needed, whole.h}, f.theme.useful);
    if (before.actual == 0) return;
    f.canvas.text({part.right(), part.centre().y},
                  fmt::format("B: {} / {} ideal", text::with_thousands(before.actual),
                              text::with_thousands(before.ideal)),
                  f.theme.dim, f.theme.small(Align::right));
  }
};

}  // namespace

std::unique_ptr<View> make_figures_panel() {
  return std::make_unique<FiguresPanel>();
}

}  // namespace ridge::view

// The whole launch: the modelled SM and wave of each block; the empty slots of the last wave are
// the tail. Below, the warps of the shown block with their divergence and barriers.
#include <fmt/format.h>

#include <numeric>

#include "text/numbers.h"
#include "visualizer/draw/zoom.h"
#include "visualizer/session/analysis/survey.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

class GridView : public View {
 public:
  GridView() : View(trace::ViewKind::grid) {}
  std::string_view sentence() const override {
    return "Each column is an SM, each row a place on it; waves of blocks follow each other downwards. Empty "
           "places of the last "
           "wave wait for the slowest block.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "a block"},
            {Role::waste, "an empty place in the last wave"},
            {Role::level, "recorded: click it"},
            {Role::focus, "shown"}};
  }

  bool zooms() const override { return true; }
  bool press(Session&, char key) override { return zoom_.press(place_, key); }

  void draw(const Frame& f) override {
    const LoadedTrace& a = *f.session.a();
    const auto& placement = a.trace().placement;
    Rect area = f.area;
    const uint32_t rows_of_warps =
        (std::max(1u, f.session.timeline() ? f.session.timeline()->warps() : 1) + 7) / 8;
    const Rect warps = area.take_bottom(
        std::min(area.h * 0.4f, f.theme.px(22) + f.theme.px(38) * static_cast<float>(rows_of_warps)));
    const uint64_t blocks = a.launch().blocks();
    if (!placement.known()) {
      draw_empty({f.canvas, f.theme, f.session, area},
                 fmt::format("{} block{}; this trace does not say where they run.",
                             text::with_thousands(blocks), blocks == 1 ? "" : "s"));
    } else {
      draw_blocks(f, area, placement, blocks);
    }
    draw_warps(f, warps);
  }

 private:
  void draw_blocks(const Frame& f, Rect area, const trace::BlockPlacement& placement, uint64_t blocks) {
    const LoadedTrace& a = *f.session.a();
    const uint64_t waves = placement.waves(blocks), at_once = placement.blocks_at_once();
    const uint64_t last = blocks - (waves - 1) * at_once;
    const Rect head = area.take_top(f.theme.px(24));
    const std::string words =
        fmt::format("{} block{}, {} at once on {} SMs: {} wave{}, {}{} full", text::with_thousands(blocks),
                    blocks == 1 ? "" : "s", text::with_thousands(at_once), placement.multiprocessors, waves,
                    waves == 1 ? "" : "s", waves == 1 ? "" : "the last ",
                    percent_text(static_cast<double>(last) / static_cast<double>(at_once)));
    const TextStyle style =
        f.canvas.text_width(words, f.theme.heading()) <= head.w ? f.theme.heading() : f.theme.body();
    f.canvas.text({head.x, head.centre().y}, f.canvas.shortened(words, head.w, style),
                  last < at_once ? f.theme.waste : f.theme.text, style);
    area.take_top(f.theme.px(4));
    const uint64_t rows = waves * placement.blocks_per_sm;
    area.take_bottom(f.theme.px(8));
    area.h = std::min(area.h, f.theme.px(28) * static_cast<float>(rows));
    const Rect seen = place_ = area;
    f.canvas.region(seen, "grid/blocks", {}, [this, seen](const Gesture& g) { zoom_.act(seen, g); });
    const Clip clip(f.canvas, seen);
    area = zoom_.spread(area);
    const float w = area.w / static_cast<float>(placement.multiprocessors),
                h = area.h / static_cast<float>(rows);
    const auto place = [&](uint64_t slot) {
      return Rect{area.x + w * static_cast<float>(slot % placement.multiprocessors),
                  area.y + h * static_cast<float>(slot / placement.multiprocessors), w, h};
    };
    // Complete rows as one box with lines in it: one box per block could be 100,000.
    const uint64_t full = blocks / placement.multiprocessors, rest = blocks % placement.multiprocessors;
    f.canvas.box({area.x, area.y, area.w, h * static_cast<float>(full)}, f.theme.useful.faded(0.6f));
    if (rest)
      f.canvas.box({area.x, area.y + h * static_cast<float>(full), w * static_cast<float>(rest), h},
                   f.theme.useful.faded(0.6f));
    if (last < at_once) {
      const float top = area.y + h * static_cast<float>(full + (rest ? 1 : 0)),
                  bottom = area.y + h * static_cast<float>(rows);
      if (rest)
        f.canvas.hatch({area.x + w * static_cast<float>(rest), area.y + h * static_cast<float>(full),
                        w * static_cast<float>(placement.multiprocessors - rest), h},
                       f.theme.waste);
      f.canvas.hatch({area.x, top, area.w, bottom - top}, f.theme.waste);
    }
    if (w > 3)
      for (uint32_t sm = 1; sm < placement.multiprocessors; ++sm)
        f.canvas.line({area.x + w * static_cast<float>(sm), area.y},
                      {area.x + w * static_cast<float>(sm), area.y + h * static_cast<float>(rows)},
                      f.theme.panel);
    if (h > 3)
      for (uint64_t row = 1; row < rows; ++row)
        f.canvas.line({area.x, area.y + h * static_cast<float>(row)},
                      {area.right(), area.y + h * static_cast<float>(row)},
                      row % placement.blocks_per_sm ? f.theme.panel : f.theme.text,
                      row % placement.blocks_per_sm ? 1.0f : f.theme.px(1.5f));
    // A few are framed to make them visible; if there are many, each only fills its cell, with the
    // shown one on top.
    const bool many = a.timelines().size() > 16;
    std::vector<size_t> order(a.timelines().size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (f.session.block() < order.size()) std::swap(order[f.session.block()], order.back());
    for (const size_t i : order) {
      const bool shown = i == f.session.block();
      const uint64_t block = a.timelines()[i].block();
      const float least = f.theme.px(many && !shown ? 0 : 10);
      Rect box = place(block);
      box = Rect{box.centre().x - std::max(box.w, least) / 2, box.centre().y - std::max(box.h, least) / 2,
                 std::max(box.w, least), std::max(box.h, least)}
                .clipped(seen);
      if (box.empty()) continue;
      if (shown || !many)
        f.canvas.frame(box, shown ? f.theme.focus : f.theme.level, f.theme.px(2.5f),
                       shown ? 0 : f.theme.px(3));
      else if (box.w > f.theme.px(4) && box.h > f.theme.px(4))
        f.canvas.frame(box.inset(f.theme.px(1)), f.theme.level, f.theme.px(1));
      Session* session = &f.session;
      f.canvas.region(
          box, fmt::format("block/{}", block),
          [session, block, placement] {
            return fmt::format("block {}, recorded\non SM {}, wave {}",
                               block_name(session->a()->launch(), block), placement.sm_of(block),
                               placement.wave_of(block) + 1);
          },
          [session, i](const Gesture& g) {
            if (g.kind == GestureKind::press) session->show_block(i);
          });
    }
  }

  static void draw_warps(const Frame& f, Rect area) {
    const auto* timeline = f.session.timeline();
    if (!timeline || timeline->empty()) return;
    const Rect head = area.take_top(f.theme.px(22));
    f.canvas.text(
        {head.x, head.centre().y},
        f.canvas.shortened(
            fmt::format("block {}: its warps; one column per lane, as high as its part in the accesses",
                        block_name(f.session.a()->launch(), timeline->block())),
            head.w, f.theme.body()),
        f.theme.text, f.theme.body());
    const uint32_t warps = std::max(1u, timeline->warps());
    const float w = area.w / static_cast<float>(std::min(warps, 8u)),
                pitch = std::min(f.theme.px(38), area.h / static_cast<float>((warps + 7) / 8));
    const Survey* survey = f.session.survey();
    const std::vector<WarpActivity>* counted = survey ? &survey->warps[f.session.block()] : nullptr;
    const uint32_t shown = timeline->mark(f.session.playback().at()).warp;
    for (uint32_t warp = 0; warp < warps; ++warp) {
      const WarpActivity activity = counted && warp < counted->size() ? (*counted)[warp] : WarpActivity{};
      const Rect cell = Rect{area.x + w * static_cast<float>(warp % 8),
                             area.y + pitch * static_cast<float>(warp / 8), w, pitch}
                            .inset(f.theme.px(2));
      draw_lanes(f, cell, activity);
      if (warp == shown) f.canvas.frame(cell, f.theme.focus, f.theme.px(2.5f));
      if (cell.h > f.theme.px(12) && cell.w > f.theme.px(44))
        draw_share(f, cell, words_of(f, warp, activity, !counted, cell.w), activity.full() == 1);
      Session* session = &f.session;
      f.canvas.region(
          cell, fmt::format("warp/{}", warp),
          [=] {
            return fmt::format(
                "warp {}: {} accesses, on average {:.3g} of 32 lanes active\n{} barriers, {} divergent "
                "branches",
                warp, activity.accesses, activity.full() * 32, activity.barriers, activity.divergences);
          },
          [session, warp](const Gesture& g) {
            if (g.kind != GestureKind::press) return;
            const auto records = session->timeline()->of_warp(warp);
            if (!records.empty()) session->playback().go_to(records.front());
          });
    }
  }

  // One column per lane, with the height of its fraction of the warp's accesses; equal neighbours
  // are one box.
  static void draw_lanes(const Frame& f, Rect cell, const WarpActivity& activity) {
    if (activity.full() < 1)
      draw_role(f.canvas, f.theme, cell, activity.accesses ? Role::waste : Role::quiet);
    if (activity.accesses == 0) return;
    const float width = cell.w / 32;
    for (size_t lane = 0; lane < 32;) {
      size_t end = lane + 1;
      while (end < 32 && activity.lanes[end] == activity.lanes[lane])
        ++end;
      const float height =
          cell.h * static_cast<float>(activity.lanes[lane]) / static_cast<float>(activity.accesses);
      f.canvas.box({cell.x + width * static_cast<float>(lane), cell.bottom() - height,
                    width * static_cast<float>(end - lane), height},
                   f.theme.useful.faded(0.8f));
      lane = end;
    }
  }

  static std::string words_of(const Frame& f, uint32_t warp, const WarpActivity& activity, bool counting,
                              float room) {
    if (counting) return fmt::format("{}: ...", warp);
    if (activity.accesses == 0) return fmt::format("{}: none", warp);
    std::string words = fmt::format("{}: {:.0f}%", warp, activity.full() * 100);
    if (activity.divergences && room > f.theme.px(104))
      words += fmt::format(", {}x apart", activity.divergences);
    return words;
  }

  // On the solid bar, or on its own background where hatching would hide it.
  static void draw_share(const Frame& f, Rect cell, const std::string& words, bool on_bar) {
    const TextStyle style{f.theme.px(11), Face::bold, Align::centre};
    if (!on_bar) {
      const float width = f.canvas.text_width(words, style) + f.theme.px(8);
      f.canvas.box({cell.centre().x - width / 2, cell.centre().y - f.theme.px(8), width, f.theme.px(16)},
                   f.theme.panel, f.theme.px(2));
    }
    f.canvas.text(cell.centre(), words,
                  !on_bar        ? f.theme.text
                  : f.theme.dark ? f.theme.background
                                 : f.theme.panel,
                  style);
  }

  Zoom zoom_;
  Rect place_{0, 0, 1, 1};
};

}  // namespace

std::unique_ptr<View> make_grid_view() {
  return std::make_unique<GridView>();
}

}  // namespace ridge::view

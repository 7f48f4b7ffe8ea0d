// The memory pyramid: the capacity and rate of each level, and what this launch moved through it
// compared with the ideal. During playback the sectors of an access travel between the levels that
// served them.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "text/layout.h"
#include "text/source_difference.h"
#include "visualizer/draw/plot.h"
#include "visualizer/session/analysis/level_traffic.h"
#include "visualizer/session/analysis/link_traffic.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/memory/pyramid_words.h"
#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

using warp_model::MemoryLevel;

class PyramidView : public View {
 public:
  PyramidView() : View(trace::ViewKind::pyramid) {}
  std::string_view sentence() const override {
    return "Small and fast above, large and slow below; a bar is what this launch moved through the level, "
           "hatched where it was not needed.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "needed"}, {Role::waste, "moved, not needed"}, {Role::level, "a level"}};
  }

  void draw(const Frame& f) override {
    const LoadedTrace* trace = f.session.a();
    const auto levels = warp_model::memory_levels(f.session.device());
    if (trace && seen_ != trace->id()) seen_ = trace->id(), traffic_ = traffic_of(*trace);
    const LaunchTraffic& traffic = trace ? traffic_ : kNothing;
    Rect area = f.area;
    if (area.h < f.theme.px(90) || area.w < f.theme.px(110)) return;
    // Frames extend over the edges of boxes, and the panel clips there.
    area = area.inset(f.theme.px(1), 0);
    const bool narrow = area.w < f.theme.px(430);
    const float note = f.theme.px(16);
    if (!narrow && trace) {
      const Rect line = area.take_bottom(note);
      f.canvas.text({line.x, line.centre().y}, f.canvas.shortened(note_of(traffic), line.w, f.theme.small()),
                    f.theme.dim, f.theme.small());
    }
    const bool idle =
        std::all_of(traffic.levels.begin(), traffic.levels.end(),
                    [](const LevelTraffic& level) { return level.bytes == 0 && level.ideal == 0; });
    double most = 1;
    const auto raise = [&most](const LaunchTraffic& of) {
      for (const LevelTraffic& level : of.levels)
        most = std::max({most, level.bytes, level.ideal});
      if (of.peers) most = std::max({most, of.peers->bytes, of.peers->ideal});
    };
    raise(traffic);
    if (f.compared) raise(traffic_of(*f.compared));
    const Boxes boxes = boxes_of(f.theme, area, narrow, traffic.peers.has_value());
    for (size_t i = 0; i < warp_model::kLevels; ++i)
      draw_level(f, levels[i], traffic.levels[i], i, boxes[i], most, narrow, traffic.without_lanes, idle);
    if (traffic.peers)
      draw_level(f, warp_model::peer_level(f.session.device()), *traffic.peers, warp_model::kPeers,
                 boxes[warp_model::kPeers], most, narrow, traffic.without_lanes, idle);
    if (trace && !f.session.cost_hidden()) draw_pulses(f, *trace, boxes);
  }

 private:
  using Boxes = std::array<Rect, warp_model::kLevels + 1>;

  // Each level wider than the one above. Other devices stand beside the device's own memory, or
  // below it where there is little room.
  static Boxes boxes_of(const Theme& theme, Rect area, bool narrow, bool has_peers) {
    const float gap = theme.px(narrow ? 4 : 10);
    const size_t rows = warp_model::kLevels + (narrow && has_peers ? 1 : 0);
    const float height = (area.h - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
    Boxes boxes{};
    for (size_t i = 0; i < rows; ++i) {
      const float width = area.w * (narrow ? 1 : 0.58f + 0.14f * static_cast<float>(i));
      boxes[i] = {area.x + (area.w - width) / 2, area.y + (height + gap) * static_cast<float>(i), width,
                  height};
    }
    if (narrow || !has_peers) return boxes;
    Rect& memory = boxes[warp_model::kDram];
    boxes[warp_model::kPeers] = memory.take_right(memory.w * 0.42f);
    memory.take_right(gap);
    return boxes;
  }

  static void draw_level(const Frame& f, const MemoryLevel& level, const LevelTraffic& traffic, size_t number,
                         Rect box, double most, bool narrow, bool without_lanes, bool idle) {
    const auto& theme = f.theme;
    const bool is_selected = f.session.selected().level == static_cast<int>(number);
    f.canvas.box(box, theme.level.faded(0.07f), theme.px(6));
    f.canvas.frame(box, is_selected ? theme.focus : theme.level, theme.px(is_selected ? 2.5f : 1.5f),
                   theme.px(6));
    Rect inside = box.inset(theme.px(narrow ? 7 : 14), theme.px(narrow ? 3 : 6));
    const bool roomy = inside.h > theme.px(66);
    // At most four lines: name, figures of the device, bytes, bar. Two if there is little height:
    // the bytes next to the name.
    const bool flat = narrow && inside.h < theme.px(36);
    const float lines = inside.h > theme.px(52) ? 4 : flat ? 2 : 3;
    const float row = std::min(theme.px(roomy ? 22 : 16), inside.h / lines);
    Rect head = inside.take_top(row);
    const TextStyle title =
        roomy && !narrow ? theme.heading() : TextStyle{theme.px(12), Face::bold, Align::left};
    f.canvas.text({head.x, head.centre().y}, level.name, theme.text, title);
    const std::string figures = figures_of(level);
    const TextStyle small = theme.small();
    if (narrow) {
      if (inside.h > 2.4f * row) {
        const Rect line = inside.take_top(row);
        f.canvas.text({line.x, line.centre().y}, f.canvas.shortened(figures, line.w, small), theme.dim,
                      small);
      }
    } else {
      const float room = head.w - f.canvas.text_width(level.name, title) - theme.px(12);
      f.canvas.text({head.right(), head.centre().y}, f.canvas.shortened(figures, room, small), theme.dim,
                    theme.small(Align::right));
    }
    if (f.session.a()) {
      Rect words = head;
      words.take_left(f.canvas.text_width(level.name, title) + theme.px(8));
      if (!flat) words = inside.take_top(row);
      draw_bytes(f, traffic, number, words, inside, most, narrow, idle);
      inside.take_top(row + theme.px(4));
      if (!narrow && traffic.counted && number != warp_model::kPeers && !f.session.prediction.asking)
        draw_source_lines(f, traffic, without_lanes, inside);
    }
    const std::string text =
        level_tooltip(level, traffic, number, f.session.a() && !f.session.prediction.asking);
    Session* session = &f.session;
    f.canvas.region(
        box, fmt::format("level/{}", number), [text] { return text; },
        [session, number, line = traffic.lines.empty() ? 0u : traffic.lines.front().line](const Gesture& g) {
          if (g.kind == GestureKind::hover) {
            session->hot.level = static_cast<int>(number);
            if (line) session->hot.line = line;
          }
          if (g.kind == GestureKind::press) {
            Selection pin;
            pin.level = static_cast<int>(number);
            if (line) pin.line = line;
            session->toggle_pin(pin);
          }
        });
  }

  static void draw_bytes(const Frame& f, const LevelTraffic& traffic, size_t number, Rect line, Rect inside,
                         double most, bool narrow, bool idle) {
    const auto& theme = f.theme;
    if (f.session.prediction.asking) return;
    if (!traffic.counted) {
      f.canvas.text({line.x, line.centre().y}, "not counted in this trace", theme.faint, theme.small());
      return;
    }
    const bool waste = traffic.bytes > traffic.ideal * 1.02;
    std::string words = with_si(traffic.bytes, "B");
    if (idle)  // not even copy engines moved anything
      words = narrow ? "nothing" : "nothing: this launch asks for no memory";
    else if (number == warp_model::kRegisters)
      words += narrow ? " asked for" : " asked for by the lanes";
    else if (waste && traffic.ideal > 0)
      words +=
          fmt::format(", {} would do ({:.3g}x)", with_si(traffic.ideal, "B"), traffic.bytes / traffic.ideal);
    else if (traffic.kept_above > 0.01 * traffic.ideal) {
      const std::string kept = with_si(traffic.kept_above, "B");
      if (traffic.bytes == 0) words = "nothing";
      words +=
          narrow ? fmt::format(", {} stay in L2", kept)
          : traffic.bytes == 0
              ? fmt::format(": the {} that are needed were in L2 before, or stay there for now", kept)
              : fmt::format(", and {} more of what is needed were in L2 before, or stay there for now", kept);
    } else if (traffic.bytes == 0 && number == warp_model::kPeers)
      words = narrow ? "nothing" : "nothing: no other device is touched";
    else if (traffic.bytes == 0)
      words = narrow ? "nothing" : "nothing: the level above had it all";
    else
      words += narrow ? ", all needed" : ", no more than needed";
    const TextStyle style = narrow ? theme.small() : theme.body();
    if (f.canvas.text_width(words, style) > line.w)  // show the quotient rather than a cut number
      words.erase(std::min(words.rfind(" ("), words.size()));
    f.canvas.text({line.x, line.centre().y}, f.canvas.shortened(words, line.w, style),
                  waste ? theme.waste : theme.text, style);
    if (inside.h < theme.px(5)) return;
    const float height = std::min(inside.h - theme.px(2), theme.px(16));
    Rect bar = inside.take_top(height);
    f.canvas.box({bar.x, bar.y, bar.w, bar.h}, theme.grid.faded(0.6f));
    const auto along = [&](double bytes) { return bar.w * static_cast<float>(bytes / most); };
    const Rect moved{bar.x, bar.y, along(traffic.bytes), bar.h};
    if (waste && moved.w > 1) draw_role(f.canvas, theme, moved, Role::waste);
    if (traffic.bytes > 0)
      f.canvas.box({bar.x, bar.y, std::max(1.0f, along(std::min(traffic.bytes, traffic.ideal))), bar.h},
                   theme.useful);
  }

  // The lines of the student's file that moved it, if there is room.
  static void draw_source_lines(const Frame& f, const LevelTraffic& traffic, bool without_lanes, Rect area) {
    const double bytes = all_bytes(traffic);
    const auto& launch = f.session.a()->launch();
    const uint32_t source = f.session.a()->main_source();
    const auto text = source < launch.sources.size() ? text::lines_of(launch.sources[source].text)
                                                     : std::vector<std::string_view>{};
    const float row = f.theme.px(17);
    for (size_t i = 0; i < std::min<size_t>(3, traffic.lines.size()) && area.h >= row; ++i) {
      const LineBytes& one = traffic.lines[i];
      Rect line = area.take_top(row);
      const bool wastes = one.ideal > 0 && one.bytes > one.ideal * 1.02;
      const std::string words = fmt::format("{} by line {}", percent_text(one.bytes / bytes), one.line);
      f.canvas.text({line.x, line.centre().y}, words, wastes ? f.theme.waste : f.theme.dim, f.theme.small());
      line.take_left(f.theme.px(98));
      if (one.line == 0 || one.line > text.size()) continue;
      std::string_view code = text::code_of(text[one.line - 1]);
      f.canvas.text({line.x, line.centre().y}, f.canvas.shortened(code, line.w, f.theme.small_code()),
                    f.theme.dim, f.theme.small_code());
    }
    if (const std::string rest = rest_text(traffic, without_lanes); !rest.empty() && area.h >= row) {
      const Rect line = area.take_top(row);
      f.canvas.text({line.x, line.centre().y}, rest, f.theme.dim, f.theme.small());
    }
  }

  // The shown access: one pulse per sector or wavefront, solid for those that are needed. Pulses go
  // as deep as the sectors of this instruction did in the whole launch.
  static void draw_pulses(const Frame& f, const LoadedTrace& trace, const Boxes& boxes) {
    const trace::TraceRecord* record = f.session.record();
    const bool moving = f.session.playback().playing() || f.session.playback().moving();
    if (!record || !record->is_access() || !moving) return;
    const auto& mark = f.session.timeline()->mark(f.session.playback().at());
    const uint32_t pulses = std::min<uint32_t>(mark.actual, 32);
    if (pulses == 0) return;
    const bool shared = mark.space == trace::RecordSpace::shared;
    const bool crosses = boxes[warp_model::kPeers].w > 0 && record_on_link(trace, *record);
    const auto depth = shared ? std::array<double, 3>{1, 0, 0} : depth_of(trace, mark.instruction);
    const bool store = mark.kind == trace::RecordKind::store || mark.kind == trace::RecordKind::reduction;
    const float moved = f.session.playback().moved();
    const float width = boxes[0].w * 0.86f;
    for (uint32_t i = 0; i < pulses; ++i) {
      const double part = (i + 0.5) / pulses;
      const size_t level = crosses              ? warp_model::kPeers
                           : part < depth[0]            ? 1
                           : part < depth[0] + depth[1] ? 2
                                                        : 3;
      const float x = boxes[0].centre().x - width / 2 +
                      width * (static_cast<float>(i) + 0.5f) / static_cast<float>(pulses);
      const float end = crosses ? boxes[level].x + boxes[level].w * static_cast<float>(part) : x;
      const Point top{x, boxes[0].bottom() - f.theme.px(4)}, bottom{end, boxes[level].y + f.theme.px(4)};
      const Point at = store ? mix(top, bottom, moved) : mix(bottom, top, moved);
      const bool needed = i < mark.ideal;
      f.canvas.line(top, bottom, (needed ? f.theme.useful : f.theme.waste).faded(0.25f), f.theme.px(1));
      if (needed)
        f.canvas.disc(at, f.theme.px(4), f.theme.useful);
      else
        f.canvas.ring(at, f.theme.px(4), f.theme.waste, f.theme.px(2));
    }
  }

  static inline const LaunchTraffic kNothing{};
  uint64_t seen_ = 0;  // LoadedTrace::id()
  LaunchTraffic traffic_;
};

}  // namespace

std::unique_ptr<View> make_pyramid_view() {
  return std::make_unique<PyramidView>();
}

}  // namespace ridge::view

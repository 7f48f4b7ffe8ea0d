// Lanes above the 128-byte lines that they touch: a coalesced access is a set of parallel lines to
// solid boxes, a strided one a fan to lines that are mostly hatched.
#include <fmt/format.h>

#include <array>

#include "visualizer/session/analysis/footprint.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/session/text/event_text.h"
#include "visualizer/views/access/lane_row.h"
#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

using trace::RecordKind;
using trace::RecordSpace;

class WarpView : public View {
 public:
  WarpView() : View(trace::ViewKind::warp) {}
  std::string_view sentence() const override {
    return "The 32 lanes of one warp, above the memory they ask for: each row is a line of 128 bytes, each "
           "box in it a "
           "sector of 32, the least that moves.";
  }
  std::string_view sentence_now(const Session& session) const override {
    const auto* record = session.record();
    if (record && !record->is_access())
      return "The 32 lanes of one warp: solid ones take part in what it does here, which touches no memory "
             "itself.";
    if (record && record->is_received())
      return "No lane of this block takes part: another block of the cluster asked for these bytes, and its "
             "copy engine brings them here too. Each row is 128 bytes.";
    if (record && record->shape == trace::RecordShape::runs && record->space == RecordSpace::shared)
      return "No lane moves these bytes: a hardware unit does, the warp only issued the operation. Each row is 128 bytes "
             "of shared memory, one word for each of the 32 banks.";
    if (record && record->shape == trace::RecordShape::runs)
      return "No lane moves these bytes: a hardware unit does, a lane only issued the operation. Each row is a line of "
             "128 bytes, each box in it a sector of 32.";
    if (record && record->space == RecordSpace::local)
      return "The 32 lanes of one warp, above their local memory: a row has the same word of every lane, so "
             "lanes that ask for one word share its 4 sectors.";
    if (!record || record->space != RecordSpace::shared) return sentence();
    return "The 32 lanes of one warp, above the shared memory they ask for: each row is 128 bytes, one word "
           "for "
           "each of the 32 banks. Words below each other lie in one bank, which gives one at a time.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "bytes asked for"},
            {Role::waste, "fetched, not used; or delayed by a bank conflict"},
            {Role::quiet, "inactive lane, or sector not fetched"},
            {Role::focus, "selected"}};
  }

  void draw(const Frame& f) override {
    const auto* record = f.session.record();
    if (!record) return draw_empty(f, why_nothing(f.session.a()->trace()));
    Rect area = f.area;
    const Selection selected = f.session.selected();
    const bool lines = record->is_access();
    // Labels are to the left of the rows, below nothing.
    const float label = std::min(f.theme.px(150), area.w * 0.22f);
    Rect lanes_area = area.take_top(f.theme.px(54));
    lanes_area.take_left(label);
    const Columns columns(lanes_area, f.theme.px(10));
    if (lines) {
      draw_lines(f, *record, columns, area, selected);
    } else {
      draw_event(f, *record, area);
    }
    draw_lanes(f, *record, columns, lanes_area, selected);
  }

 private:
  static std::string why_nothing(const trace::AccessTrace& trace) {
    if (trace.records() != 0) return "No access is recorded for this block; up and down choose another.";
    if (trace.notes.rung.empty() || trace.notes.solution) return "This kernel touches no memory.";
    return "This kernel touches no memory yet: what is marked TODO in it comes first. Trace it again then, "
           "and what its warps do is drawn here.";
  }

  static void draw_event(const Frame& f, const trace::TraceRecord& record, Rect area) {
    area.take_top(f.theme.px(30));
    f.canvas.text({area.centre().x, area.y + f.theme.px(20)}, what_it_does(record), f.theme.text,
                  f.theme.heading(Align::centre));
    Point at{area.centre().x, area.y + f.theme.px(46)};
    for (const std::string& line :
         f.canvas.wrapped(event_text(f.session.a()->trace(), record), area.w * 0.9f, f.theme.body())) {
      f.canvas.text(at, line, f.theme.dim, f.theme.body(Align::centre));
      at.y += f.theme.px(18);
    }
  }

  static void draw_lines(const Frame& f, const trace::TraceRecord& record, const Columns& columns, Rect area,
                         const Selection& selected) {
    const bool shared = record.space == RecordSpace::shared;
    const Footprint print = footprint_of(record);
    if (print.lines.empty()) return;
    const float moved = f.session.playback().moved();
    Rect rows = area;
    const float curtain = std::clamp(area.h * 0.22f, f.theme.px(30), f.theme.px(130));
    rows.take_top(curtain);
    if (print.left_out) {
      f.canvas.text({rows.x + rows.w / 2, rows.bottom() - f.theme.px(8)},
                    fmt::format("and {} more lines, which do not fit here", print.left_out), f.theme.dim,
                    f.theme.small(Align::centre));
      rows.take_bottom(f.theme.px(18));
    }
    // A window may be too small for any row.
    const float pitch =
        std::max(0.5f, std::min(f.theme.px(34), rows.h / static_cast<float>(print.lines.size())));
    const float height = std::max(2.0f, pitch - std::min(f.theme.px(6), pitch * 0.25f));
    const auto row_of = [&](uint64_t line) {
      const auto found =
          std::lower_bound(print.lines.begin(), print.lines.end(), line,
                           [](const TouchedLine& one, uint64_t key) { return one.line < key; });
      return found != print.lines.end() && found->line == line ? static_cast<int>(found - print.lines.begin())
                                                               : -1;
    };
    const uint32_t late =
        f.session.cost_hidden() ? 0 : warp_model::delayed_lanes(f.session.a()->wavefronts_of(record));
    // Draw the curves first: boxes and numbers cover them.
    for (uint32_t lane = 0; lane < 32 && record.shape != trace::RecordShape::runs; ++lane) {
      if (!(record.mask >> lane & 1)) continue;
      const uint64_t address = place_of(record, lane);
      const int row = row_of(address / 128);
      if (row < 0) continue;
      const bool hot = selected.lane == lane || (!shared && selected.sector == address / 32);
      const Point from{columns.centre(lane), area.y - f.theme.px(12)};
      const uint32_t word = static_cast<uint32_t>(address % 128 / 4 * 4);
      const float x = (columns.byte_x(word) + columns.byte_end(word + 3)) / 2;
      const Point goal{x, rows.y + pitch * static_cast<float>(row)};
      const Point to = mix(from, goal, moved);
      const float bend = (to.y - from.y) * 0.5f;
      f.canvas.curve(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to,
                     hot ? f.theme.focus
                         : (late >> lane & 1 ? f.theme.waste : f.theme.useful)
                               .faded(print.lines.size() > 8 ? 0.5f : 0.8f),
                     f.theme.px(hot ? 2.5f : 1.3f));
    }
    // All of it at the word of one lane.
    if (record.shape == trace::RecordShape::runs && record.mask != 0) {
      const Point from{columns.centre(static_cast<uint32_t>(std::countr_zero(record.mask))),
                       area.y - f.theme.px(12)};
      for (const float x : {columns.byte_x(0), columns.byte_end(127)}) {
        const Point to = mix(from, {x, rows.y}, moved);
        const float bend = (to.y - from.y) * 0.5f;
        f.canvas.curve(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to, f.theme.useful.faded(0.8f),
                       f.theme.px(1.3f));
      }
    }
    // If rows are thin, not every one has a label.
    const size_t named = std::max<size_t>(1, static_cast<size_t>(std::ceil(f.theme.px(12) / pitch)));
    for (size_t i = 0; i < print.lines.size(); ++i) {
      if (i % named == 0)
        draw_name(f, record, columns, print.lines[i], rows.y + pitch * static_cast<float>(i) + height / 2,
                  rows.x);
      const Rect row{rows.x, rows.y + pitch * static_cast<float>(i), rows.w, height};
      draw_line(f, record, columns, print.lines[i], row, selected, moved, late);
    }
  }

  static void draw_late(const Frame& f, const trace::TraceRecord& record, const Columns& columns,
                        uint64_t sector, Rect row, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
      const uint64_t address = record.addresses[std::countr_zero(lanes)];
      if (address / 32 != sector) continue;
      const uint32_t first = static_cast<uint32_t>(address % 128),
                     last = std::min(first + std::max(record.bytes, 4u), 128u) - 1;
      const Rect word{columns.byte_x(first), row.y, columns.byte_end(last) - columns.byte_x(first), row.h};
      f.canvas.box(word, f.theme.panel);
      f.canvas.box(word, f.theme.waste.faded(0.3f));
      f.canvas.hatch(word, f.theme.waste, f.theme.px(5), f.theme.px(1.4f));
      f.canvas.frame(word, f.theme.waste, 1);
    }
  }

  static void draw_name(const Frame& f, const trace::TraceRecord& record, const Columns& columns,
                        const TouchedLine& line, float y, float left) {
    const std::string label = record.space == RecordSpace::local
                                  ? fmt::format("local word {}", line.line)
                                  : element_name(f.session.a()->trace(), record, line.line * 128);
    const TextStyle style = f.theme.small_code();
    f.canvas.text({left, y}, with_its_place(f.canvas, label, columns.left() - left - f.theme.px(8), style),
                  f.theme.dim, style);
  }

  // "cudaMalloc #1 at sum.cu:12 + 4,096 B" with less room: keep the offset, which distinguishes
  // rows; the tooltip has the rest.
  static std::string with_its_place(Canvas& canvas, std::string label, float width, const TextStyle& style) {
    if (canvas.text_width(label, style) <= width) return label;
    const size_t begins = label.rfind(" + ");
    if (begins == label.npos) return canvas.shortened(label, width, style);
    const std::string place = label.substr(begins);
    label.resize(std::min(begins, label.find(" at ")));
    return canvas.shortened(label, width - canvas.text_width(place, style), style) + place;
  }

  static void draw_line(const Frame& f, const trace::TraceRecord& record, const Columns& columns,
                        const TouchedLine& line, Rect row, const Selection& selected, float moved,
                        uint32_t late) {
    const bool shared = record.space == RecordSpace::shared;
    for (uint32_t k = 0; k < 4; ++k) {
      const Rect box{columns.byte_x(k * 32), row.y, columns.byte_end(k * 32 + 31) - columns.byte_x(k * 32),
                     row.h};
      const uint64_t number = line.line * 4 + k;
      // While the cost is to be predicted, show only the requested words, not what is fetched for
      // them.
      const bool hidden = f.session.cost_hidden();
      const auto found = std::find_if(line.sectors.begin(), line.sectors.end(),
                                      [&](const TouchedSector& s) { return s.sector == number; });
      if (found == line.sectors.end()) {
        f.canvas.frame(box, f.theme.grid, 1);
        continue;
      }
      if (!shared && !hidden && found->used != ~uint32_t{0}) {
        f.canvas.box(box, f.theme.waste.faded(0.16f * moved));
        f.canvas.hatch(box, f.theme.waste.faded(moved), f.theme.px(6), f.theme.px(1.4f));
      }
      for (uint32_t byte = 0; byte < 32;) {
        if (!(found->used >> byte & 1)) {
          ++byte;
          continue;
        }
        uint32_t end = byte;
        while (end < 32 && (found->used >> end & 1) && (end % 4 != 0 || end == byte))
          ++end;
        const float left = columns.byte_x(k * 32 + byte), right = columns.byte_end(k * 32 + end - 1);
        f.canvas.box({left, row.y, std::max(1.0f, right - left - (right - left > 6 ? 1.0f : 0.0f)), row.h},
                     f.theme.useful.faded(0.25f + 0.75f * moved));
        byte = end;
      }
      if (hidden) {
        f.canvas.frame(box, f.theme.grid, 1);
        continue;
      }
      if (late & found->lanes) draw_late(f, record, columns, number, row, late & found->lanes);
      const bool hot = selected.sector == number || (selected.lane && (found->lanes >> *selected.lane & 1));
      f.canvas.frame(box,
                     hot      ? f.theme.focus
                     : shared ? f.theme.edge
                              : mix(f.theme.edge, f.theme.waste, found->used == ~0u ? 0.0f : 0.5f),
                     f.theme.px(hot ? 2.5f : 1));
      sector_region(f, *found, box, shared);
    }
  }

  static void sector_region(const Frame& f, const TouchedSector& sector, Rect box, bool shared) {
    Session* session = &f.session;
    f.canvas.region(
        box, fmt::format("sector/{}", sector.sector),
        [session, sector, shared] {
          const auto* record = session->record();
          const uint32_t used = warp_model::active_lanes(sector.used);
          return fmt::format(
              "{}\n{}{} of 32 bytes used\n{}",
              record->space == RecordSpace::local
                  ? fmt::format("word {} of the local memory of lanes {} to {}", sector.sector / 4,
                                sector.sector % 4 * 8, sector.sector % 4 * 8 + 7)
                  : element_name(session->a()->trace(), *record, sector.sector * 32),
              shared ? "" : "sector of 32 bytes, ", used, lanes_text(sector.lanes));
        },
        [session, sector, shared](const Gesture& g) {
          Selection what;
          what.sector = sector.sector;
          if (shared) what.sector.reset(), what.word = static_cast<uint32_t>(sector.sector * 8);
          if (g.kind == GestureKind::hover) session->hot = what;
          if (g.kind == GestureKind::press) session->toggle_pin(what);
        });
  }
};

}  // namespace

std::unique_ptr<View> make_warp_view() {
  return std::make_unique<WarpView>();
}

}  // namespace ridge::view

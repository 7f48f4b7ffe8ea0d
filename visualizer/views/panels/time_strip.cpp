// All records of the shown block: one row per warp, aligned at barriers, and one bar per access,
// with its cost as height. The solid part is what the access needed, the hatched part is waste.
// Long blocks are drawn by pixel column, each with its most expensive access.
#include <fmt/format.h>

#include "text/numbers.h"
#include "visualizer/session/analysis/warp_columns.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/panels/panels.h"

namespace ridge::view {
namespace {

class TimeStrip : public View {
 public:
  TimeStrip() : View("time", "Time") {}
  std::string_view sentence() const override {
    return "Simulator order, not time: warps side by side, aligned at barriers; a bar is an access, as high as "
           "its cost.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "needed"},
            {Role::waste, "too many"},
            {Role::level, "waits, issues, barriers"},
            {Role::focus, "shown"}};
  }

  bool zooms() const override { return true; }
  // W and S zoom at the shown access, A and D move, F shows everything.
  bool press(Session& session, char key) override {
    if (!seen_ || seen_ != session.timeline() || seen_->empty()) return false;
    const double size = columns_.count, width = to_ - from_;
    const double here = columns_.of_record[session.playback().at()] + 0.5;
    if (key == 'w' || key == 's') {
      zoom(key == 'w' ? 1.5f : -1.5f, std::clamp((here - from_) / width, 0.0, 1.0));
    } else if (key == 'a' || key == 'd') {
      from_ = std::clamp(from_ + (key == 'a' ? -0.15 : 0.15) * width, 0.0, size - width);
      to_ = from_ + width;
      held_ = session.playback().at();
    } else if (key == 'f') {
      from_ = 0, to_ = size;
    } else {
      return false;
    }
    return true;
  }

  void draw(const Frame& f) override {
    const auto* timeline = f.session.timeline();
    if (!timeline || timeline->empty()) return draw_empty(f, "Nothing is recorded for this block.");
    if (seen_ != timeline || columns_.of_record.size() != timeline->size()) {
      seen_ = timeline, columns_ = columns_of(*timeline);
      from_ = 0, to_ = columns_.count, held_.reset();
    }
    Rect area = f.area;
    const Rect names = area.take_left(f.theme.px(56));
    if (timeline->dropped()) draw_left_out(f, area.take_right(f.theme.px(66)), timeline->dropped());
    follow(f.session.playback().at());
    const uint32_t warps = std::max(1u, timeline->warps());
    const uint32_t shown_warp = timeline->mark(f.session.playback().at()).warp;
    // Prefer thin rows to hidden ones: a block's 32 warps are visible even in a window of 640 x
    // 480.
    const uint32_t fit = std::max(1u, static_cast<uint32_t>(area.h / f.theme.px(2.5f)));
    const uint32_t rows = std::min(warps, fit);
    first_ = std::clamp(shown_warp < rows / 2 ? 0 : shown_warp - rows / 2, 0u, warps - rows);
    rows_ = rows;
    const float pitch = area.h / static_cast<float>(rows);
    draw_barriers(f, area);
    uint32_t named = 1;  // label every row, every second, fourth, ..., as there is room
    while (pitch * static_cast<float>(named) < f.theme.px(11))
      named *= 2;
    for (uint32_t i = 0; i < rows; ++i) {
      const Rect row{area.x, area.y + pitch * static_cast<float>(i), area.w, pitch};
      const bool here = first_ + i == shown_warp;
      if (here) f.canvas.box(row, f.theme.focus.faded(0.07f));
      if (i % named == 0)
        f.canvas.text({names.x, row.centre().y}, fmt::format("warp {}", first_ + i),
                      here ? f.theme.text : f.theme.faint, f.theme.small_code());
      draw_row(f, *timeline, first_ + i, row);
    }
    draw_cursor(f, area);
    add_region(f, area);
  }

 private:
  // The trace's limit was reached before the block's end.
  static void draw_left_out(const Frame& f, Rect area, uint64_t records) {
    area.take_left(f.theme.px(6));
    f.canvas.hatch(area, f.theme.grid, f.theme.px(6));
    f.canvas.frame(area, f.theme.edge, 1);
    const TextStyle style = f.theme.small(Align::centre);
    const std::string number =
        f.canvas.shortened(text::with_thousands(records), area.w - f.theme.px(4), style);
    f.canvas.text({area.centre().x, area.centre().y - f.theme.px(7)}, number, f.theme.text, style);
    f.canvas.text({area.centre().x, area.centre().y + f.theme.px(7)}, "left out", f.theme.dim, style);
    f.canvas.region(area, "left-out", [records] {
      return fmt::format(
          "{} records more of this block did not fit into the trace\nraise --limit when you record "
          "it, or name fewer --blocks",
          text::with_thousands(records));
    });
  }

  float x_of(Rect area, double column) const {
    return area.x + static_cast<float>((column - from_) / (to_ - from_)) * area.w;
  }

  // Lines at which the warps continue together; none if there are too many.
  void draw_barriers(const Frame& f, Rect area) const {
    const float slot = area.w / static_cast<float>(to_ - from_);
    const auto begin = std::lower_bound(columns_.barriers.begin(), columns_.barriers.end(), from_);
    const auto end = std::upper_bound(begin, columns_.barriers.end(), to_);
    if (static_cast<float>(end - begin) * f.theme.px(4) > area.w) return;
    for (auto at = begin; at != end; ++at) {
      const float x = x_of(area, *at) - std::min(slot, f.theme.px(2)) * 0.25f;
      f.canvas.line({x, area.y}, {x, area.bottom()}, f.theme.level.faded(0.45f), f.theme.px(1));
    }
  }

  void follow(size_t at) {  // scrolls when the shown access leaves the zoomed range
    const double width = to_ - from_, size = columns_.count, here = columns_.of_record[at];
    if (held_ == at) return;  // the user looks elsewhere, until another access is shown
    held_.reset();
    if (here < from_ || here + 1 > to_) from_ = here - width / 2;
    from_ = std::clamp(from_, 0.0, std::max(0.0, size - width));
    to_ = std::min(size, from_ + width);
  }

  void draw_row(const Frame& f, const trace::BlockTimeline& timeline, uint32_t warp, Rect row) const {
    const auto records = timeline.of_warp(warp);
    const float scale = (row.h - 2) / static_cast<float>(std::max(1u, timeline.largest_cost()));
    const float slot = row.w / static_cast<float>(to_ - from_);
    const float width = std::max(1.0f, std::min(slot - (slot > 4 ? 1.0f : 0.0f), f.theme.px(14)));
    // The columns of a warp's records are ascending.
    const auto first_from = [&](auto from, double column) {
      return std::lower_bound(from, records.end(), column, [&](uint32_t record, double at) {
        return columns_.of_record[record] < at;
      });
    };
    for (auto it = first_from(records.begin(), std::floor(from_));
         it != records.end() && columns_.of_record[*it] < to_;) {
      // One pixel column: the most expensive access in it.
      const float x = x_of(row, columns_.of_record[*it]);
      const trace::RecordMark* worst = &timeline.mark(*it);
      auto next = it + 1;
      if (slot < 1) {
        const double column_end =
            from_ + std::ceil(static_cast<double>((x - row.x) / slot) + 1e-6 + 1 / static_cast<double>(slot));
        next = first_from(it, std::floor(std::min(column_end, to_)));
        if (next == it) ++next;
        for (auto one = it; one != next; ++one)
          if (timeline.mark(*one).actual > worst->actual ||
              (!worst->is_access() && timeline.mark(*one).is_access()))
            worst = &timeline.mark(*one);
      }
      it = next;
      if (!worst->is_access()) {
        f.canvas.box({x, row.y + row.h * 0.3f, std::clamp(width, 1.0f, f.theme.px(2)), row.h * 0.4f},
                     slot > 2 ? f.theme.level : f.theme.level.faded(0.6f));
        continue;
      }
      const float whole = std::max(1.0f, static_cast<float>(worst->actual) * scale);
      const float needed = std::min(whole, static_cast<float>(worst->ideal) * scale);
      const float bottom = row.bottom() - 1;
      if (f.session.prediction.asking) {
        f.canvas.box({x, row.y + row.h * 0.4f, width, row.h * 0.5f}, f.theme.faint);
        continue;
      }
      if (worst->waste()) {
        const Rect waste{x, bottom - whole, width, whole - needed};
        f.canvas.box(waste, f.theme.waste.faded(width > 5 ? 0.45f : 0.9f));
        if (width > 5) f.canvas.hatch(waste, f.theme.waste, f.theme.px(4), f.theme.px(1.2f));
      }
      f.canvas.box({x, bottom - std::max(1.0f, needed), width, std::max(1.0f, needed)}, f.theme.useful);
    }
  }

  void draw_cursor(const Frame& f, Rect area) const {
    const Playback& playback = f.session.playback();
    const float slot =
        std::max(f.theme.px(3), std::min(area.w / static_cast<float>(to_ - from_), f.theme.px(14)));
    const float pitch = area.h / static_cast<float>(rows_);
    const auto place = [&](size_t record) {
      const float row = std::clamp(static_cast<float>(seen_->mark(record).warp) - static_cast<float>(first_),
                                   0.0f, static_cast<float>(rows_ - 1));
      return Point{x_of(area, columns_.of_record[record]), area.y + pitch * row};
    };
    const Point at = mix(place(std::min(playback.before(), seen_->size() - 1)), place(playback.at()),
                         playback.moved());
    const float height = std::max(pitch, f.theme.px(8));
    const float top = std::clamp(at.y - (height - pitch) / 2, area.y, area.bottom() - height);
    f.canvas.frame({at.x - f.theme.px(1), top, slot + f.theme.px(2), height}, f.theme.focus, f.theme.px(2));
  }

  void add_region(const Frame& f, Rect area) {
    Session* session = &f.session;
    // For the warp in that row; if that warp has no records, for the shown one.
    const auto record_at = [this, area, session](Point at) -> size_t {
      const double column = from_ + static_cast<double>((at.x - area.x) / area.w) * (to_ - from_);
      const float row = (at.y - area.y) / area.h * static_cast<float>(rows_);
      const uint32_t warp =
          first_ + static_cast<uint32_t>(std::clamp(row, 0.0f, static_cast<float>(rows_) - 0.5f));
      const bool has_records = !seen_->of_warp(warp).empty();
      return columns_.record_at(*seen_, has_records ? warp : seen_->mark(session->playback().at()).warp,
                                column);
    };
    const auto words = [this, session] {
      const auto* timeline = session->timeline();
      const size_t at =
          std::min(session->hot.access.value_or(session->playback().at()), timeline->size() - 1);
      const auto& mark = timeline->mark(at);
      std::string text = fmt::format("access {} of {}, warp {}", text::with_thousands(at + 1),
                                     text::with_thousands(timeline->size()), mark.warp);
      if (mark.instruction < session->a()->launch().instructions.size())
        text += fmt::format(", line {}", session->a()->launch().instructions[mark.instruction].line);
      if (mark.is_access() && !session->prediction.asking)
        text += fmt::format("\n{}", cost_text(mark.space, mark.actual, mark.ideal));
      return text;
    };
    f.canvas.region(area, "strip", words, [this, session, record_at, area](const Gesture& g) {
      const size_t at = record_at(g.at);
      if (g.kind == GestureKind::hover) session->hot.access = at;
      if (g.kind == GestureKind::press || g.kind == GestureKind::drag) session->playback().go_to(at);
      if (g.kind == GestureKind::wheel) zoom(g.wheel, static_cast<double>((g.at.x - area.x) / area.w));
    });
  }

  void zoom(float wheel, double where) {
    const double size = columns_.count, width = to_ - from_;
    const double wanted =
        std::clamp(width * std::pow(0.8, static_cast<double>(wheel)), std::min(size, 16.0), size);
    from_ = std::clamp(from_ + (width - wanted) * where, 0.0, size - wanted);
    to_ = from_ + wanted;
  }

  const trace::BlockTimeline* seen_ = nullptr;
  WarpColumns columns_;
  uint32_t first_ = 0, rows_ = 1;  // the visible warps
  double from_ = 0, to_ = 1;       // columns
  std::optional<size_t> held_;  // the user has moved away from this access
};

}  // namespace

std::unique_ptr<View> make_time_strip() {
  return std::make_unique<TimeStrip>();
}

}  // namespace ridge::view

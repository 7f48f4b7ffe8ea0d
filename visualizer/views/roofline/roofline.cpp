// The roofline: the work per second of each run over its work per byte moved. To the left of the
// ridge point the memory is the roof, to the right of it arithmetic.
#include "visualizer/session/analysis/roofline.h"

#include <fmt/format.h>

#include <cmath>

#include "visualizer/draw/plot.h"
#include "visualizer/views/roofline/roofline_points.h"
#include "visualizer/views/roofline/roofline_roofs.h"
#include "visualizer/views/roofline/roofline_words.h"
#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

class RooflineView : public View {
 public:
  RooflineView() : View(trace::ViewKind::roofline) {}
  std::string_view sentence() const override {
    return "Work per second over work per byte moved. A disc was measured; a bar below a cap is a bound: the "
           "model says at most so fast. The gap to the roof above is what is left to win.";
  }
  std::vector<LegendEntry> legend() const override {
    return {
        {Role::level, "roof of the device"}, {Role::waste, "moved, not needed"}, {Role::focus, "selected"}};
  }

  bool zooms() const override { return true; }
  bool press(Session& session, char key) override {
    if (key == kEscape) return asking_.reset(), true;
    if (key == 'f') return zoomed_ = false, asking_.reset(), true;
    if (key == 'i' || key == 'o') return ask_of_newest(session, key == 'i' ? 1.25 : 0.8), true;
    if (!zoomed_ && !shown_.area.empty() && (key == 'w' || key == 's' || key == 'a' || key == 'd'))
      zoomed_ = true, x_ = shown_.x, y_ = shown_.y;
    if (!zoomed_) return false;
    const double x = x_.value(shown_.area.centre().x), y = y_.value(shown_.area.centre().y);
    if (key == 'w') return x_.zoom(x, 1.25), y_.zoom(y, 1.25), true;
    if (key == 's') return x_.zoom(x, 0.8), y_.zoom(y, 0.8), true;
    if (key == 'a') return x_.pan(60), true;
    if (key == 'd') return x_.pan(-60), true;
    return false;
  }

  void draw(const Frame& f) override {
    read(f.session);
    if (f.area.w < f.theme.px(220) || f.area.h < f.theme.px(150))
      return draw_empty(f, "The window is too small for a plot.");
    choose_unit(f.session);
    if (!zoomed_) fit();
    Rect area = f.area;
    draw_size_note(f, area.take_top(f.theme.px(16)));
    shown_ = make_plot(f.theme, area, x_, y_);
    x_ = shown_.x, y_ = shown_.y;
    draw_axes(f.canvas, f.theme, shown_,
              !bytes_                      ? "arithmetic intensity: operations per byte moved"
              : f.area.w < f.theme.px(560) ? "useful bytes per byte moved"
              : newest_ == 0
                  ? "useful bytes per byte moved (a trace counts no arithmetic; grade it for that)"
                  : "useful bytes per byte moved (no arithmetic in this kernel)",
              "", bytes_ ? "useful bytes per second" : "operations per second", rate_unit(bytes_));
    f.canvas.region(shown_.area, "roofline/plot", {}, [this](const Gesture& g) { move_plot(g); });
    {
      const Clip clip(f.canvas, shown_.area);
      draw_roofs(f, roofs_, shown_, bytes_, places_of_points(f, scene()));
      draw_trails(f, scene());
    }
    draw_points(f, scene(), [this, session = &f.session](const RunPoint& point, const Gesture& g) {
      act(*session, point, g);
    });
    draw_marks_key(f, shown_, runs_.without_figures);
    if (asking_) draw_what_if(f, roofs_, shown_, *asking_);
    if (runs_.points.empty() && runs_.course.empty()) {
      const Rect place{shown_.area.x + shown_.area.w * 0.42f, shown_.area.bottom() - f.theme.px(90),
                       shown_.area.w * 0.56f, f.theme.px(60)};
      f.canvas.box(place, f.theme.panel_head, f.theme.px(4));
      draw_empty({f.canvas, f.theme, f.session, place}, why_none(f.session));
    }
  }

 private:
  PointScene scene() const { return {runs_, roofs_, shown_, rung_, newest_, bytes_}; }

  static std::string why_none(const Session& session) {
    const auto* report = session.a() ? session.a()->report() : nullptr;
    if (report && report->ideal_bytes == 0)
      return "This launch accesses no memory, so it has no point here.";
    return fmt::format(
        "No run with figures for the {} yet: `ridge grade LAB/RUNG` puts the first point here as it lands.",
        session.device().product_name);
  }

  void read(Session& session) {
    const auto key =
        std::tuple(session.runs_version(), session.device().name, session.a() ? session.a()->id() : 0,
                   static_cast<const void*>(session.ladder()));
    if (key == read_) return;
    read_ = key;
    roofs_ = roofs_of(session.device(), session.runs());
    runs_ = roofline_runs(session, roofs_);
  }

  // The selected rung: the open trace's, otherwise the newest run's.
  void choose_unit(const Session& session) {
    rung_ = session.a() ? session.a()->trace().notes.rung : std::string();
    const RunPoint* newest = nullptr;
    for (const RunPoint& point : runs_.points)
      if (rung_.empty() || point.rung == rung_) newest = &point;
    if (!newest && !runs_.points.empty()) newest = &runs_.points.back();
    const RunPoint* reference = nullptr;
    for (const RunPoint& point : runs_.course)
      if (!newest && (rung_.empty() || point.rung == rung_)) reference = &point;
    if (newest) rung_ = newest->rung;
    bytes_ = newest ? newest->counts_bytes() : reference && reference->counts_bytes();
    newest_ = newest ? newest->run : -1;
  }

  void fit() {
    double x_low = bytes_ ? 0.05 : 0.1, x_high = bytes_ ? 4 : 1000, y_low = 1e30, y_high = 0;
    for (const auto* points : {&runs_.points, &runs_.course})
      for (const RunPoint& point : *points) {
        if (point.counts_bytes() != bytes_) continue;
        x_low = std::min(x_low, std::min(point.intensity(), point.ideal_intensity()) / 2);
        x_high = std::max(x_high, point.ideal_intensity() * 3);
        y_low = std::min(y_low, point.rate() / 4);
        y_high = std::max(y_high, point.rate() * 3);
      }
    const double top = bytes_ ? roofs_.l1.rate * 1.6 : std::max(roofs_.tensor.rate, roofs_.fp32.rate) * 2.5;
    x_ = {x_low, x_high, 0, 1};
    y_ = {std::min(y_low, roofs_.dram.rate * x_low), std::max(y_high, top), 0, 1};
  }

  void move_plot(const Gesture& g) {
    if (g.kind != GestureKind::drag && g.kind != GestureKind::wheel) return;
    zoomed_ = true, x_ = shown_.x, y_ = shown_.y;
    if (g.kind == GestureKind::drag) {
      x_.pan(g.moved.x), y_.pan(g.moved.y);
    } else {
      const double by = g.wheel > 0 ? 1.15 : 1 / 1.15;
      x_.zoom(shown_.x.value(g.at.x), by), y_.zoom(shown_.y.value(g.at.y), by);
    }
    shown_.x = x_, shown_.y = y_;  // several events may precede the next picture
  }

  // The sizes of the shown runs: one line above the plot.
  void draw_size_note(const Frame& f, Rect area) const {
    const std::string words = size_note(runs_, rung_);
    if (words.empty()) return;
    f.canvas.text({area.x, area.centre().y}, f.canvas.shortened(words, area.w, f.theme.small()), f.theme.dim,
                  f.theme.small());
  }

  void act(Session& session, const RunPoint& point, const Gesture& g) {
    if (g.kind == GestureKind::hover) session.hot.run = point.run;
    if (g.kind == GestureKind::press) {
      Selection pin;
      pin.run = point.run;
      session.toggle_pin(pin);
      asking_.reset();
    }
    if (g.kind == GestureKind::drag) {
      const Rect& area = shown_.area;
      const Point at{std::clamp(g.at.x, area.x, area.right()), std::clamp(g.at.y, area.y, area.bottom())};
      asking_ = {point, shown_.x.value(at.x), shown_.y.value(at.y)};
      session.pinned.run = point.run;
    }
  }

  // Reduces the bytes in steps; the rate increases in proportion, up to the roof.
  void ask_of_newest(const Session& session, double by) {
    const auto asked = session.pinned.run.value_or(newest_);
    const auto found = std::find_if(runs_.points.begin(), runs_.points.end(), [&](const RunPoint& p) {
      return p.run == (asking_ ? asking_->point.run : asked);
    });
    if (found == runs_.points.end()) return;
    const double x = (asking_ ? asking_->intensity : found->intensity()) * by;
    const double ms = time_with(*found, roofs_, found->work() / x);
    asking_ = {*found, x, found->work() / (ms / 1000)};
  }

  std::tuple<uint64_t, std::string_view, uint64_t, const void*> read_{~uint64_t{0}, {}, 0, nullptr};
  Roofs roofs_;
  RooflineRuns runs_;
  std::string rung_;
  int64_t newest_ = -1;
  bool bytes_ = false, zoomed_ = false;
  LogAxis x_, y_;
  Plot shown_;
  std::optional<Asking> asking_;
};

}  // namespace

std::unique_ptr<View> make_roofline_view() {
  return std::make_unique<RooflineView>();
}

}  // namespace ridge::view

// The roofline: how much work a second a kernel does, over how much work it does for each byte it moves. Left
// of the ridge the memory is the roof, right of it arithmetic is.
#include "visualizer/session/roofline.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "visualizer/draw/plot.h"
#include "visualizer/views/roofline_roofs.h"
#include "visualizer/views/roofline_words.h"
#include "visualizer/views/view_list.h"

namespace ridge::view {
namespace {

class RooflineView : public View {
 public:
  std::string_view id() const override { return "roofline"; }
  std::string_view name() const override { return "Roofline"; }
  std::string_view sentence() const override {
    return "Each point is a run: higher is faster, further right is more work for each byte moved; the gap "
           "to "
           "the line above is what is left to win.";
  }
  bool needs_trace() const override { return false; }
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
    shown_ = make_plot(f.theme, f.area, x_, y_);
    x_ = shown_.x, y_ = shown_.y;
    draw_axes(f.canvas, f.theme, shown_,
              !bytes_                      ? "operations for each byte moved (intensity)"
              : f.area.w < f.theme.px(560) ? "useful bytes for each byte moved"
              : newest_ == 0
                  ? "useful bytes for each byte moved (a trace counts no arithmetic; grade it for that)"
                  : "useful bytes for each byte moved (no arithmetic in this kernel)",
              "", bytes_ ? "useful bytes a second" : "operations a second", rate_unit(bytes_));
    f.canvas.region(shown_.area, "roofline/plot", {}, [this](const Gesture& g) { move_plot(g); });
    {
      const Clip clip(f.canvas, shown_.area);
      draw_roofs(f, roofs_, shown_, bytes_, taken_places(f));
      draw_trails(f);
    }
    draw_points(f);
    draw_marks_key(f, shown_, left_out_);
    if (asking_) draw_what_if(f, roofs_, shown_, *asking_);
    if (points_.empty()) {
      const Rect place{shown_.area.x + shown_.area.w * 0.42f, shown_.area.bottom() - f.theme.px(90),
                       shown_.area.w * 0.56f, f.theme.px(60)};
      f.canvas.box(place, f.theme.panel_head, f.theme.px(4));
      draw_empty({f.canvas, f.theme, f.session, place}, why_none(f.session));
    }
  }

 private:
  static std::string why_none(const Session& session) {
    const auto* report = session.a() ? session.a()->report() : nullptr;
    if (report && report->ideal_bytes == 0)
      return "This launch asks for no memory: it has no place among bytes and their roofs.";
    return fmt::format(
        "No run with figures for the {} yet: `ridge grade LAB/RUNG` puts the first point here as it lands.",
        session.device().product_name);
  }

  void read(Session& session) {
    const auto key =
        std::tuple(session.runs_version(), session.device().name, session.a() ? session.a()->id() : 0);
    if (key == read_) return;
    read_ = key;
    roofs_ = roofs_of(session.device(), session.runs());
    points_.clear();
    left_out_ = 0;
    for (const report::StoredRun& run : session.runs()) {
      if (auto point = point_of(run, session.device(), roofs_))
        points_.push_back(std::move(*point));
      else
        ++left_out_;
    }
    // The open trace itself, where no run of its rung has figures.
    const std::string rung = session.a() ? session.a()->trace().notes.rung : std::string();
    const bool known = !rung.empty() && std::any_of(points_.begin(), points_.end(),
                                                    [&](const RunPoint& p) { return p.rung == rung; });
    if (session.a() && !known)
      if (auto point = point_of(*session.a(), roofs_)) points_.push_back(std::move(*point));
  }

  // The rung that is looked at: the open trace's, else the newest run's.
  void choose_unit(const Session& session) {
    rung_ = session.a() ? session.a()->trace().notes.rung : std::string();
    const RunPoint* newest = nullptr;
    for (const RunPoint& point : points_)
      if (rung_.empty() || point.rung == rung_) newest = &point;
    if (!newest && !points_.empty()) newest = &points_.back();
    if (newest) rung_ = newest->rung;
    bytes_ = newest && newest->counts_bytes();
    newest_ = newest ? newest->run : -1;
  }

  bool shown(const RunPoint& point) const { return point.counts_bytes() == bytes_; }

  void fit() {
    double x_low = bytes_ ? 0.05 : 0.1, x_high = bytes_ ? 4 : 1000, y_low = 1e30, y_high = 0;
    for (const RunPoint& point : points_) {
      if (!shown(point)) continue;
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
    shown_.x = x_, shown_.y = y_;  // several events may come before the next picture
  }

  std::string rate_text(double rate) const { return with_si(rate, rate_unit(bytes_)); }

  // ---- roofs

  // Where runs and their names are, and the key: names of roofs keep off them.
  std::vector<Rect> taken_places(const Frame& f) const {
    std::vector<Rect> taken{{shown_.area.x, shown_.area.y, f.theme.px(210), f.theme.px(90)}};
    for (const RunPoint& point : points_) {
      if (!shown(point)) continue;
      const Point at = place(point);
      const bool named = here(point);
      const float width = f.theme.px(point.run == newest_ ? 230.0f : named ? 70.0f : 18.0f);
      const bool left = named && at.x + width > shown_.area.right();  // its name stands there then
      taken.push_back({left ? at.x + f.theme.px(9) - width : at.x - f.theme.px(9), at.y - f.theme.px(10),
                       width, f.theme.px(named ? 44 : 20)});
    }
    return taken;
  }

  // ---- runs

  Point place(const RunPoint& point) const { return shown_.at(point.intensity(), point.rate()); }

  bool here(const RunPoint& point) const { return point.rung == rung_; }

  void draw_trails(const Frame& f) {
    std::map<std::pair<std::string, bool>, std::vector<Point>> trails;  // by rung and kind
    for (const RunPoint& point : points_)
      if (shown(point) && !point.solution) trails[{point.rung, point.measured}].push_back(place(point));
    for (const auto& [key, trail] : trails) {
      if (trail.size() < 2) continue;
      f.canvas.polyline(trail, f.theme.useful.faded(key.first == rung_ ? 0.55f : 0.2f), f.theme.px(1.5f));
    }
  }

  void draw_points(const Frame& f) {
    const Selection selected = f.session.selected();
    std::vector<Rect> labelled;  // the newest run's words are long, and come last
    for (const RunPoint& point : points_)
      if (shown(point) && point.run == newest_)
        labelled.push_back({place(point).x - f.theme.px(28), place(point).y - f.theme.px(36), f.theme.px(260),
                            f.theme.px(76)});
    // The rung that is looked at comes last, and so on top.
    for (const bool of_rung : {false, true})
      for (const RunPoint& point : points_)
        if (shown(point) && here(point) == of_rung && shown_.area.inset(-2).contains(place(point)))
          draw_point(f, point, selected.run == point.run, labelled);
  }

  void draw_point(const Frame& f, const RunPoint& point, bool is_selected, std::vector<Rect>& labelled) {
    const Point at = place(point);
    const bool newest = point.run == newest_;
    const Color color = point.solution ? f.theme.dim : f.theme.useful;
    const float strength = here(point) ? 1 : 0.45f, radius = f.theme.px(newest ? 7.0f : 4.5f);
    if (here(point) && (newest || is_selected)) draw_ideal(f, point);
    draw_mark(f.canvas, f.theme, at, point.measured ? Mark::disc : Mark::diamond, color.faded(strength),
              radius);
    if (is_selected) f.canvas.ring(at, radius + f.theme.px(5), f.theme.focus, f.theme.px(2.5f));
    const float room = f.theme.px(28);
    const auto near = [&](const Rect& other) { return other.contains(at); };
    if (newest || is_selected || (here(point) && std::none_of(labelled.begin(), labelled.end(), near))) {
      labelled.push_back({at.x - room, at.y - room, 2 * room, 2 * room});
      draw_label(f, point, at, newest);
    }
    const std::string text = words_of(point);
    const float reach = f.theme.px(9);
    f.canvas.region(
        {at.x - reach, at.y - reach, 2 * reach, 2 * reach}, fmt::format("run/{}", point.run),
        [text] { return text; },
        [this, session = &f.session, point](const Gesture& g) { act(*session, point, g); });
  }

  void draw_label(const Frame& f, const RunPoint& point, Point at, bool newest) {
    std::string words = point.solution   ? "reference"
                        : point.run == 0 ? "this trace"
                                         : fmt::format("run {}", point.run);
    if (newest)
      words += fmt::format(", {}: {}", point.measured ? "measured" : "modelled", rate_text(point.rate()));
    const TextStyle style = newest ? f.theme.body() : f.theme.small();
    const float width = f.canvas.text_width(words, style), gap = f.theme.px(13);
    const bool left = at.x + gap + width > shown_.area.right();
    const Point to{left ? at.x - gap - width : at.x + gap, at.y + f.theme.px(newest ? 14 : 9)};
    f.canvas.box({to.x - f.theme.px(3), to.y - style.size * 0.65f, width + f.theme.px(6), style.size * 1.3f},
                 f.theme.panel.faded(newest ? 1 : 0.8f), f.theme.px(3));
    f.canvas.text(to, words, newest ? f.theme.text : f.theme.dim, style);
    if (newest) explain_l2(f, point, to);
  }

  // Why a run of a small size has moved no more than its ideal though half of it never left L2.
  void explain_l2(const Frame& f, const RunPoint& point, Point below) const {
    const std::string words = words_of_l2(point);
    if (words.empty()) return;
    const TextStyle style = f.theme.small();
    const float width = f.canvas.text_width(words, style);
    const Point to{std::min(below.x, shown_.area.right() - width), below.y + f.theme.px(16)};
    f.canvas.box({to.x - f.theme.px(3), to.y - f.theme.px(8), width + f.theme.px(6), f.theme.px(16)},
                 f.theme.panel, f.theme.px(3));
    f.canvas.text(to, words, f.theme.dim, style);
  }

  // The hollow point: the same work with every byte moved once, at the roof; between them is what can be won.
  void draw_ideal(const Frame& f, const RunPoint& point) {
    const double x = point.ideal_intensity(), y = roofs_.at(x, point.peak);
    const Point ideal = shown_.at(x, y), at = place(point);
    if (std::hypot(ideal.x - at.x, ideal.y - at.y) < f.theme.px(6)) return;
    const Point corner{ideal.x, at.y};
    if (!point.measured && ideal.x - at.x > f.theme.px(3)) {
      f.canvas.line(at, corner, f.theme.waste, f.theme.px(2));
      const std::string words = fmt::format("{:.3g}x the bytes needed", point.bytes / point.useful_bytes);
      const float width = f.canvas.text_width(words, f.theme.small());
      f.canvas.box({(at.x + corner.x - width) / 2 - f.theme.px(3), at.y - f.theme.px(18),
                    width + f.theme.px(6), f.theme.px(16)},
                   f.theme.panel, f.theme.px(3));
      f.canvas.text({(at.x + corner.x) / 2, at.y - f.theme.px(10)}, words, f.theme.waste,
                    f.theme.small(Align::centre));
    }
    f.canvas.line(corner, ideal, f.theme.faint, f.theme.px(1));
    draw_mark(f.canvas, f.theme, ideal, Mark::ring, f.theme.useful, f.theme.px(5.5f));
    const std::string text =
        fmt::format("Ideal traffic: {} moved, each byte once\n{} for each byte: at most {}, {}",
                    with_si(point.useful_bytes, "B"), with_si(x, intensity_unit(bytes_)), rate_text(y),
                    with_si(point.work() / y, "s"));
    const float reach = f.theme.px(8);
    f.canvas.region({ideal.x - reach, ideal.y - reach, 2 * reach, 2 * reach},
                    fmt::format("ideal/{}", point.run), [text] { return text; });
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

  // Fewer bytes in steps: as much faster as the bytes are fewer, as far as the roof allows.
  void ask_of_newest(const Session& session, double by) {
    const auto asked = session.pinned.run.value_or(newest_);
    const auto found = std::find_if(points_.begin(), points_.end(), [&](const RunPoint& p) {
      return p.run == (asking_ ? asking_->point.run : asked);
    });
    if (found == points_.end()) return;
    const double x = (asking_ ? asking_->intensity : found->intensity()) * by;
    const double ms = time_with(*found, roofs_, found->work() / x);
    asking_ = {*found, x, found->work() / (ms / 1000)};
  }

  std::tuple<uint64_t, std::string_view, uint64_t> read_{~uint64_t{0}, {}, 0};
  Roofs roofs_;
  std::vector<RunPoint> points_;
  size_t left_out_ = 0;
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

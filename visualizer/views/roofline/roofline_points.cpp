// Draws the runs of a roofline. A modelled time is a lower bound from the counts, so its rate is an
// upper bound: it is drawn as an interval below a cap.
#include "visualizer/views/roofline/roofline_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "text/numbers.h"
#include "visualizer/views/roofline/roofline_words.h"

namespace ridge::view {
namespace {

const char* name_of(RunLevel level) {
  return level == RunLevel::l1 ? "L1" : level == RunLevel::l2 ? "L2" : "HBM";
}

class PointPicture {
 public:
  PointPicture(const Frame& frame, const PointScene& scene,
               const std::function<void(const RunPoint&, const Gesture&)>& act)
      : f_(frame), s_(scene), act_(act) {}

  void draw() {
    for (const RunPoint& point : s_.runs.points)
      if (s_.shows(point) && point.run == s_.newest) keep_free_around(point);
    for (const RunPoint& point : s_.runs.course)
      if (s_.shows(point) && is_inside(point)) draw_course(point);
    // The selected rung is drawn last, on top.
    const Selection selected = f_.session.selected();
    for (const bool of_rung : {false, true})
      for (const RunPoint& point : s_.runs.points)
        if (s_.shows(point) && s_.is_here(point) == of_rung && is_inside(point))
          draw_run(point, selected.run == point.run);
  }

 private:
  bool is_inside(const RunPoint& point) const {
    return s_.plot.area.inset(-2).contains(s_.place(point));
  }
  void keep_free_around(const RunPoint& point) {
    const Point at = s_.place(point);
    labelled_.push_back({at.x - px(28), at.y - px(36), px(260), px(76)});
  }
  float px(float at_scale_1) const { return f_.theme.px(at_scale_1); }

  // From the bottom of the plot to the bound, with a cap there.
  void draw_bound(Point at, Color color, float strength, bool is_large) {
    const float width = px(is_large ? 9.0f : 5.0f), reach = px(is_large ? 11.0f : 7.0f);
    const Rect bar{at.x - width / 2, at.y, width, std::max(0.0f, s_.plot.area.bottom() - at.y)};
    f_.canvas.box(bar, color.faded(0.16f * strength));
    f_.canvas.line({bar.x, bar.y}, {bar.x, bar.bottom()}, color.faded(0.35f * strength));
    f_.canvas.line({bar.right(), bar.y}, {bar.right(), bar.bottom()}, color.faded(0.35f * strength));
    f_.canvas.line({at.x - reach, at.y}, {at.x + reach, at.y}, color.faded(strength), px(is_large ? 3 : 2));
  }

  // The moved bytes are unknown: this is its maximum intensity, and the true point is somewhere to
  // the left.
  void draw_unknown_bytes(const RunPoint& point, Color color) {
    if (!point.measured || point.l1_bytes > 0) return;
    const Point at = s_.place(point);
    for (int k = 0; k < 4; ++k)
      f_.canvas.line({at.x - px(8 + 8 * static_cast<float>(k)), at.y},
                     {at.x - px(12 + 8 * static_cast<float>(k)), at.y},
                     color.faded(0.9f - 0.2f * static_cast<float>(k)), px(1.5f));
  }

  // A measured run of the course: a ring, to distinguish it from runs of this clone.
  void draw_course(const RunPoint& point) {
    const Point at = s_.place(point);
    draw_unknown_bytes(point, f_.theme.dim);
    const bool here = s_.is_here(point);
    const Color color = here ? f_.theme.text : f_.theme.dim;
    f_.canvas.disc(at, px(here ? 5.5f : 4), f_.theme.panel);
    f_.canvas.ring(at, px(here ? 5.5f : 4), color, px(here ? 2.2f : 1.4f));
    f_.canvas.disc(at, px(here ? 2.2f : 1.5f), color);
    const size_t slash = point.rung.find('/');
    const std::string rung = point.rung.substr(slash == std::string::npos ? 0 : slash + 1);
    const std::string number = rung.substr(0, rung.find('-'));
    const std::string words =
        here ? fmt::format("reference {}, measured: {}", number, with_si(point.rate(), rate_unit(s_.bytes)))
             : number;
    draw_name(words, at, f_.theme.small(), here ? f_.theme.text : f_.theme.dim, here ? 13.0f : -8.0f);
    const std::string text = words_of(point);
    const float reach = px(8);
    f_.canvas.region({at.x - reach, at.y - reach, 2 * reach, 2 * reach}, "course/" + point.rung,
                     [text] { return text; });
  }

  // To the right of the point, or to the left if there is no room; further down where it would
  // cover another name.
  Rect draw_name(const std::string& words, Point at, const TextStyle& style, Color color, float down) {
    const float width = f_.canvas.text_width(words, style), gap = px(11);
    const bool left = at.x + gap + width > s_.plot.area.right();
    const Point to{left ? at.x - gap - width : at.x + gap, at.y + px(down)};
    const Rect ground{to.x - px(3), to.y - style.size * 0.65f, width + px(6), style.size * 1.3f};
    const auto covers = [&](const Rect& other) { return !other.clipped(ground).empty(); };
    constexpr float kFurther = 17, kFurthest = 60;
    if (down > 0 && down < kFurthest && std::any_of(names_.begin(), names_.end(), covers))
      return draw_name(words, at, style, color, down + kFurther);
    names_.push_back(ground);
    f_.canvas.box(ground, f_.theme.panel.faded(0.85f), px(3));
    f_.canvas.text(to, words, color, style);
    return ground;
  }

  void draw_run(const RunPoint& point, bool is_selected) {
    const Point at = s_.place(point);
    const bool newest = point.run == s_.newest, here = s_.is_here(point);
    const Color color = point.solution ? f_.theme.dim : f_.theme.useful;
    const float strength = here ? 1 : 0.45f, radius = px(newest ? 7.0f : 4.5f);
    if (here && (newest || is_selected)) {
      if (!point.measured) draw_levels(point);
      draw_ideal(point);
    }
    draw_unknown_bytes(point, color);
    if (point.measured)
      draw_mark(f_.canvas, f_.theme, at, Mark::disc, color.faded(strength), radius);
    else
      draw_bound(at, color, strength, newest);
    if (is_selected) f_.canvas.ring(at, radius + px(5), f_.theme.focus, px(2.5f));
    const auto near = [&](const Rect& other) { return other.contains(at); };
    if (newest || is_selected || (here && std::none_of(labelled_.begin(), labelled_.end(), near))) {
      labelled_.push_back({at.x - px(28), at.y - px(28), px(56), px(56)});
      draw_label(point, at, newest);
    }
    const std::string text = words_of(point);
    const float reach = px(9);
    f_.canvas.region({at.x - reach, at.y - reach, 2 * reach, 2 * reach}, fmt::format("run/{}", point.run),
                     [text] { return text; }, [act = act_, point](const Gesture& g) { act(point, g); });
  }

  void draw_label(const RunPoint& point, Point at, bool newest) {
    std::string words = point.solution   ? "reference"
                        : point.run == 0 ? "this trace"
                                         : fmt::format("run {}", point.run);
    if (newest)
      words += fmt::format(", {} {}", point.measured ? "measured:" : "modelled: at most",
                           with_si(point.rate(), rate_unit(s_.bytes)));
    const TextStyle style = newest ? f_.theme.body() : f_.theme.small();
    const Rect name = draw_name(words, {at.x + px(2), at.y}, style, newest ? f_.theme.text : f_.theme.dim,
                                newest ? 14.0f : 9.0f);
    if (newest) explain_l2(point, {name.x + px(3), name.centre().y});
  }

  // Explains why a run of a small size has moved no more than its ideal although half of the data
  // never left L2.
  void explain_l2(const RunPoint& point, Point below) const {
    const std::string words = words_of_l2(point);
    if (words.empty()) return;
    const TextStyle style = f_.theme.small();
    const float width = f_.canvas.text_width(words, style);
    const Point to{std::min(below.x, s_.plot.area.right() - width), below.y + px(16)};
    f_.canvas.box({to.x - px(3), to.y - px(8), width + px(6), px(16)}, f_.theme.panel, px(3));
    f_.canvas.text(to, words, f_.theme.dim, style);
  }

  // The same work over the bytes of each level: ticks at the height of the bound. Ticks too close
  // for two names share one: "L2, HBM".
  void draw_levels(const RunPoint& point) {
    const Point at = s_.place(point);
    const std::pair<RunLevel, double> levels[] = {
        {RunLevel::l1, point.l1_bytes}, {RunLevel::l2, point.l2_bytes}, {RunLevel::memory, point.bytes}};
    std::vector<std::pair<float, std::string>> names;  // x in pixels
    for (const auto& [level, bytes] : levels) {
      if (bytes <= 0 || level == point.level()) continue;
      const Point tick{s_.plot.x.place(point.work() / bytes), at.y};
      if (!s_.plot.area.inset(px(10)).contains(tick) || std::abs(tick.x - at.x) < px(14)) continue;
      f_.canvas.line(at, tick, f_.theme.faint.faded(0.7f));
      f_.canvas.line({tick.x, tick.y - px(5)}, {tick.x, tick.y + px(5)}, f_.theme.dim, px(1.5f));
      if (!names.empty() && std::abs(names.back().first - tick.x) < px(28))
        names.back().second += fmt::format(", {}", name_of(level));
      else
        names.emplace_back(tick.x, name_of(level));
    }
    for (const auto& [x, words] : names)
      f_.canvas.text({x, at.y + px(12)}, words, f_.theme.dim, f_.theme.small(Align::centre));
  }

  // The ring: the same work with every byte moved once, at the roof; the distance is the possible
  // gain.
  void draw_ideal(const RunPoint& point) {
    const double x = point.ideal_intensity(), y = s_.roofs.at(x, point.peak);
    const Point ideal = s_.plot.at(x, y), at = s_.place(point);
    if (std::hypot(ideal.x - at.x, ideal.y - at.y) < px(6)) return;
    const Point corner{ideal.x, at.y};
    if (ideal.x - at.x > px(3)) {
      f_.canvas.line(at, corner, f_.theme.waste, px(2));
      const double times = point.level_bytes() / point.useful_bytes;
      const std::string words = fmt::format("{}x the bytes needed{}",
                                            times < 1000 ? fmt::format("{:.3g}", times)
                                                         : text::with_thousands(static_cast<uint64_t>(times)),
                                            point.level() == RunLevel::memory
                                                ? std::string()
                                                : fmt::format(", at {}", name_of(point.level())));
      const float width = f_.canvas.text_width(words, f_.theme.small());
      const float middle = std::clamp((at.x + corner.x) / 2, s_.plot.area.x + width / 2,
                                      std::max(s_.plot.area.x + width / 2, s_.plot.area.right() - width / 2));
      f_.canvas.box({middle - width / 2 - px(3), at.y - px(18), width + px(6), px(16)}, f_.theme.panel,
                    px(3));
      f_.canvas.text({middle, at.y - px(10)}, words, f_.theme.waste, f_.theme.small(Align::centre));
    }
    f_.canvas.line(corner, ideal, f_.theme.faint, px(1));
    draw_mark(f_.canvas, f_.theme, ideal, Mark::ring, f_.theme.useful, px(5.5f));
    const std::string text =
        fmt::format("Ideal traffic: {} moved, each byte once\n{} per byte: at most {}, {}",
                    with_si(point.useful_bytes, "B"), with_si(x, intensity_unit(s_.bytes)),
                    with_si(y, rate_unit(s_.bytes)), with_si(point.work() / y, "s"));
    const float reach = px(8);
    f_.canvas.region({ideal.x - reach, ideal.y - reach, 2 * reach, 2 * reach},
                     fmt::format("ideal/{}", point.run), [text] { return text; });
  }

  const Frame& f_;
  const PointScene& s_;
  const std::function<void(const RunPoint&, const Gesture&)>& act_;
  std::vector<Rect> names_;     // of runs and references, as drawn
  std::vector<Rect> labelled_;  // the newest run's text is long and is placed last
};

}  // namespace

std::vector<Rect> places_of_points(const Frame& f, const PointScene& scene) {
  const Rect& area = scene.plot.area;
  std::vector<Rect> taken{{area.x, area.y, f.theme.px(210), f.theme.px(106)}};
  for (const auto* points : {&scene.runs.points, &scene.runs.course})
    for (const RunPoint& point : *points) {
      if (!scene.shows(point)) continue;
      const Point at = scene.place(point);
      const bool named = scene.is_here(point);
      const float width = f.theme.px(named && (point.is_course || point.run == scene.newest) ? 250.0f
                                     : named                                                 ? 70.0f
                                                                                             : 24.0f);
      const bool left = named && at.x + width > area.right();  // then its name is on the left
      taken.push_back({left ? at.x + f.theme.px(9) - width : at.x - f.theme.px(9), at.y - f.theme.px(20),
                       width, f.theme.px(named ? 54 : 30)});
    }
  return taken;
}

void draw_trails(const Frame& f, const PointScene& scene) {
  std::map<std::pair<std::string, bool>, std::vector<Point>> trails;  // by rung and kind
  for (const RunPoint& point : scene.runs.points)
    if (scene.shows(point) && !point.solution)
      trails[{point.rung, point.measured}].push_back(scene.place(point));
  for (const auto& [key, trail] : trails) {
    if (trail.size() < 2) continue;
    f.canvas.polyline(trail, f.theme.useful.faded(key.first == scene.rung ? 0.55f : 0.2f), f.theme.px(1.5f));
  }
}

void draw_points(const Frame& f, const PointScene& scene,
                 const std::function<void(const RunPoint&, const Gesture&)>& act) {
  PointPicture(f, scene, act).draw();
}

}  // namespace ridge::view

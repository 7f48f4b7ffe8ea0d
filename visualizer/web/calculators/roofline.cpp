// The roofline calculator: a kernel's operations, bytes and time under the roofs of a device. Its
// point can be dragged.
#include <fmt/format.h>

#include <cmath>

#include "visualizer/draw/plot.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/roofline/roofline_roofs.h"
#include "visualizer/web/calculators/devices.h"
#include "visualizer/web/calculators/settings.h"
#include "visualizer/web/surface.h"

namespace ridge::view {
namespace {

class RooflineCalculator : public Surface {
 public:
  bool set(std::string_view name, double value) override { return settings_.set(name, value); }

  bool draw(Canvas& canvas, Rect area, double) override {
    canvas.clear_regions();
    canvas.box(area, theme_.panel, theme_.px(4));
    area = area.inset(theme_.px(8), theme_.px(6));
    const Roofs roofs = roofs_of(device(), {});
    const LogAxis x{kLeastIntensity, kMostIntensity, 0, 1}, y{1e11, 4e15, 0, 1};
    plot_ = make_plot(theme_, area, x, y);
    draw_axes(canvas, theme_, plot_, "arithmetic intensity: operations per byte moved", "",
              "operations per second", "FLOP/s");
    {
      const Clip clip(canvas, plot_.area);
      const Point at = shown_point();
      const float half = theme_.px(20);
      draw_roofs({canvas, theme_, session_, area}, roofs, plot_, false,
                 {{at.x - half, at.y - half, 2 * half, 2 * half}});
      draw_point(canvas, roofs);
    }
    return false;
  }

  // A press moves the point to the pointer, and dragging takes it along.
  void pointer(PointerKind kind, Point at, float, bool) override {
    if (kind == PointerKind::down) held_ = plot_.area.inset(-theme_.px(12)).contains(at);
    if (held_ && (kind == PointerKind::down || kind == PointerKind::move))
      move_to(plot_.x.value(at.x), plot_.y.value(at.y));
    if (kind == PointerKind::up || kind == PointerKind::leave) held_ = false;
  }

  // Arrows move the point by a tenth of a decade, with Shift by a hundredth.
  bool press(const KeyPress& key) override {
    const double by = std::pow(10, key.shift ? 0.01 : 0.1);
    switch (key.code) {
      case KeyCode::left:
        return move_to(intensity() / by, rate()), true;
      case KeyCode::right:
        return move_to(intensity() * by, rate()), true;
      case KeyCode::up:
        return move_to(intensity(), rate() * by), true;
      case KeyCode::down:
        return move_to(intensity(), rate() / by), true;
      default:
        return false;
    }
  }

  nlohmann::json state() const override {
    const Roofs roofs = roofs_of(device(), {});
    const double most = roofs.at(intensity(), peak(roofs));
    return {
        {"settings", settings_.json()},
        {"devices", device_names()},
        {"results",
         {result("Arithmetic intensity", fmt::format("{:.4g} FLOP/B", intensity())),
          result("Ridge point", fmt::format("{:.3g} FLOP/B", peak(roofs) / roofs.dram.rate)),
          result("Reached", with_si(rate(), "FLOP/s")),
          result("Roof here", with_si(most, "FLOP/s")),
          result("Part of the roof", percent_text(rate() / most)), result("Bound by", bound(roofs)),
          result("Least time",
                 fmt::format("{:.4g} µs", settings_.get("operations") / most * 1e6))}},
        {"description",
         fmt::format(
             "Roofline of the {}: {:.3g} operations per byte, {} of at most {}. Bound by {}.",
             device().name, intensity(), with_si(rate(), "FLOP/s"), with_si(most, "FLOP/s"),
             bound(roofs))}};
  }

 private:
  static constexpr double kLeastIntensity = 0.05, kMostIntensity = 5000;

  const warp_model::DeviceDescription& device() const {
    const auto all = warp_model::devices();
    return all[std::min<size_t>(settings_.whole("device"), all.size() - 1)];
  }
  double intensity() const { return settings_.get("operations") / settings_.get("bytes"); }
  double rate() const { return settings_.get("operations") / (settings_.get("time_us") * 1e-6); }
  // A device without tensor units (rate 0) has the FP32 roof only.
  double peak(const Roofs& roofs) const {
    return settings_.on("tensor") && roofs.tensor.rate > 0 ? roofs.tensor.rate : roofs.fp32.rate;
  }
  std::string bound(const Roofs& roofs) const {
    return intensity() * roofs.dram.rate < peak(roofs) ? "memory bandwidth" : "arithmetic";
  }

  // Moves the point, at most up to the roof. The operations stay the same: the new intensity changes
  // the bytes, the new rate the time.
  void move_to(double x, double y) {
    const Roofs roofs = roofs_of(device(), {});
    x = std::clamp(x, kLeastIntensity, kMostIntensity);
    y = std::clamp(y, plot_.y.low, roofs.at(x, peak(roofs)));
    settings_.set("bytes", settings_.get("operations") / x);
    settings_.set("time_us", settings_.get("operations") / y * 1e6);
  }

  Point shown_point() const { return plot_.at(intensity(), rate()); }

  void draw_point(Canvas& canvas, const Roofs& roofs) const {
    const Point at = shown_point(),
                roof = plot_.at(intensity(), roofs.at(intensity(), peak(roofs)));
    canvas.line(at, roof, theme_.waste, theme_.px(1.5f));
    canvas.line(at, {at.x, plot_.area.bottom()}, theme_.faint, theme_.px(1));
    draw_mark(canvas, theme_, at, Mark::disc, theme_.useful, theme_.px(8));
    canvas.ring(at, theme_.px(11), theme_.focus, theme_.px(held_ ? 3.0f : 1.5f));
    const std::string words =
        fmt::format("{} of the roof", percent_text(rate() / roofs.at(intensity(), peak(roofs))));
    const bool left = at.x > plot_.area.centre().x;
    canvas.text({at.x + theme_.px(left ? -18 : 18), at.y + theme_.px(16)}, words, theme_.text,
                theme_.body(left ? Align::right : Align::left));
  }

  Session session_;  // the roofs' drawing takes one; nothing is open in it
  Plot plot_;
  bool held_ = false;
  // At first a vector add of 2^24 floats: 12 bytes and one operation per element.
  Settings settings_{{{"device", 0, 0, static_cast<double>(warp_model::devices().size() - 1)},
                      {"operations", 16777216, 1, 1e18, false},
                      {"bytes", 201326592, 1e-3, 1e18, false},
                      {"time_us", 60, 1e-6, 1e12, false},
                      {"tensor", 0, 0, 1}}};
};

}  // namespace

std::unique_ptr<Surface> make_roofline_calculator() {
  return std::make_unique<RooflineCalculator>();
}

}  // namespace ridge::view

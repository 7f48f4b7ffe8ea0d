// A calculator of one warp access: a trace with that access alone, in the view that shows it.
#pragma once

#include <array>

#include "visualizer/app/app.h"
#include "visualizer/web/calculators/settings.h"
#include "visualizer/web/surface.h"

namespace ridge::view {

// The access that settings describe, and the array that it goes to.
struct CalculatedAccess {
  trace::RecordSpace space = trace::RecordSpace::global;
  uint32_t mask = 0xffffffffu, bytes = 4;
  std::array<uint64_t, 32> addresses{};
  trace::TraceArray array;
};

class AccessCalculator : public Surface {
 public:
  AccessCalculator(std::string_view view, Settings settings);

  bool draw(Canvas& canvas, Rect area, double seconds) override;
  void set_theme(bool dark, float scale) override { app_.set_theme(dark, scale); }
  void pointer(PointerKind kind, Point at, float wheel, bool shift) override;
  bool set(std::string_view name, double value) override;
  nlohmann::json state() const override;

 protected:
  virtual CalculatedAccess access() const = 0;
  virtual nlohmann::json results(const CalculatedAccess& access) const = 0;
  virtual bool allows(std::string_view /*name*/, double /*value*/) const { return true; }
  const Settings& settings() const { return settings_; }
  const App& app() const { return app_; }

 private:
  void show();
  Settings settings_;
  App app_;
  bool shown_ = false;
};

}  // namespace ridge::view

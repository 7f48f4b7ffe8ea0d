#include "visualizer/web/calculators/access_calculator.h"

#include "visualizer/web/description.h"

namespace ridge::view {
namespace {

trace::AccessTrace trace_of(const CalculatedAccess& access) {
  trace::AccessTrace trace;
  trace.launch.kernel = "calculator";
  trace.launch.block = {32, 1, 1};
  trace.launch.instructions = {
      {"", 0, 0, access.space == trace::RecordSpace::shared ? "ld.shared" : "ld.global"}};
  trace.arrays.push_back(access.array);
  trace::TraceRecord record;
  record.space = access.space;
  record.shape = trace::RecordShape::scattered;
  record.mask = access.mask, record.bytes = access.bytes;
  record.addresses = access.addresses;
  trace::BlockRecords block(0);
  block.append(record);
  trace.blocks.push_back(std::move(block));
  return trace;
}

}  // namespace

AccessCalculator::AccessCalculator(std::string_view view, Settings settings)
    : settings_(std::move(settings)) {
  app_.set_view_only(true);
  app_.session().offers_what_if = false;
  app_.show_view(view);
}

void AccessCalculator::show() {
  app_.session().show(std::make_shared<LoadedTrace>(trace_of(access())), false);
  shown_ = true;
}

bool AccessCalculator::draw(Canvas& canvas, Rect area, double seconds) {
  if (!shown_) show();
  return app_.draw(canvas, area, seconds);
}

void AccessCalculator::pointer(PointerKind kind, Point at, float, bool shift) {
  if (kind == PointerKind::move) app_.mouse_to(at);
  if (kind == PointerKind::down) app_.mouse_down(at, shift);
  if (kind == PointerKind::up) app_.mouse_up(at);
  if (kind == PointerKind::leave) app_.mouse_away();
}

bool AccessCalculator::set(std::string_view name, double value) {
  if (!allows(name, value) || !settings_.set(name, value)) return false;
  show();
  return true;
}

nlohmann::json AccessCalculator::state() const {
  return {{"settings", settings_.json()},
          {"results", results(access())},
          {"description", shown_ ? describe(app_.session(), app_.shown_view()) : ""}};
}

}  // namespace ridge::view

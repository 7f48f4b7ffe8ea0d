#include "visualizer/web/surface.h"

namespace ridge::view {

std::unique_ptr<Surface> make_surface(std::string_view kind) {
  if (kind == "view") return make_trace_surface(false);
  if (kind == "window") return make_trace_surface(true);
  if (kind == "sectors") return make_sector_calculator();
  if (kind == "banks") return make_bank_calculator();
  if (kind == "occupancy") return make_occupancy_calculator();
  if (kind == "roofline") return make_roofline_calculator();
  return nullptr;
}

}  // namespace ridge::view

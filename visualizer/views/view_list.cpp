#include "visualizer/views/view_list.h"

#include <fmt/format.h>

namespace ridge::view {

std::vector<std::unique_ptr<View>> make_views() {
  std::vector<std::unique_ptr<View>> views;
  views.push_back(make_warp_view());
  views.push_back(make_banks_view());
  views.push_back(make_pyramid_view());
  views.push_back(make_roofline_view());
  views.push_back(make_ladder_view());
  views.push_back(make_arrays_view());
  views.push_back(make_grid_view());
  views.push_back(make_compare_view());
  views.push_back(make_accesses_view());
  return views;
}

View* find_view(std::vector<std::unique_ptr<View>>& views, std::string_view id) {
  for (const auto& view : views)
    if (view->id() == id) return view.get();
  return nullptr;
}

void draw_empty(const Frame& frame, std::string_view why) {
  const TextStyle style = frame.theme.body(Align::centre);
  const auto lines = frame.canvas.wrapped(why, frame.area.w * 0.8f, style);
  Point at = frame.area.centre();
  at.y -= static_cast<float>(lines.size() - 1) * style.size * 0.7f;
  for (const std::string& line : lines) {
    frame.canvas.text(at, line, frame.theme.dim, style);
    at.y += style.size * 1.4f;
  }
}

}  // namespace ridge::view

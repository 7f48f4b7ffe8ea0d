// Makes the views of the table, and draws the text of an empty one.
#include "visualizer/views/view.h"

#include <algorithm>
#include <array>

namespace ridge::view {

using trace::ViewKind;

// Each is defined in the file of its name.
std::unique_ptr<View> make_warp_view();
std::unique_ptr<View> make_banks_view();
std::unique_ptr<View> make_pyramid_view();
std::unique_ptr<View> make_arrays_view();
std::unique_ptr<View> make_roofline_view();
std::unique_ptr<View> make_ladder_view();
std::unique_ptr<View> make_grid_view();
std::unique_ptr<View> make_compare_view();
std::unique_ptr<View> make_accesses_view();
std::unique_ptr<View> make_links_view();

namespace {

struct ViewMaker {
  ViewKind kind;
  std::unique_ptr<View> (*make)();
};
constexpr auto kMakers = std::to_array<ViewMaker>({
    {ViewKind::warp, make_warp_view},
    {ViewKind::banks, make_banks_view},
    {ViewKind::pyramid, make_pyramid_view},
    {ViewKind::roofline, make_roofline_view},
    {ViewKind::ladder, make_ladder_view},
    {ViewKind::arrays, make_arrays_view},
    {ViewKind::grid, make_grid_view},
    {ViewKind::compare, make_compare_view},
    {ViewKind::accesses, make_accesses_view},
    {ViewKind::links, make_links_view},
});
static_assert(std::equal(kMakers.begin(), kMakers.end(), trace::kViews.begin(), trace::kViews.end(),
                         [](const auto& maker, const auto& view) { return maker.kind == view.kind; }),
              "kMakers has a row for each view of trace/view_table.h, in its order");

}  // namespace

std::vector<std::unique_ptr<View>> make_views() {
  std::vector<std::unique_ptr<View>> views;
  for (const ViewMaker& maker : kMakers)
    views.push_back(maker.make());
  return views;
}

std::unique_ptr<View> make_view(ViewKind kind) {
  return kMakers[static_cast<size_t>(kind)].make();
}

View* find_view(const std::vector<std::unique_ptr<View>>& views, std::string_view id) {
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

// The visualizer's views. The program's options, keys, tabs and Compare, and the scenes of lab.toml
// are derived from this one table. A view is drawn by make_view<ViewKind>
// (visualizer/views/view.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::trace {

enum class ViewKind : uint8_t {
  warp,
  banks,
  pyramid,
  roofline,
  ladder,
  arrays,
  grid,
  compare,
  accesses,
  links
};

// The subject of a view; it decides the access at which a scene opens and the text of the heading.
enum class ViewSubject : uint8_t {
  access,         // the selected access
  shared_access,  // the same, for shared memory only
  launch,         // the recorded blocks or the whole launch
  runs            // the graded runs of the lab
};

struct ViewDescription {
  ViewKind kind;
  std::string_view id;    // in --view, scenes and panels
  std::string_view name;  // on its tab
  ViewSubject subject;
  bool works_without_trace;  // without a trace it shows the device or the runs
  bool compares;             // two instances can be shown in Compare
};

// In the order of their keys: 1 to 9, then 0.
inline constexpr auto kViews = std::to_array<ViewDescription>({
    {ViewKind::warp, "warp", "Warp", ViewSubject::access, false, false},
    {ViewKind::banks, "banks", "Banks", ViewSubject::shared_access, false, false},
    {ViewKind::pyramid, "pyramid", "Memory pyramid", ViewSubject::launch, true, true},
    {ViewKind::roofline, "roofline", "Roofline", ViewSubject::runs, true, false},
    {ViewKind::ladder, "ladder", "Ladder", ViewSubject::runs, true, false},
    {ViewKind::arrays, "arrays", "Arrays", ViewSubject::launch, false, true},
    {ViewKind::grid, "grid", "Grid", ViewSubject::launch, false, true},
    {ViewKind::compare, "compare", "Compare", ViewSubject::launch, false, false},
    {ViewKind::accesses, "accesses", "Accesses", ViewSubject::launch, false, true},
    {ViewKind::links, "links", "Links", ViewSubject::launch, false, true},
});
static_assert(kViews.size() <= 10, "a view's key is a digit");
static_assert([] {
  for (size_t k = 0; k < kViews.size(); ++k)
    if (kViews[k].kind != static_cast<ViewKind>(k)) return false;
  return kViews.size() == static_cast<size_t>(ViewKind::links) + 1;
}());

// The digit of the view at `index` of the table.
constexpr char view_key(size_t index) {
  return static_cast<char>('0' + (index + 1) % 10);
}

constexpr const ViewDescription& describe(ViewKind kind) {
  return kViews[static_cast<size_t>(kind)];
}

// nullptr when no view has this id.
constexpr const ViewDescription* find_view_description(std::string_view id) {
  const auto found = std::find_if(kViews.begin(), kViews.end(), [&](const auto& v) { return v.id == id; });
  return found == kViews.end() ? nullptr : &*found;
}

// "warp", "banks", ...: the ids that a scene may name.
inline std::vector<std::string> view_ids() {
  std::vector<std::string> ids;
  for (const ViewDescription& view : kViews)
    ids.emplace_back(view.id);
  return ids;
}

// The same, and "compare/pyramid", ...: Compare with two instances of that view.
inline std::vector<std::string> view_options() {
  std::vector<std::string> options = view_ids();
  for (const ViewDescription& view : kViews)
    if (view.compares) options.push_back(std::string(describe(ViewKind::compare).id) + "/" + std::string(view.id));
  return options;
}

}  // namespace ridge::trace

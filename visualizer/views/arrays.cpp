// A heat map for each array of global memory: a cell is one sector, or several where they do not fit. It is
// one picture (a texture), made anew only when the trace changes; what is in it was counted by a thread.
#include <fmt/format.h>

#include <array>

#include "text/numbers.h"
#include "visualizer/draw/zoom.h"
#include "visualizer/session/access_text.h"
#include "visualizer/session/survey.h"
#include "visualizer/views/view_list.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

class ArraysView : public View {
 public:
  std::string_view id() const override { return "arrays"; }
  std::string_view name() const override { return "Arrays"; }
  std::string_view sentence() const override {
    return "Each array of global memory, 32 bytes a cell: what the recorded blocks touched of it, how often, "
           "and whether all "
           "that was fetched was used.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "touched, every byte used (stronger: more often)"},
            {Role::waste, "touched, bytes of it never used"},
            {Role::focus, "the shown access"}};
  }

  bool zooms() const override { return true; }
  bool press(Session&, char key) override { return zoom_.press(place_, key); }

  void draw(const Frame& f) override {
    const Survey* survey = f.session.survey();
    if (!survey) return draw_empty(f, "Counting what the recorded blocks touched ...");
    const LoadedTrace* a = f.session.a();
    if (seen_ != a->id() || dark_ != f.theme.dark) {
      seen_ = a->id(), dark_ = f.theme.dark;
      images_.clear();
      for (const ArrayTouches& one : survey->touches.arrays)
        images_.push_back(make_image(f, one.map));
    }
    const Touches& touches = survey->touches;
    if (touches.arrays.empty()) return draw_empty(f, "The recorded blocks touch no array of global memory.");
    Rect area = f.area;
    if (!touches.complete) {
      const Rect note = area.take_bottom(f.theme.px(18));
      f.canvas.text({note.x, note.centre().y},
                    fmt::format("The trace is long: only its first {} records are counted here.",
                                text::with_thousands(Touches::kMostRecords)),
                    f.theme.dim, f.theme.small());
    }
    const float each = area.h / static_cast<float>(touches.arrays.size());
    for (size_t i = 0; i < touches.arrays.size(); ++i)
      draw_array(f, area.take_top(each).inset(0, f.theme.px(4)), touches.arrays[i], images_[i]);
  }

 private:
  static Image make_image(const Frame& f, const HeatMap& map) {
    std::array<Color, 256> colors;
    for (size_t i = 0; i < colors.size(); ++i) {
      const float heat = 0.45f + 0.55f * static_cast<float>(i % HeatMap::kPartly) / HeatMap::kHottest;
      colors[i] = i == 0 ? f.theme.grid
                         : mix(f.theme.panel, i >= HeatMap::kPartly ? f.theme.waste : f.theme.useful, heat);
    }
    Image image;
    image.width = map.width, image.height = map.height;
    image.pixels.reserve(map.cells.size());
    for (const uint8_t cell : map.cells)
      image.pixels.push_back(colors[cell]);
    image.version = next_image_version();
    return image;
  }

  void draw_array(const Frame& f, Rect area, const ArrayTouches& touches, const Image& image) {
    const auto& array = f.session.a()->trace().arrays[touches.array];
    Rect head = area.take_top(f.theme.px(20));
    std::string shape;
    for (const uint64_t extent : array.extent)
      shape += fmt::format("[{}]", extent);
    const uint64_t fetched = touches.touched * 32;
    const std::string name = fmt::format("{}{}", array_name(array), shape);
    const std::string shown = f.canvas.shortened(name, head.w * 0.45f, f.theme.body());
    f.canvas.text({head.x, head.centre().y}, shown, f.theme.text, f.theme.body());
    f.canvas.text({head.right(), head.centre().y},
                  fmt::format("{} of {} touched, {} of that used", with_unit(fetched), with_unit(array.bytes),
                              with_unit(touches.bytes_used)),
                  fetched > touches.bytes_used ? f.theme.waste : f.theme.dim, f.theme.small(Align::right));
    place_ = area;
    const Rect whole = zoom_.spread(area);
    {
      const Clip clip(f.canvas, area);
      f.canvas.image(whole, image);
      draw_shown(f, whole, touches);
    }
    f.canvas.frame(area, f.theme.edge, 1);
    Session* session = &f.session;
    const uint64_t first = array.address / 32;
    const auto sector_at = [area = whole, &touches](Point at) {
      const HeatMap& map = touches.map;
      const auto cell = [](float part, int cells) {
        return static_cast<uint64_t>(std::clamp(part, 0.0f, 0.9999f) * static_cast<float>(cells));
      };
      const uint64_t column = cell((at.x - area.x) / area.w, map.width) * map.sectors_a_cell,
                     row = cell((at.y - area.y) / area.h, map.height) * map.sectors_a_cell;
      return std::min<uint64_t>(row * map.sectors_a_row + std::min(column, map.sectors_a_row - 1),
                                touches.sectors.size() - 1);
    };
    f.canvas.region(
        area, fmt::format("array/{}", touches.array),
        [session, &touches, first] {
          const uint64_t sector = session->hot.sector.value_or(first);
          const uint64_t at = std::min<uint64_t>(sector - first, touches.sectors.size() - 1);
          const SectorTouches& one = touches.sectors[at];
          const std::string place =
              element_name(session->a()->trace(), trace::RecordSpace::global, sector * 32);
          if (one.reads + one.writes == 0)
            return fmt::format("{}\nnot touched by the recorded blocks", place);
          std::string text = fmt::format(
              "{} and what follows it in 32 bytes\n{} loads, {} stores, {} of 32 "
              "bytes used",
              place, one.reads, one.writes, warp_model::active_lanes(one.used));
          const auto block = [&](uint16_t index) {
            return block_name(session->a()->launch(), session->a()->trace().blocks[index - 1u].block());
          };
          if (one.last_writer) text += fmt::format("\nlast written by block {}", block(one.last_writer));
          if (one.last_reader) text += fmt::format("\nlast read by block {}", block(one.last_reader));
          return text;
        },
        [this, area, session, sector_at, first](const Gesture& g) {
          if (zoom_.act(area, g)) return;
          Selection what;
          what.sector = first + sector_at(g.at);
          if (g.kind == GestureKind::hover) session->hot = what;
          if (g.kind == GestureKind::press) session->toggle_pin(what);
        });
  }

  static void draw_shown(const Frame& f, Rect area, const ArrayTouches& touches) {
    const auto* record = f.session.record();
    if (!record || !record->is_access() || record->space != trace::RecordSpace::global ||
        record->shape == trace::RecordShape::runs)
      return;
    const HeatMap& map = touches.map;
    const uint64_t first = f.session.a()->trace().arrays[touches.array].address / 32;
    const float w = area.w / static_cast<float>(map.width), h = area.h / static_cast<float>(map.height);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(record->mask >> lane & 1)) continue;
      const uint64_t sector = record->addresses[lane] / 32;
      if (sector < first || sector - first >= touches.sectors.size()) continue;
      const uint64_t column = (sector - first) % map.sectors_a_row / map.sectors_a_cell,
                     row = (sector - first) / map.sectors_a_row / map.sectors_a_cell;
      const Rect box{area.x + w * static_cast<float>(column), area.y + h * static_cast<float>(row),
                     std::max(w, f.theme.px(3)), std::max(h, f.theme.px(3))};
      f.canvas.frame(box, f.theme.focus, f.theme.px(1.5f));
    }
  }

  uint64_t seen_ = 0;  // LoadedTrace::id()
  bool dark_ = true;
  std::vector<Image> images_;  // of its arrays
  Zoom zoom_;                  // of all of them
  Rect place_{0, 0, 1, 1};
};

}  // namespace

std::unique_ptr<View> make_arrays_view() {
  return std::make_unique<ArraysView>();
}

}  // namespace ridge::view

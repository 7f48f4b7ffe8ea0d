// A heat map for each array of global memory: a cell is one sector, or several where they do not fit. It is
// one picture (a texture), made anew only when the trace changes.
#include <fmt/format.h>

#include "visualizer/draw/zoom.h"
#include "visualizer/session/access_text.h"
#include "visualizer/session/touches.h"
#include "visualizer/views/view_list.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

constexpr int kMostSide = 1024;  // of a picture, in cells

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
    const LoadedTrace* a = f.session.a();
    if (seen_ != a || dark_ != f.theme.dark) {
      if (seen_ != a) touches_ = touches_of(*a);
      seen_ = a, dark_ = f.theme.dark;
      pictures_.clear();
      for (const ArrayTouches& one : touches_.arrays)
        pictures_.push_back(make_picture(f, *a, one));
    }
    if (touches_.arrays.empty()) return draw_empty(f, "The recorded blocks touch no array of global memory.");
    Rect area = f.area;
    if (!touches_.complete) {
      const Rect note = area.take_bottom(f.theme.px(18));
      f.canvas.text({note.x, note.centre().y},
                    "The trace is long: only its first 2,000,000 records are counted here.", f.theme.dim,
                    f.theme.small());
    }
    const float each = area.h / static_cast<float>(touches_.arrays.size());
    for (size_t i = 0; i < touches_.arrays.size(); ++i)
      draw_array(f, area.take_top(each).inset(0, f.theme.px(4)), touches_.arrays[i], pictures_[i]);
  }

 private:
  struct Picture {
    Image image;
    uint64_t sectors_a_cell = 1, cells_a_row = 1;
  };

  static Picture make_picture(const Frame& f, const LoadedTrace& a, const ArrayTouches& touches) {
    Picture p;
    const auto& array = a.trace().arrays[touches.array];
    const uint64_t sectors = touches.sectors.size();
    // A row of the array is a row of the picture where its shape is known; else about as wide as three times
    // its height.
    uint64_t row = 0;
    if (array.extent.size() > 1 && array.element_bytes) row = array.extent.back() * array.element_bytes / 32;
    if (row == 0 || row > sectors)
      row = std::max<uint64_t>(1, static_cast<uint64_t>(std::sqrt(3.0 * static_cast<double>(sectors))));
    while (row / p.sectors_a_cell > kMostSide ||
           sectors / row + 1 > static_cast<uint64_t>(kMostSide) * p.sectors_a_cell)
      p.sectors_a_cell *= 2;
    p.cells_a_row = std::max<uint64_t>(1, (row + p.sectors_a_cell - 1) / p.sectors_a_cell);
    const uint64_t rows_a_cell = p.sectors_a_cell, rows = (sectors + row - 1) / row;
    p.image.width = static_cast<int>(p.cells_a_row);
    p.image.height = static_cast<int>((rows + rows_a_cell - 1) / rows_a_cell);
    std::vector<SectorTouches> cells(static_cast<size_t>(p.image.width) * p.image.height);
    std::vector<bool> partly(cells.size());
    for (uint64_t s = 0; s < sectors; ++s) {
      const SectorTouches& one = touches.sectors[s];
      if (one.reads + one.writes == 0) continue;
      const size_t cell =
          (s / row / rows_a_cell) * p.cells_a_row + std::min(s % row / p.sectors_a_cell, p.cells_a_row - 1);
      cells[cell].reads = std::max(cells[cell].reads, one.reads + one.writes);
      if (one.used != ~uint32_t{0}) partly[cell] = true;
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].reads == 0) {
        p.image.pixels.push_back(f.theme.grid);
        continue;
      }
      const float heat =
          0.45f + 0.55f * static_cast<float>(cells[i].reads) / static_cast<float>(std::max(1u, touches.most));
      p.image.pixels.push_back(mix(f.theme.panel, partly[i] ? f.theme.waste : f.theme.useful, heat));
    }
    p.image.version = next_image_version();
    return p;
  }

  void draw_array(const Frame& f, Rect area, const ArrayTouches& touches, const Picture& picture) {
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
      f.canvas.image(whole, picture.image);
      draw_shown(f, whole, touches, picture);
    }
    f.canvas.frame(area, f.theme.edge, 1);
    Session* session = &f.session;
    const uint64_t first = array.address / 32;
    const auto sector_at = [area = whole, &touches, &picture](Point at) {
      const auto x = static_cast<uint64_t>(std::clamp((at.x - area.x) / area.w, 0.0f, 0.9999f) *
                                           static_cast<float>(picture.image.width));
      const auto y = static_cast<uint64_t>(std::clamp((at.y - area.y) / area.h, 0.0f, 0.9999f) *
                                           static_cast<float>(picture.image.height));
      const uint64_t cells = y * picture.sectors_a_cell * picture.cells_a_row + x;
      return std::min<uint64_t>(cells * picture.sectors_a_cell, touches.sectors.size() - 1);
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
          return fmt::format(
              "{} and what follows it in 32 bytes\n{} loads, {} stores, {} of 32 bytes used\nlast by block "
              "{}",
              place, one.reads, one.writes, warp_model::active_lanes(one.used),
              block_name(session->a()->launch(), one.last_block));
        },
        [this, area, session, sector_at, first](const Gesture& g) {
          if (zoom_.act(area, g)) return;
          Selection what;
          what.sector = first + sector_at(g.at);
          if (g.kind == GestureKind::hover) session->hot = what;
          if (g.kind == GestureKind::press) session->toggle_pin(what);
        });
  }

  static void draw_shown(const Frame& f, Rect area, const ArrayTouches& touches, const Picture& picture) {
    const auto* record = f.session.record();
    if (!record || !record->is_access() || record->space != trace::RecordSpace::global ||
        record->shape == trace::RecordShape::runs)
      return;
    const uint64_t first = f.session.a()->trace().arrays[touches.array].address / 32;
    const float w = area.w / static_cast<float>(picture.image.width),
                h = area.h / static_cast<float>(picture.image.height);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(record->mask >> lane & 1)) continue;
      const uint64_t sector = record->addresses[lane] / 32;
      if (sector < first || sector - first >= touches.sectors.size()) continue;
      const uint64_t cell = (sector - first) / picture.sectors_a_cell;
      const uint64_t row = cell / picture.cells_a_row / picture.sectors_a_cell;
      const Rect box{area.x + w * static_cast<float>(cell % picture.cells_a_row),
                     area.y + h * static_cast<float>(row), std::max(w, f.theme.px(3)),
                     std::max(h, f.theme.px(3))};
      f.canvas.frame(box, f.theme.focus, f.theme.px(1.5f));
    }
  }

  const LoadedTrace* seen_ = nullptr;
  bool dark_ = true;
  Touches touches_;
  std::vector<Picture> pictures_;
  Zoom zoom_;  // of all of them
  Rect place_{0, 0, 1, 1};
};

}  // namespace

std::unique_ptr<View> make_arrays_view() {
  return std::make_unique<ArraysView>();
}

}  // namespace ridge::view

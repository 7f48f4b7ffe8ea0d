// A heat map for each array of global memory, with square elements: the sectors that the recorded
// blocks touched, and how much of them was fetched and not used. A thread provides the counts. A
// picture is one texture, which is rebuilt when the trace, the colours or (in reveal mode) the
// shown access change.
#include <fmt/format.h>

#include <array>

#include "text/numbers.h"
#include "visualizer/draw/zoom.h"
#include "visualizer/session/analysis/survey.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/memory/array_image.h"
#include "visualizer/views/view.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

class ArraysView : public View {
 public:
  ArraysView() : View(trace::ViewKind::arrays) {}
  std::string_view sentence() const override {
    return "Each array of global memory as the recorded blocks touched it, one cell per sector of 32 bytes or "
           "a square of them. M changes what the colours mean; R and playing reveal it access by access.";
  }
  std::vector<LegendEntry> legend() const override {
    if (colors_ == ArrayColors::waste)
      return {{Role::useful, "fetched and used"},
              {Role::waste, "fetched, not used (stripes: how much)"},
              {Role::quiet, "not touched"},
              {Role::focus, "the shown access"}};
    return {{Role::quiet, "not touched"}, {Role::focus, "the shown access"}};
  }

  bool zooms() const override { return true; }
  bool press(Session& session, char key) override {
    if (key == 'm') return colors_ = static_cast<ArrayColors>((static_cast<size_t>(colors_) + 1) % kArrayColors), true;
    if (key == 'r') return reveals_ = !reveals_, true;
    if (key == kEscape) reveals_ = false;
    if (key == 'f') reveals_ = false;
    static_cast<void>(session);
    return zoom_.press(place_, key);
  }

  void draw(const Frame& f) override {
    const Survey* survey = f.session.survey();
    if (!survey) return draw_empty(f, "Counting what the recorded blocks touched ...");
    const Touches& touches = survey->touches;
    if (touches.arrays.empty()) return draw_empty(f, "The recorded blocks touch no array of global memory.");
    if (f.session.playback().playing()) reveals_ = true;
    make_images(f, touches);
    Rect area = f.area;
    draw_choices(f, area.take_top(f.theme.px(24)));
    area.take_top(f.theme.px(4));
    if (!touches.complete) {
      const Rect note = area.take_bottom(f.theme.px(18));
      f.canvas.text({note.x, note.centre().y},
                    fmt::format("The trace is long: only its first {} records are counted here.",
                                text::with_thousands(Touches::kMostRecords)),
                    f.theme.dim, f.theme.small());
    }
    const size_t count = touches.arrays.size(), columns = best_columns(f, area);
    const size_t rows = (count + columns - 1) / columns;
    const float w = area.w / static_cast<float>(columns), h = area.h / static_cast<float>(rows);
    for (size_t i = 0; i < count; ++i) {
      Rect cell{area.x + w * static_cast<float>(i % columns), area.y + h * static_cast<float>(i / columns), w, h};
      if (i % columns + 1 < columns) cell.w -= f.theme.px(14);
      draw_array(f, cell.inset(0, f.theme.px(3)), touches.arrays[i], i);
    }
  }

 private:
  struct Key {
    uint64_t trace = 0;
    bool dark = true;
    ArrayColors colors = ArrayColors::waste;
    std::optional<TouchTime> until;
    bool operator==(const Key&) const = default;
  };

  std::optional<TouchTime> until(const Session& session) const {
    if (!reveals_) return std::nullopt;
    return TouchTime{static_cast<uint32_t>(session.block()), static_cast<uint32_t>(session.playback().at())};
  }

  void make_images(const Frame& f, const Touches& touches) {
    const Key key{f.session.a()->id(), f.theme.dark, colors_, until(f.session)};
    if (key == made_) return;
    if (key.trace != made_.trace) {
      maps_.clear();
      for (const ArrayTouches& one : touches.arrays)
        maps_.push_back(heat_map(f.session.a()->trace().arrays[one.array], one));
    }
    made_ = key;
    images_.clear();
    for (size_t i = 0; i < maps_.size(); ++i)
      images_.push_back(image_of(f.theme, maps_[i], colors_, touches.arrays[i].most, key.until));
  }

  // The number of columns that makes the pictures largest.
  size_t best_columns(const Frame& f, Rect area) const {
    size_t best = 1;
    float most = 0;
    for (size_t columns = 1; columns <= maps_.size(); ++columns) {
      const size_t rows = (maps_.size() + columns - 1) / columns;
      const float w = area.w / static_cast<float>(columns) - f.theme.px(14),
                  h = area.h / static_cast<float>(rows) - f.theme.px(44);
      if (w < f.theme.px(120) && columns > 1) break;
      float size = 0;
      for (const HeatMap& map : maps_) {
        const float width = std::min(w, h * map.aspect);
        size += width * width / map.aspect;
      }
      if (size > most * 1.05f) most = size, best = columns;
    }
    return best;
  }

  // The meanings of the colours, with a button for each.
  void draw_choices(const Frame& f, Rect row) {
    for (size_t k = 0; k < kArrayColors; ++k) {
      const auto colors = static_cast<ArrayColors>(k);
      const std::string words(name_of(colors));
      const float width = f.canvas.text_width(words, f.theme.body()) + f.theme.px(16);
      if (row.w < width) return;
      const Rect box = row.take_left(width).inset(0, f.theme.px(2));
      row.take_left(f.theme.px(5));
      const bool on = colors == colors_;
      f.canvas.box(box, on ? f.theme.edge : f.theme.panel_head, f.theme.px(3));
      f.canvas.frame(box, on ? f.theme.text : f.theme.edge, 1, f.theme.px(3));
      f.canvas.text(box.centre(), words, f.theme.text, f.theme.body(Align::centre));
      f.canvas.region(box, fmt::format("arrays/by/{}", k), {}, [this, colors](const Gesture& g) {
        if (g.kind == GestureKind::press) colors_ = colors;
      });
    }
    row.take_left(f.theme.px(8));
    draw_color_key(f, row);
  }

  void draw_color_key(const Frame& f, Rect row) const {
    const auto swatch = [&](Color color, const std::string& words) {
      const float width = f.canvas.text_width(words, f.theme.small());
      if (row.w < width + f.theme.px(20)) return;
      const Rect mark = row.take_left(f.theme.px(11));
      f.canvas.box({mark.x, mark.centre().y - mark.w / 2, mark.w, mark.w}, color, f.theme.px(2));
      row.take_left(f.theme.px(4));
      f.canvas.text({row.x, row.centre().y}, words, f.theme.dim, f.theme.small());
      row.take_left(width + f.theme.px(10));
    };
    if (colors_ == ArrayColors::reuse) {
      uint32_t most = 1;
      for (const ArrayTouches& one : f.session.survey()->touches.arrays)
        most = std::max(most, one.most);
      for (uint32_t touches = 1; touches <= most && touches < 1u << 16; touches *= touches < 8 ? 2 : 8)
        swatch(color_of_reuse(f.theme, touches, most),
               fmt::format("{} touch{}", text::with_thousands(touches), touches == 1 ? "" : "es"));
    } else if (colors_ != ArrayColors::waste) {
      const auto& blocks = f.session.a()->trace().blocks;
      for (size_t i = 0; i < std::min<size_t>(blocks.size(), 8); ++i)
        swatch(color_of_block(f.theme, static_cast<uint16_t>(i + 1)),
               "block " + block_name(f.session.a()->launch(), blocks[i].block()));
    }
    if (!reveals_) return;
    const std::string words = fmt::format("up to access {} (R: all)", text::with_thousands(f.session.playback().at() + 1));
    f.canvas.text({row.right(), row.centre().y}, f.canvas.shortened(words, row.w, f.theme.small()),
                  f.theme.text, f.theme.small(Align::right));
  }

  void draw_array(const Frame& f, Rect area, const ArrayTouches& touches, size_t index) {
    const HeatMap& map = maps_[index];
    const auto& array = f.session.a()->trace().arrays[touches.array];
    draw_head(f, area.take_top(f.theme.px(36)), array, touches);
    // The largest rectangle with the array's aspect ratio.
    const float width = std::min(area.w, area.h * map.aspect);
    area = {area.x, area.y, width, width / map.aspect};
    if (area.empty()) return;
    place_ = area;
    const Rect whole = zoom_.spread(area);
    {
      const Clip clip(f.canvas, area);
      f.canvas.image(whole, images_[index]);
      draw_shown(f, whole, touches, map);
    }
    f.canvas.frame(area, f.theme.edge, 1);
    add_region(f, area, whole, touches, map);
  }

  // With the colours of reuse the overlap is counted: how often a touched sector was touched.
  void draw_head(const Frame& f, Rect head, const trace::TraceArray& array, const ArrayTouches& touches) const {
    std::string shape;
    for (const uint64_t extent : array.extent)
      shape += fmt::format("[{}]", extent);
    const Rect first = head.take_top(f.theme.px(18));
    f.canvas.text({first.x, first.centre().y},
                  f.canvas.shortened(array_name(array) + shape, first.w, f.theme.body()), f.theme.text,
                  f.theme.body());
    const auto ideal = static_cast<uint64_t>(touches.ideal_sectors + 0.5);
    const bool wastes = touches.fetched_sectors > ideal;
    const std::string touched = fmt::format("{} of {} touched", with_unit(touches.touched * 32), with_unit(array.bytes));
    const std::string words =
        colors_ == ArrayColors::reuse && touches.touched > 0
            ? fmt::format("{:.3g} touches per sector, at most {}; {}",
                          static_cast<double>(touches.fetched_sectors) / static_cast<double>(touches.touched),
                          touches.most, touched)
            : fmt::format("{}{}; {}", cost_text(trace::RecordSpace::global, touches.fetched_sectors, ideal),
                          wastes && ideal > 0 ? fmt::format(" ({:.3g}x)", static_cast<double>(touches.fetched_sectors) /
                                                                              static_cast<double>(ideal))
                                              : "",
                          touched);
    f.canvas.text({head.x, head.centre().y - f.theme.px(1)}, f.canvas.shortened(words, head.w, f.theme.small()),
                  wastes ? f.theme.waste : f.theme.dim, f.theme.small());
  }

  void add_region(const Frame& f, Rect area, Rect whole, const ArrayTouches& touches, const HeatMap& map) {
    Session* session = &f.session;
    const uint64_t first = session->a()->trace().arrays[touches.array].address / 32;
    const auto sector_at = [whole, &touches, &map](Point at) {
      const auto cell = [](float part, int cells) {
        return static_cast<int>(std::clamp(part, 0.0f, 0.9999f) * static_cast<float>(cells));
      };
      return std::min<uint64_t>(map.sector_of(cell((at.x - whole.x) / whole.w, map.width),
                                              cell((at.y - whole.y) / whole.h, map.height)),
                                touches.sectors.size() - 1);
    };
    f.canvas.region(
        area, fmt::format("array/{}", touches.array),
        [session, &touches, first] { return sector_text(*session, touches, first); },
        [this, area, session, sector_at, first](const Gesture& g) {
          if (zoom_.act(area, g)) return;
          Selection what;
          what.sector = first + sector_at(g.at);
          if (g.kind == GestureKind::hover) session->hot = what;
          if (g.kind == GestureKind::press) session->toggle_pin(what);
        });
  }

  static std::string sector_text(const Session& session, const ArrayTouches& touches, uint64_t first) {
    const uint64_t sector = std::max(session.hot.sector.value_or(first), first);
    const SectorTouches& one =
        touches.sectors[std::min<uint64_t>(sector - first, touches.sectors.size() - 1)];
    const std::string place = element_name(session.a()->trace(), trace::RecordSpace::global, sector * 32);
    if (one.touches() == 0) return fmt::format("{}\nnot touched by the recorded blocks", place);
    std::string text =
        fmt::format("{} and what follows it in 32 bytes\n{} loads, {} stores, {} of 32 bytes used by some lane",
                    place, one.reads, one.writes, warp_model::active_lanes(one.used));
    if (one.wasted > 0)
      text += fmt::format("\n{} of what was fetched here was not used by the access that fetched it",
                          percent_text(static_cast<double>(one.wasted) / one.touches()));
    const auto block = [&](uint32_t index) {
      return block_name(session.a()->launch(), session.a()->trace().blocks[index].block());
    };
    text += fmt::format("\nfirst touched by block {}", block(one.first.block));
    if (one.last_writer) text += fmt::format("\nlast written by block {}", block(one.last_writer - 1u));
    if (one.last_reader) text += fmt::format("\nlast read by block {}", block(one.last_reader - 1u));
    return text;
  }

  static void draw_shown(const Frame& f, Rect area, const ArrayTouches& touches, const HeatMap& map) {
    const auto* record = f.session.record();
    if (!record || !record->is_access() || record->space != trace::RecordSpace::global ||
        record->shape == trace::RecordShape::runs)
      return;
    const uint64_t first = f.session.a()->trace().arrays[touches.array].address / 32;
    const float w = area.w / static_cast<float>(map.width), h = area.h / static_cast<float>(map.height);
    size_t before = ~size_t{0};
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(record->mask >> lane & 1)) continue;
      const uint64_t sector = record->addresses[lane] / 32;
      if (sector < first || sector - first >= touches.sectors.size()) continue;
      const size_t cell = map.cell_of(sector - first);
      if (cell == before) continue;
      before = cell;
      const auto column = static_cast<float>(cell % static_cast<size_t>(map.width)),
                 row = static_cast<float>(cell / static_cast<size_t>(map.width));
      const Rect box{area.x + w * column, area.y + h * row, std::max(w, f.theme.px(3)),
                     std::max(h, f.theme.px(3))};
      f.canvas.frame(box, f.theme.focus, f.theme.px(1.5f));
    }
  }

  ArrayColors colors_ = ArrayColors::waste;
  bool reveals_ = false;  // show only what was touched up to the shown access
  Key made_;              // the state that the images show
  std::vector<HeatMap> maps_;
  std::vector<Image> images_;  // of its arrays
  Zoom zoom_;                  // of all of them
  Rect place_{0, 0, 1, 1};
};

}  // namespace

std::unique_ptr<View> make_arrays_view() {
  return std::make_unique<ArraysView>();
}

}  // namespace ridge::view

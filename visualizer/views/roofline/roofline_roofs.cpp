#include "visualizer/views/roofline/roofline_roofs.h"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::view {
namespace {

class RoofPicture {
 public:
  RoofPicture(const Frame& frame, const Roofs& roofs, const Plot& plot, bool bytes, std::vector<Rect> taken)
      : f_(frame), roofs_(roofs), plot_(plot), bytes_(bytes), taken_(std::move(taken)) {}

  void draw() {
    const double top = bytes_ ? 1e30 : std::max(roofs_.fp32.rate, roofs_.tensor.rate);
    for (const Roof* roof : {&roofs_.l1, &roofs_.l2, &roofs_.dram}) {
      if (roof->rate <= 0) continue;
      const double bend = std::min(top / roof->rate, plot_.x.high * 10);
      f_.canvas.line(plot_.at(plot_.x.low / 10, roof->rate * plot_.x.low / 10),
                     plot_.at(bend, roof->rate * bend), f_.theme.level,
                     f_.theme.px(roof == &roofs_.dram ? 2.2f : 1.2f));
    }
    draw_flats();
    // Draw the names after all lines, so that no line crosses a name.
    int number = 0;
    for (const Roof* roof : {&roofs_.l1, &roofs_.l2, &roofs_.dram})
      if (roof->rate > 0) name_slope(*roof, number++);
  }

 private:
  void draw_flats() {
    if (bytes_) {
      f_.canvas.line(plot_.at(1, plot_.y.low), plot_.at(1, plot_.y.high), f_.theme.faint, f_.theme.px(1));
      const Point at = plot_.at(1, plot_.y.low);
      const bool room = at.x + f_.theme.px(90) < plot_.area.right();
      f_.canvas.text({at.x + f_.theme.px(room ? 5 : -5), at.y - f_.theme.px(10)}, "every byte once",
                     f_.theme.text, f_.theme.small(room ? Align::left : Align::right));
      return;
    }
    for (const Roof* roof : {&roofs_.fp32, &roofs_.tensor}) {
      if (roof->rate <= 0) continue;
      const double ridge = roof->rate / roofs_.l1.rate;
      const Point from = plot_.at(ridge, roof->rate);
      f_.canvas.line(from, {plot_.area.right(), from.y}, f_.theme.level,
                     f_.theme.px(roof == &roofs_.fp32 ? 2.2f : 1.2f));
      const std::string words = fmt::format("{} {}", roof->name, with_si(roof->rate, "FLOP/s"));
      f_.canvas.text({plot_.area.right() - f_.theme.px(6), from.y - f_.theme.px(9)}, words, f_.theme.level,
                     f_.theme.small(Align::right));
      add_region(*roof, {from.x, from.y - f_.theme.px(5), plot_.area.right() - from.x, f_.theme.px(10)});
    }
  }

  // Names are on the lines, each slightly less far along than the one above so that they do not
  // overlap; farther along if a run is there.
  void name_slope(const Roof& roof, int number) {
    // If there is no room, use the first word; the tooltip has the rest.
    const std::string brief = roof.name.substr(0, roof.name.find(' ')),
                      whole = fmt::format("{}  {}", roof.name, with_si(roof.rate, "B/s"));
    std::string words;
    Point at;
    Rect chip;
    const auto stand_at = [&](float along, const std::string& name) {
      words = name;
      const double x = plot_.x.value(plot_.area.x + plot_.area.w * along);
      at = plot_.at(x, roof.rate * x);
      // The line enters the plot from below.
      if (const float low = plot_.area.bottom() - f_.theme.px(14); at.y > low)
        at = {plot_.x.place(plot_.y.value(low) / roof.rate), low};
      const float width = f_.canvas.text_width(words, f_.theme.small());
      chip = {at.x - f_.theme.px(8), at.y - f_.theme.px(8), width + f_.theme.px(10), f_.theme.px(16)};
      return plot_.area.contains(at) && std::none_of(taken_.begin(), taken_.end(), [&](const Rect& other) {
               return !other.clipped(chip).empty();
             });
    };
    const float first = 0.07f - 0.02f * static_cast<float>(number);
    const bool small = plot_.area.w < f_.theme.px(420);
    float along = first;
    while (along < 0.6f && (small || !stand_at(along, whole)) && !stand_at(along, brief))
      along += 0.05f;
    if (along >= 0.6f) stand_at(first, brief);
    taken_.push_back(chip);
    f_.canvas.box(chip, f_.theme.panel, f_.theme.px(3));
    f_.canvas.text({chip.x + f_.theme.px(5), at.y}, words, f_.theme.level, f_.theme.small());
    add_region(roof, chip);
  }

  void add_region(const Roof& roof, Rect area) {
    const bool slope = &roof == &roofs_.dram || &roof == &roofs_.l2 || &roof == &roofs_.l1;
    const std::string text = fmt::format(
        "{}: {}\n{}\n{}", roof.name, with_si(roof.rate, slope ? "B/s" : "FLOP/s"), roof.source,
        &roof == &roofs_.dram ? "bytes of the device's memory"
        : slope               ? "a kernel whose data stays here could reach this line"
                              : fmt::format("the ridge: from {:.3g} FLOP/B on, arithmetic bounds",
                                            roof.rate / roofs_.dram.rate));
    f_.canvas.region(area, "roof/" + roof.name, [text] { return text; });
  }

  const Frame& f_;
  const Roofs& roofs_;
  const Plot& plot_;
  const bool bytes_;
  std::vector<Rect> taken_;
};

}  // namespace

void draw_roofs(const Frame& frame, const Roofs& roofs, const Plot& plot, bool bytes,
                std::vector<Rect> taken) {
  RoofPicture(frame, roofs, plot, bytes, std::move(taken)).draw();
}

}  // namespace ridge::view

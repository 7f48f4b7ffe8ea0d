// The ladder: one bar per rung, with the student's percentage of the library and the reference's.
#include <fmt/format.h>

#include <algorithm>

#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

class LadderView : public View {
 public:
  LadderView() : View(trace::ViewKind::ladder) {}
  std::string_view sentence() const override {
    return "Each rung is one idea; the upper bar is your best version, the lower one the reference, both in "
           "percent of the library's speed.";
  }
  std::vector<LegendEntry> legend() const override {
    return {
        {Role::useful, "yours, measured"}, {Role::level, "reference, measured"}, {Role::focus, "this rung"}};
  }

  void draw(const Frame& f) override {
    const report::Ladder* ladder = f.session.ladder();
    if (!ladder || ladder->rungs.empty())
      return draw_empty(
          f,
          "The ladder belongs to a lab: `ridge view LAB` shows it, or a trace of one of its rungs does "
          "(`ridge view LAB/RUNG`), in a clone of the course.");
    Rect area = f.area;
    Rect head = area.take_top(f.theme.px(22));
    f.canvas.text({head.x, head.centre().y}, f.canvas.shortened(title_of(*ladder), head.w, f.theme.body()),
                  f.theme.text, f.theme.body());
    draw_marks_key(f, head, *ladder);
    const Rect axis = area.take_bottom(f.theme.px(20));
    const float names =
        std::clamp(area.w * 0.34f, f.theme.px(90), f.theme.px(ladder->references_only ? 330 : 260));
    const float row = std::min(area.h / static_cast<float>(ladder->rungs.size()), f.theme.px(72));
    if (row < f.theme.px(15)) return draw_empty(f, "The window is too low for this ladder.");
    Rect bars{area.x + names, area.y, std::max(10.0f, area.w - names - f.theme.px(64)),
              row * static_cast<float>(ladder->rungs.size())};
    const double most = most_of(*ladder);
    draw_scale(f, bars, axis, most, whole_of(*ladder));
    const std::string rung = f.session.a() ? f.session.a()->trace().notes.rung : std::string();
    for (size_t i = 0; i < ladder->rungs.size(); ++i) {
      const Rect line{area.x, area.y + row * static_cast<float>(i), area.w, row};
      draw_rung(f, ladder->rungs[i], i + 1, line, bars, most, ladder->rungs[i].path == rung,
                ladder->references_only);
    }
  }

 private:
  // The key of the two lines at each bar: at the right end of the head, if there is room.
  static void draw_marks_key(const Frame& f, Rect head, const report::Ladder& ladder) {
    if (std::none_of(ladder.rungs.begin(), ladder.rungs.end(), [](const auto& r) { return r.pass > 0; }))
      return;
    const TextStyle style = f.theme.small();
    const float title = f.canvas.text_width(title_of(ladder), f.theme.body());
    if (head.w - title < f.theme.px(130)) return;
    const auto mark = [&](std::string_view words, float width) {
      const Rect place = head.take_right(f.canvas.text_width(words, style) + f.theme.px(18));
      f.canvas.line({place.x + f.theme.px(4), place.y + f.theme.px(4)},
                    {place.x + f.theme.px(4), place.bottom() - f.theme.px(4)}, f.theme.text,
                    f.theme.px(width));
      f.canvas.text({place.x + f.theme.px(9), place.centre().y}, words, f.theme.dim, style);
    };
    mark("gold", 2);
    mark("passes", 1);
  }

  static std::string title_of(const report::Ladder& ladder) {
    return fmt::format("{}: % of {} on the {}", ladder.title, whole_of(ladder), ladder.device);
  }

  // What 100% is: the library, or, where the rungs have different ones, "the baseline".
  static std::string_view whole_of(const report::Ladder& ladder) {
    const auto differs = [&](const report::LadderRung& rung) {
      return rung.baseline != ladder.rungs.front().baseline;
    };
    return std::any_of(ladder.rungs.begin(), ladder.rungs.end(), differs) ? "the baseline" : "the library";
  }

  static double most_of(const report::Ladder& ladder) {
    double most = 100;
    for (const report::LadderRung& rung : ladder.rungs)
      for (const auto* figure : {&rung.student, &rung.reference})
        if (*figure) most = std::max(most, (*figure)->percent);
    return std::min(most, kMostPercent) * 1.02;
  }
  // A longer bar is cut: it would leave no room for those of the other rungs.
  static constexpr double kMostPercent = 300;

  static float along(const Rect& bars, double percent, double most) {
    return bars.x + bars.w * static_cast<float>(std::min(percent / most, 1.0));
  }

  static void draw_scale(const Frame& f, const Rect& bars, const Rect& axis, double most,
                         std::string_view whole) {
    const float label = f.theme.px(bars.w > f.theme.px(300) ? 64 : 32);
    int step = 25;
    while (step < 100 && bars.w * static_cast<float>(step / most) < label)
      step *= 2;
    for (int percent = 0; percent <= most; percent += step) {
      const float x = along(bars, percent, most);
      f.canvas.line({x, bars.y}, {x, bars.bottom()}, percent == 100 ? f.theme.dim : f.theme.grid,
                    f.theme.px(percent == 100 ? 1.5f : 1));
      f.canvas.text(
          {x, std::min(axis.centre().y, bars.bottom() + f.theme.px(11))},
          percent == 100 && bars.w > f.theme.px(300) ? fmt::format("{}: 100%", whole)
                                                     : fmt::format("{}%", percent),
          f.theme.dim, f.theme.small(Align::centre));
    }
  }

  static void draw_rung(const Frame& f, const report::LadderRung& rung, size_t number, Rect line,
                        const Rect& bars, double most, bool here, bool references_only) {
    const Rect words = line.take_left(bars.x - line.x);
    const float gap = std::min(f.theme.px(6), line.h * 0.14f);
    const TextStyle style = f.theme.body();
    const bool two = line.h > f.theme.px(36);
    f.canvas.text(
        {words.x + f.theme.px(7), words.centre().y - (two ? f.theme.px(8) : 0)},
        f.canvas.shortened(fmt::format("{}  {}", number, rung.title), words.w - f.theme.px(17), style),
        f.theme.text, style);
    if (two)
      f.canvas.text({words.x + f.theme.px(7), words.centre().y + f.theme.px(9)},
                    f.canvas.shortened(references_only ? rung.idea : state_of(rung), words.w - f.theme.px(17),
                                       f.theme.small()),
                    f.theme.dim, f.theme.small());
    const Rect both{bars.x, line.y + gap, bars.w, line.h - 2 * gap};
    const Rect upper{both.x, both.y, both.w, both.h * 0.56f};
    const Rect lower{both.x, upper.bottom() + f.theme.px(1), both.w, both.h * 0.44f - f.theme.px(1)};
    // A note that there is no bar is placed after the marks if there is no room before them.
    const float marks = along(bars, std::max(rung.pass, rung.gold), most);
    const float first = rung.pass > 0 ? along(bars, rung.pass, most) : marks;
    const bool before = first - bars.x > f.canvas.text_width(kNoBar, f.theme.small()) + f.theme.px(12);
    const float words_at = before || marks <= bars.x ? bars.x : marks;
    if (references_only) {
      draw_bar(f, both, rung.reference, most, true, words_at);
    } else {
      draw_bar(f, upper, rung.student, most, true, words_at);
      draw_bar(f, lower, rung.reference, most, false, bars.x);
    }
    for (const double mark : {rung.pass, rung.gold})
      if (mark > 0 && mark <= most) {
        const float x = along(bars, mark, most);
        const Rect& marked = references_only ? both : upper;
        f.canvas.line({x, marked.y - f.theme.px(1)}, {x, marked.bottom() + f.theme.px(1)}, f.theme.text,
                      f.theme.px(mark == rung.gold ? 2 : 1));
      }
    const Rect whole{words.x, line.y, bars.right() - words.x, line.h};
    if (here)
      f.canvas.frame(Rect{whole.x, whole.y, whole.w + f.theme.px(4), whole.h}.inset(f.theme.px(1)),
                     f.theme.focus, f.theme.px(2), f.theme.px(3));
    const std::string text = tooltip(rung);
    f.canvas.region(whole, "rung/" + rung.path, [text] { return text; });
  }

  static constexpr std::string_view kNoBar = "not measured yet";

  static void draw_bar(const Frame& f, Rect area, const std::optional<report::LadderFigure>& figure,
                       double most, bool student, float words_from) {
    if (!figure) {
      if (student)
        f.canvas.text({words_from + f.theme.px(6), area.centre().y}, kNoBar, f.theme.faint, f.theme.small());
      return;
    }
    const Rect bar{area.x, area.y, along(area, figure->percent, most) - area.x, area.h};
    if (student) {
      f.canvas.box(bar, f.theme.useful);
    } else {
      f.canvas.box(bar, f.theme.level.faded(0.25f), f.theme.px(2));
      f.canvas.frame(bar, f.theme.level, f.theme.px(1.5f), f.theme.px(2));
    }
    if (figure->percent > most) draw_cut(f, bar);
    // On its own background, because the library's line may cross it.
    const TextStyle style = student ? f.theme.body() : f.theme.small();
    const std::string words = fmt::format("{:.1f}", figure->percent);
    const float width = f.canvas.text_width(words, style), left = bar.right() + f.theme.px(6);
    f.canvas.box(
        {left - f.theme.px(3), area.centre().y - style.size * 0.6f, width + f.theme.px(6), style.size * 1.2f},
        f.theme.panel);
    f.canvas.text({left, area.centre().y}, words, student ? f.theme.text : f.theme.dim, style);
  }

  // Two slanted gaps near the end: the bar is longer than the axis.
  static void draw_cut(const Frame& f, const Rect& bar) {
    for (const float from : {16.0f, 10.0f}) {
      const float x = bar.right() - f.theme.px(from), slant = f.theme.px(4);
      f.canvas.line({x - slant, bar.bottom()}, {x + slant, bar.y}, f.theme.panel, f.theme.px(2));
    }
  }

  static std::string state_of(const report::LadderRung& rung) {
    if (rung.runs == 0) return "not begun";
    return fmt::format("{}, {} run{}",
                       rung.student  ? "measured"
                       : rung.passed ? "right on the virtual GPU"
                                     : "not passed yet",
                       rung.runs, rung.runs == 1 ? "" : "s");
  }

  static std::string tooltip(const report::LadderRung& rung) {
    std::string text = rung.title;
    if (!rung.idea.empty()) text += "\n" + rung.idea;
    const auto figure = [&](const char* whose, const std::optional<report::LadderFigure>& one,
                            const char* none) {
      text += one ? fmt::format("\n{}: {:.1f}% ({})", whose, one->percent, one->source)
                  : fmt::format("\n{}: {}", whose, none);
    };
    figure("yours", rung.student,
           rung.passed ? "correct, but not measured on this device: run `ridge grade` on a machine that has one"
                       : "no version has passed yet");
    figure("reference", rung.reference, "not measured on this device");
    if (rung.pass > 0)
      text += fmt::format("\nthe marks: {:.0f}% passes, {:.1f}% is gold; baseline {}", rung.pass, rung.gold,
                          rung.baseline);
    return text;
  }
};

}  // namespace

std::unique_ptr<View> make_ladder_view() {
  return std::make_unique<LadderView>();
}

}  // namespace ridge::view

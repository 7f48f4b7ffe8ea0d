// Run A and run B side by side, locked in time: the Warp or Banks picture of the same moment of both, the
// changed numbers between them.
#include <fmt/format.h>

#include "visualizer/session/access_text.h"
#include "visualizer/views/view_list.h"

namespace ridge::view {
namespace {

class CompareView : public View {
 public:
  CompareView() : warp_(make_warp_view()), banks_(make_banks_view()) {}
  std::string_view id() const override { return "compare"; }
  std::string_view name() const override { return "Compare"; }
  std::string_view sentence() const override {
    return "Left this run (A), right the one before (B), at the same part of their time; between them what "
           "changed in the "
           "recorded blocks.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "needed"}, {Role::waste, "wasted"}, {Role::focus, "selected"}};
  }

  void draw(const Frame& f) override {
    const LoadedTrace* a = f.session.a();
    const LoadedTrace* b = f.session.b();
    if (!b)
      return draw_empty(f,
                        "There is one run so far. Change the kernel and trace it again, or open two files: "
                        "ridge-view NEW.rtrace "
                        "OLD.rtrace");
    Rect area = f.area;
    Rect numbers = area.take_top(f.theme.px(76));
    draw_numbers(f, numbers, *a, *b);
    if (second_.a() != b) {
      second_ = Session();
      second_.show(f.session.b_shared(), false);
    }
    // The same part of the time; and the same kind of access there, where there is one.
    if (f.session.block() < b->timelines().size()) second_.show_block(f.session.block());
    if (f.session.playback().size() > 0 && second_.playback().size() > 0)
      second_.playback().go_to(
          same_moment(*f.session.timeline(), f.session.playback().at(), *second_.timeline()));
    second_.playback().rest();
    Rect left = area.take_left((area.w - f.theme.px(12)) / 2);
    area.take_left(f.theme.px(12));
    draw_side(f, left, f.session, "A", false);
    f.canvas.line({area.x - f.theme.px(6), area.y}, {area.x - f.theme.px(6), area.bottom()}, f.theme.edge);
    draw_side(f, area, second_, "B", true);
  }

 private:
  void draw_side(const Frame& f, Rect area, Session& session, const char* name, bool second) {
    const auto* record = session.record();
    if (!record) return;
    Rect head = area.take_top(f.theme.px(26));
    const auto& mark = session.timeline()->mark(session.playback().at());
    const std::string words = fmt::format(
        "{}  {}", name, f.session.cost_hidden() ? "" : cost_text(mark.space, mark.actual, mark.ideal));
    f.canvas.text({head.x, head.centre().y}, f.canvas.shortened(words, head.w, f.theme.heading()),
                  mark.waste() ? f.theme.waste : f.theme.text, f.theme.heading());
    const size_t before = f.canvas.regions().size();
    View& view = record->space == trace::RecordSpace::shared ? *banks_ : *warp_;
    view.draw({f.canvas, f.theme, session, area});
    if (second) f.canvas.rename_regions(before, "b/");
  }

  static void draw_numbers(const Frame& f, Rect area, const LoadedTrace& a, const LoadedTrace& b) {
    const auto sums = [](const LoadedTrace& trace) {
      std::array<CostSum, 2> both{};
      for (const LineCost& line : trace.lines()) {
        both[0].actual += line.global.actual, both[0].ideal += line.global.ideal;
        both[1].actual += line.shared.actual, both[1].ideal += line.shared.ideal;
      }
      return both;
    };
    const auto first = sums(a), second = sums(b);
    static constexpr const char* kNames[] = {"sectors of global memory", "passes over shared memory"};
    for (size_t i = 0; i < 2; ++i) {
      Rect row = area.take_top(f.theme.px(24));
      const double change =
          second[i].actual
              ? (static_cast<double>(first[i].actual) / static_cast<double>(second[i].actual) - 1) * 100
              : 0;
      const std::string words = fmt::format(
          "{}:  A {}  B {}  ({}; {} would do)", kNames[i], with_thousands(first[i].actual),
          with_thousands(second[i].actual),
          first[i].actual == second[i].actual ? std::string("the same") : fmt::format("{:+.1f}%", change),
          first[i].ideal == second[i].ideal
              ? with_thousands(first[i].ideal)
              : fmt::format("{} and {}", with_thousands(first[i].ideal), with_thousands(second[i].ideal)));
      const Color color = first[i].actual > second[i].actual   ? f.theme.waste
                          : first[i].actual < second[i].actual ? f.theme.useful
                                                               : f.theme.dim;
      f.canvas.text({row.x, row.centre().y}, f.canvas.shortened(words, row.w, f.theme.body()), color,
                    f.theme.body());
    }
    const Rect row = area.take_top(f.theme.px(20));
    const auto name = [](const LoadedTrace& t) {
      return fmt::format("{}{}", t.title(), t.trace().notes.solution ? " (solution)" : "");
    };
    f.canvas.text(
        {row.x, row.centre().y},
        f.canvas.shortened(fmt::format("A is {}, B is {}", name(a), name(b)), row.w, f.theme.small()),
        f.theme.dim, f.theme.small());
  }

  std::unique_ptr<View> warp_, banks_;
  Session second_;
};

}  // namespace

std::unique_ptr<View> make_compare_view() {
  return std::make_unique<CompareView>();
}

}  // namespace ridge::view

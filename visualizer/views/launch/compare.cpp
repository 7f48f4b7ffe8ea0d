// Run A and run B in two synchronised pictures: the same moment of both in the view that was shown
// before, with the changed numbers between them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "text/numbers.h"
#include "text/source_difference.h"
#include "visualizer/session/analysis/launch_change.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

class CompareView : public View {
 public:
  CompareView() : View(trace::ViewKind::compare) {}
  std::string_view sentence() const override {
    return "Left this run (A), right the one before (B), at the same part of their time; above them what "
           "changed.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "needed"}, {Role::waste, "wasted"}, {Role::focus, "selected"}};
  }

  bool zooms() const override { return true; }
  bool press(Session& session, char key) override {
    if (key == 'v') {
      session.compared = next_compared(session.compared);
      return true;
    }
    bool taken = false;
    for (size_t side = 0; side < 2 && session.b(); ++side)
      taken |= picture(side, session.compared, session.record()).press(side ? second_ : session, key);
    return taken;
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
      second_.in_background = f.session.in_background;
      second_.show(f.session.b_shared(), false);
    }
    second_.counting = false;
    // The same relative position in time, and the same kind of access if there is one.
    if (f.session.block() < b->timelines().size()) second_.show_block(f.session.block());
    if (f.session.playback().size() > 0 && second_.playback().size() > 0)
      second_.playback().go_to(
          same_moment(*f.session.timeline(), f.session.playback().at(), *second_.timeline()));
    second_.playback().rest();
    second_.prediction.asking = f.session.prediction.asking;  // B must not reveal the answer
    second_.prediction.of = second_.playback().at();
    compare_sources(*a, *b);
    // The difference gets the rows that it needs, as long as the pictures keep most of the room.
    const float row = f.theme.px(16);
    const float wanted = row * static_cast<float>(shown_.size() + 1) + f.theme.px(10);
    if (area.h > f.theme.px(260)) draw_difference(f, area.take_bottom(std::min(wanted, area.h * 0.36f)), row);
    Rect left = area.take_left((area.w - f.theme.px(12)) / 2);
    area.take_left(f.theme.px(12));
    draw_side(f, left, f.session, "A", 0);
    f.canvas.line({area.x - f.theme.px(6), area.y}, {area.x - f.theme.px(6), area.bottom()}, f.theme.edge);
    draw_side(f, area, second_, "B", 1);
    f.session.counting |= second_.counting;
  }

 private:
  // The next view in the table that can be compared; "": the access, as Warp or Banks.
  static std::string_view next_compared(std::string_view id) {
    const auto compares = [](const auto& view) { return view.compares; };
    auto from = trace::kViews.begin();
    if (!id.empty()) from = std::find_if(from, trace::kViews.end(), [&](const auto& v) { return v.id == id; });
    if (!id.empty() && from != trace::kViews.end()) ++from;
    const auto next = std::find_if(from, trace::kViews.end(), compares);
    return next == trace::kViews.end() ? std::string_view() : next->id;
  }

  View& picture(size_t side, const std::string& chosen, const trace::TraceRecord* record) {
    const bool shared = record && record->space == trace::RecordSpace::shared;
    const trace::ViewDescription* view = trace::find_view_description(chosen);
    const trace::ViewKind kind = view && view->compares ? view->kind
                                 : shared               ? trace::ViewKind::banks
                                                        : trace::ViewKind::warp;
    auto& made = pictures_[side][kind];
    if (!made) made = make_view(kind);
    return *made;
  }

  void draw_side(const Frame& f, Rect area, Session& session, const char* name, size_t side) {
    const auto* record = session.record();
    if (!record && f.session.compared.empty()) return;
    Rect head = area.take_top(f.theme.px(26));
    const auto mark = record ? session.timeline()->mark(session.playback().at()) : trace::RecordMark{};
    const std::string words = fmt::format(
        "{}  {}", name, f.session.cost_hidden() ? "" : cost_text(mark.space, mark.actual, mark.ideal));
    f.canvas.text({head.x, head.centre().y}, f.canvas.shortened(words, head.w, f.theme.heading()),
                  mark.waste() && !f.session.cost_hidden() ? f.theme.waste : f.theme.text, f.theme.heading());
    const size_t before = f.canvas.regions().size();
    picture(side, f.session.compared, record)
        .draw({f.canvas, f.theme, session, area, side ? f.session.a() : f.session.b()});
    if (side == 1) f.canvas.rename_regions(before, "b/");
  }

  static void draw_numbers(const Frame& f, Rect area, const LoadedTrace& a, const LoadedTrace& b) {
    const LaunchChange change = change_of(a, b);
    const auto& first = change.now;
    const auto& second = change.before;
    for (size_t i = 0; i < 2; ++i) {
      Rect row = area.take_top(f.theme.px(24));
      if (f.session.prediction.asking) continue;  // these would reveal the answer
      const std::string words = fmt::format(
          "{}:  A {}  B {}  ({}; {} would do{})", LaunchChange::kNames[i],
          text::with_thousands(first[i].actual), text::with_thousands(second[i].actual),
          first[i].actual == second[i].actual ? std::string("the same")
          : second[i].actual == 0             ? std::string("B had none")
                                              : times_text(first[i].actual, second[i].actual),
          first[i].ideal == second[i].ideal ? text::with_thousands(first[i].ideal)
                                            : fmt::format("{} and {}", text::with_thousands(first[i].ideal),
                                                          text::with_thousands(second[i].ideal)),
          change.whole_launch ? "; whole launch" : "; recorded blocks");
      const Color color = first[i].waste() > second[i].waste()   ? f.theme.waste
                          : first[i].waste() < second[i].waste() ? f.theme.useful
                                                                 : f.theme.dim;
      const TextStyle style =
          f.canvas.text_width(words, f.theme.body()) <= row.w ? f.theme.body() : f.theme.small();
      f.canvas.text({row.x, row.centre().y}, f.canvas.shortened(words, row.w, style), color, style);
    }
    const Rect row = area.take_top(f.theme.px(20));
    const auto name = [](const LoadedTrace& t) {
      return fmt::format("{}{}", t.title(), t.trace().notes.solution ? " (solution)" : "");
    };
    f.canvas.text(
        {row.x, row.centre().y},
        f.canvas.shortened(fmt::format("A is {}, B is {}. V: another view of both", name(a), name(b)), row.w,
                           f.theme.small()),
        f.theme.dim, f.theme.small());
  }

  void compare_sources(const LoadedTrace& a, const LoadedTrace& b) {
    if (compared_ == std::pair(a.id(), b.id())) return;
    compared_ = {a.id(), b.id()};
    shown_.clear();
    first_ = 0;
    const auto text = [](const LoadedTrace& t) {
      return t.launch().sources.empty() ? std::string_view()
                                        : std::string_view(t.launch().sources[t.main_source()].text);
    };
    known_ = !text(a).empty() && !text(b).empty();
    if (!known_) return;
    for (const text::DiffLine& line : text::code_difference(text(a), text(b)))
      if (line.kind != text::DiffLine::Kind::same) shown_.push_back(line);
  }

  void draw_difference(const Frame& f, Rect area, float row) {
    f.canvas.line({area.x, area.y + f.theme.px(3)}, {area.right(), area.y + f.theme.px(3)}, f.theme.edge);
    area.take_top(f.theme.px(6));
    const Rect head = area.take_top(row);
    const auto lines = [&](text::DiffLine::Kind kind) {
      const auto count = std::count_if(shown_.begin(), shown_.end(),
                                       [&](const text::DiffLine& d) { return d.kind == kind; });
      return fmt::format("{} line{}", count, count == 1 ? "" : "s");
    };
    const std::string words =
        !known_ ? "The sources are not in both traces, so their difference is not known."
        : shown_.empty()
            ? "The code of both is the same (comments are not compared)."
            : fmt::format("What changed in the code: {} of B went (-), {} of A came (+)",
                          lines(text::DiffLine::Kind::removed), lines(text::DiffLine::Kind::added));
    f.canvas.text({head.x, head.centre().y}, f.canvas.shortened(words, head.w, f.theme.small()), f.theme.dim,
                  f.theme.small());
    const int fit = static_cast<int>(area.h / row), all = static_cast<int>(shown_.size());
    first_ = std::clamp(first_, 0, std::max(0, all - fit));
    f.canvas.region(area, "difference", {}, [this](const Gesture& g) {
      if (g.kind == GestureKind::wheel) first_ -= static_cast<int>(g.wheel * 2);
    });
    for (int i = first_; i < std::min(all, first_ + fit); ++i) {
      const text::DiffLine& one = shown_[static_cast<size_t>(i)];
      const bool added = one.kind == text::DiffLine::Kind::added;
      Rect line = area.take_top(row);
      if (added) f.canvas.box(line, f.theme.useful.faded(0.12f));
      const TextStyle style = f.theme.code();
      const float y = line.centre().y;
      f.canvas.text({line.x + f.theme.px(4), y}, added ? "+" : "-", added ? f.theme.text : f.theme.dim,
                    style);
      line.take_left(f.theme.px(20));
      f.canvas.text({line.x + f.theme.px(26), y}, std::to_string(one.line), f.theme.faint,
                    f.theme.small_code(Align::right));
      line.take_left(f.theme.px(36));
      const std::string text = f.canvas.shortened(one.text, line.w, style);
      f.canvas.text({line.x, y}, text, added ? f.theme.text : f.theme.dim, style);
      if (!added) {
        const size_t blank = std::min(text.find_first_not_of(' '), text.size());
        const float from = line.x + f.canvas.text_width(std::string_view(text).substr(0, blank), style);
        f.canvas.line({from, y}, {line.x + f.canvas.text_width(text, style), y}, f.theme.dim, 1);
      }
    }
  }

  std::array<std::map<trace::ViewKind, std::unique_ptr<View>>, 2> pictures_;  // of A and of B
  Session second_;
  std::pair<uint64_t, uint64_t> compared_{};  // LoadedTrace::id()
  std::vector<text::DiffLine> shown_;         // only what changed
  bool known_ = false;
  int first_ = 0;
};

}  // namespace

std::unique_ptr<View> make_compare_view() {
  return std::make_unique<CompareView>();
}

}  // namespace ridge::view

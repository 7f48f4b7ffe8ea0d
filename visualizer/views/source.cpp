// The learner's file with a heat gutter: sectors (or passes) that each line cost, and what would have done.
// The line of the shown access is framed; T shows the PTX behind it.
#include <fmt/format.h>

#include "visualizer/session/access_text.h"
#include "visualizer/views/panels.h"

namespace ridge::view {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool is_comment(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line.substr(first).starts_with("//");
}

class SourcePanel : public View {
 public:
  std::string_view id() const override { return "source"; }
  std::string_view name() const override { return "Source"; }
  std::string_view sentence() const override {
    return "What each line cost in the recorded blocks, and what would do.";
  }
  std::vector<LegendEntry> legend() const override { return {{Role::waste, "too many sectors or passes"}}; }

  bool press(Session&, char key) override {
    if (key != 't') return false;
    ptx_ = !ptx_;
    return true;
  }

  void draw(const Frame& f) override {
    const LoadedTrace* a = f.session.a();
    const auto* shown = f.session.instruction();
    const auto* record = f.session.record();
    if (a->launch().sources.empty())
      return draw_empty(
          f, "This trace holds no source: compile with -lineinfo (ridge nvcc does) to see it here.");
    const uint32_t source =
        record && shown && shown->line ? a->source_of(record->instruction) : a->main_source();
    if (source >= a->launch().sources.size()) return;
    const auto& file = a->launch().sources[source];
    Rect area = f.area;
    if (ptx_ && shown)
      draw_ptx(f, area.take_bottom(std::min(area.h * 0.35f, f.theme.px(150))), shown->ptx_line);
    if (seen_ != &file) seen_ = &file, lines_ = lines_of(file.text);
    draw_lines(f, area, source, shown ? shown->line : 0);
  }

 private:
  void draw_lines(const Frame& f, Rect area, uint32_t source, uint32_t shown) {
    const float row = f.theme.px(17);
    const int fit = std::max(1, static_cast<int>(area.h / row));
    const int count = static_cast<int>(lines_.size());
    if (shown != followed_) {  // the picture follows the playback, except while a person scrolls
      followed_ = shown;
      if (static_cast<int>(shown) < first_ + 3 || static_cast<int>(shown) > first_ + fit - 3)
        first_ = static_cast<int>(shown) - fit / 2;
    }
    first_ = std::clamp(first_, 0, std::max(0, count - fit));
    f.canvas.region(area, "source", {}, [this](const Gesture& g) {
      if (g.kind == GestureKind::wheel) first_ -= static_cast<int>(g.wheel * 3);
    });
    uint64_t most = 1;
    for (const LineCost& line : f.session.a()->lines())
      most = std::max(most, line.waste());
    const Clip clip(f.canvas, area);
    const Selection selected = f.session.selected();
    for (int i = 0; i <= fit && first_ + i < count; ++i) {
      const uint32_t number = static_cast<uint32_t>(first_ + i + 1);
      const Rect line{area.x, area.y + row * static_cast<float>(i), area.w, row};
      draw_line(f, line, source, number, shown, most, selected);
    }
  }

  void draw_line(const Frame& f, Rect line, uint32_t source, uint32_t number, uint32_t shown, uint64_t most,
                 const Selection& selected) const {
    const LineCost* cost = f.session.a()->line(source, number);
    const Rect whole = line;
    const bool narrow = line.w < f.theme.px(300);
    Rect gutter = line.take_left(f.theme.px(narrow ? 42 : 66));
    if (number == shown) f.canvas.box(whole, f.theme.focus.faded(0.13f));
    if (cost && !f.session.cost_hidden()) {
      // A line may touch both memories: the one that wastes more is what it is about.
      const bool global = cost->global.waste() != cost->shared.waste()
                              ? cost->global.waste() > cost->shared.waste()
                              : cost->global.actual != 0;
      const CostSum& sum = global ? cost->global : cost->shared;
      const float heat = static_cast<float>(cost->waste()) / static_cast<float>(most);
      if (cost->waste()) {
        f.canvas.box(gutter.inset(0, 1), f.theme.waste.faded(0.12f + 0.5f * heat));
        f.canvas.hatch(gutter.inset(0, 1), f.theme.waste.faded(0.35f + 0.4f * heat), f.theme.px(6));
      }
      const double times = sum.ideal ? static_cast<double>(sum.actual) / static_cast<double>(sum.ideal) : 1;
      Rect words = gutter;
      words.take_right(f.theme.px(5));
      f.canvas.text({words.right(), words.centre().y},
                    !cost->waste() ? "ideal"
                    : narrow       ? fmt::format("{:.2g}x", times)
                                   : fmt::format("{:.3g}x {}", times, global ? "sect." : "pass"),
                    cost->waste() ? f.theme.text : f.theme.dim, f.theme.small(Align::right));
    }
    const Rect place = line.take_left(f.theme.px(narrow ? 24 : 30));
    f.canvas.text({place.right() - f.theme.px(6), place.centre().y}, std::to_string(number), f.theme.faint,
                  f.theme.small_code(Align::right));
    std::string_view text = lines_[number - 1];
    if (narrow) text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));  // words before shape
    const TextStyle style = f.theme.code();
    f.canvas.text({line.x, line.centre().y}, text,
                  is_comment(text)          ? f.theme.faint
                  : cost || number == shown ? f.theme.text
                                            : f.theme.dim,
                  style);
    if (number == shown || selected.line == number)
      f.canvas.frame(whole.inset(f.theme.px(1)), f.theme.focus, f.theme.px(number == shown ? 2 : 1.2f));
    if (cost) add_region(f, whole, *cost);
  }

  static void add_region(const Frame& f, Rect area, const LineCost& cost) {
    Session* session = &f.session;
    const auto words = [session, cost] {
      if (session->cost_hidden()) return std::string("the cost is hidden until you have typed your guess");
      std::string text = fmt::format("line {}, in the recorded blocks", cost.line);
      if (cost.global.executions)
        text += fmt::format("\n{} accesses of a warp: {}", with_thousands(cost.global.executions),
                            cost_text(trace::RecordSpace::global, cost.global.actual, cost.global.ideal));
      if (cost.shared.executions)
        text += fmt::format("\n{} accesses of shared memory: {}", with_thousands(cost.shared.executions),
                            cost_text(trace::RecordSpace::shared, cost.shared.actual, cost.shared.ideal));
      return text + "\nclick: its next access";
    };
    f.canvas.region(area, fmt::format("line/{}", cost.line), words, [session, cost](const Gesture& g) {
      if (g.kind == GestureKind::hover) session->hot.line = cost.line;
      if (g.kind == GestureKind::press) session->jump_to(cost.instructions);
    });
  }

  static void draw_ptx(const Frame& f, Rect area, uint32_t ptx_line) {
    f.canvas.box(area, f.theme.panel_head);
    area = area.inset(f.theme.px(6), f.theme.px(4));
    const auto& lines = f.session.a()->launch().ptx_lines;
    const float row = f.theme.px(15);
    const int fit = std::max(1, static_cast<int>(area.h / row));
    const int first = std::max(0, static_cast<int>(ptx_line) - 1 - fit / 2);
    const Clip clip(f.canvas, area);
    for (int i = 0; i < fit && static_cast<size_t>(first + i) < lines.size(); ++i) {
      const bool here = first + i + 1 == static_cast<int>(ptx_line);
      f.canvas.text({area.x, area.y + row * (static_cast<float>(i) + 0.5f)},
                    f.canvas.shortened(lines[static_cast<size_t>(first + i)], area.w, f.theme.small_code()),
                    here ? f.theme.focus : f.theme.dim, f.theme.small_code());
    }
  }

  bool ptx_ = false;
  int first_ = 0;
  uint32_t followed_ = 0;
  const trace::TraceSource* seen_ = nullptr;
  std::vector<std::string_view> lines_;
};

}  // namespace

std::unique_ptr<View> make_source_panel() {
  return std::make_unique<SourcePanel>();
}

}  // namespace ridge::view

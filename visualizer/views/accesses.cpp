// Every instruction that touches memory, by what it wastes in all: the list to work down.
#include <fmt/format.h>

#include "visualizer/session/access_text.h"
#include "visualizer/views/view_list.h"

namespace ridge::view {
namespace {

class AccessesView : public View {
 public:
  std::string_view id() const override { return "accesses"; }
  std::string_view name() const override { return "Accesses"; }
  std::string_view sentence() const override {
    return "The instructions that touch memory in the recorded blocks, the one that wastes most first: "
           "(actual - ideal) summed "
           "over its executions. Click one, or press Enter, to go there.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "needed"}, {Role::waste, "too many"}};
  }

  bool press(Session& session, char key) override {
    const auto& all = session.a()->instructions();
    if (key != '\n' || all.empty()) return false;
    go_to(session, all[0].instruction);
    return true;
  }

  void draw(const Frame& f) override {
    const auto& all = f.session.a()->instructions();
    if (all.empty()) return draw_empty(f, "The recorded blocks touch no memory.");
    Rect area = f.area;
    const Rect head = area.take_top(f.theme.px(24));
    draw_row(f, head, {"line", "what", "executions", "actual", "ideal", "each"}, f.theme.faint);
    const float pitch = f.theme.px(30);
    const int fit = std::max(1, static_cast<int>(area.h / pitch)), count = static_cast<int>(all.size());
    first_ = std::clamp(first_, 0, std::max(0, count - fit));
    f.canvas.region(area, "accesses", {}, [this](const Gesture& g) {
      if (g.kind == GestureKind::wheel) first_ -= static_cast<int>(g.wheel * 2);
    });
    uint64_t most = 1;
    for (const InstructionCost& one : all)
      most = std::max(most, one.cost.actual);
    if (f.beside)
      for (const InstructionCost& one : f.beside->instructions())
        most = std::max(most, one.cost.actual);
    for (int i = 0; i < fit && first_ + i < count; ++i)
      draw_instruction(f, area.take_top(pitch), all[static_cast<size_t>(first_ + i)], most);
  }

 private:
  static void go_to(Session& session, uint32_t instruction) {
    session.jump_to(std::array{instruction});
    session.view = "warp";
  }

  static void draw_row(const Frame& f, Rect row, const std::array<std::string, 6>& words, Color color) {
    static constexpr float kEnds[] = {0.065f, 0.085f, 0.58f, 0.73f, 0.86f, 0.994f};
    for (size_t i = 0; i < 6; ++i) {
      const bool left = i == 1;
      const TextStyle style = f.theme.small(left ? Align::left : Align::right);
      const std::string text = left ? f.canvas.shortened(words[i], row.w * 0.37f, style) : words[i];
      f.canvas.text({row.x + row.w * kEnds[i], row.y + f.theme.px(9)}, text, color, style);
    }
  }

  static void draw_instruction(const Frame& f, Rect row, const InstructionCost& one, uint64_t most) {
    const auto& instruction = f.session.a()->launch().instructions[one.instruction];
    const bool shown = f.session.record() && f.session.record()->instruction == one.instruction;
    if (shown) f.canvas.box(row, f.theme.focus.faded(0.12f));
    static constexpr const char* kSpaces[] = {"", "global", "shared", "local", "constant"};
    static constexpr const char* kKinds[] = {"load", "store", "atomic", "reduction"};
    const size_t kind = static_cast<size_t>(one.kind);
    const double each =
        one.cost.ideal ? static_cast<double>(one.cost.actual) / static_cast<double>(one.cost.ideal) : 1;
    draw_row(f, row,
             {fmt::format("{}", instruction.line),
              fmt::format("{} {}   {}", kSpaces[static_cast<size_t>(one.space)], kind < 4 ? kKinds[kind] : "",
                          instruction.text),
              with_thousands(one.cost.executions), with_thousands(one.cost.actual),
              with_thousands(one.cost.ideal), one.cost.waste() ? fmt::format("{:.3g}x", each) : "ideal"},
             one.cost.waste() ? f.theme.text : f.theme.dim);
    Rect bar{row.x + row.w * 0.085f, row.y + f.theme.px(19), row.w * 0.915f, f.theme.px(6)};
    const float whole = bar.w * static_cast<float>(one.cost.actual) / static_cast<float>(most);
    const float needed =
        std::min(whole, bar.w * static_cast<float>(one.cost.ideal) / static_cast<float>(most));
    if (one.cost.waste()) {
      const Rect waste{bar.x + needed, bar.y, whole - needed, bar.h};
      f.canvas.box(waste, f.theme.waste.faded(0.3f));
      f.canvas.hatch(waste, f.theme.waste, f.theme.px(4), f.theme.px(1.3f));
    }
    f.canvas.box({bar.x, bar.y, std::max(1.0f, needed), bar.h}, f.theme.useful);
    Session* session = &f.session;
    const uint32_t index = one.instruction;
    f.canvas.region(
        row, fmt::format("access/{}", index),
        [session, index] { return session->a()->launch().instructions[index].text; },
        [session, index](const Gesture& g) {
          if (g.kind == GestureKind::hover)
            session->hot.line = session->a()->launch().instructions[index].line;
          if (g.kind == GestureKind::press) go_to(*session, index);
        });
  }

  int first_ = 0;
};

}  // namespace

std::unique_ptr<View> make_accesses_view() {
  return std::make_unique<AccessesView>();
}

}  // namespace ridge::view

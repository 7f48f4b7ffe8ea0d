// Every source line with memory accesses, sorted by total waste: a list to work through. A line
// often has many instructions (an unrolled loop), which are shown below it when it is opened.
#include <fmt/format.h>

#include <map>
#include <set>

#include "text/layout.h"
#include "text/numbers.h"
#include "text/source_difference.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

// Instructions of one line with the same kind of access to the same memory, so that their costs
// have one unit.
struct Group {
  uint32_t source = 0, line = 0;
  trace::RecordSpace space = trace::RecordSpace::none;
  trace::RecordKind kind = trace::RecordKind::load;
  CostSum cost;
  std::vector<const InstructionCost*> members;  // sorted by waste, descending

  std::string id() const {
    return fmt::format("{}/{}/{}/{}", source, line, static_cast<int>(space), static_cast<int>(kind));
  }
};

std::vector<Group> groups_of(const LoadedTrace& trace) {
  std::vector<Group> groups;
  std::map<std::tuple<uint32_t, uint32_t, trace::RecordSpace, trace::RecordKind>, size_t> known;
  for (const InstructionCost& one : trace.instructions()) {
    const uint32_t source = trace.source_of(one.instruction),
                   line = trace.launch().instructions[one.instruction].line;
    const auto [at, fresh] = known.try_emplace({source, line, one.space, one.kind}, groups.size());
    if (fresh) groups.push_back({source, line, one.space, one.kind, {}, {}});
    Group& group = groups[at->second];
    group.cost.executions += one.cost.executions;
    group.cost.actual += one.cost.actual, group.cost.ideal += one.cost.ideal;
    group.members.push_back(&one);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.cost.waste() > b.cost.waste(); });
  return groups;
}

class AccessesView : public View {
 public:
  AccessesView() : View(trace::ViewKind::accesses) {}
  std::string_view sentence() const override {
    return "The lines that touch memory in the recorded blocks, the one that wastes most first: (actual - "
           "ideal) summed over its executions. Click one, or press Enter, to go there; the triangle, or E "
           "for "
           "all, shows the instructions of a line.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "needed"}, {Role::waste, "too many"}};
  }

  bool press(Session& session, char key) override {
    read(session);
    if (key == 'e') {
      if (open_.empty())
        for (const Group& group : groups_)
          open_.insert(group.id());
      else
        open_.clear();
      return true;
    }
    if (key != '\n' || groups_.empty()) return false;
    go_to(session, groups_.front());
    return true;
  }

  void draw(const Frame& f) override {
    read(f.session);
    if (groups_.empty()) return draw_empty(f, "The recorded blocks touch no memory.");
    if (f.session.prediction.asking)
      return draw_empty(f,
                        "What lines cost is hidden until you have typed your guess; the Warp view (1) shows "
                        "what the access asks for.");
    Rect area = f.area;
    draw_words(f, area.take_top(f.theme.px(24)), {"line", "what", "executions", "actual", "ideal", "each"},
               f.theme.faint, 0);
    std::vector<std::pair<const Group*, const InstructionCost*>>
        rows;  // an instruction has a row only while its group is open
    for (const Group& group : groups_) {
      rows.push_back({&group, nullptr});
      if (group.members.size() > 1 && open_.contains(group.id()))
        for (const InstructionCost* one : group.members)
          rows.push_back({&group, one});
    }
    const float pitch = f.theme.px(30);
    const int fit = std::max(1, static_cast<int>(area.h / pitch)), count = static_cast<int>(rows.size());
    first_ = std::clamp(first_, 0, std::max(0, count - fit));
    f.canvas.region(area, "accesses", {}, [this](const Gesture& g) {
      if (g.kind == GestureKind::wheel) first_ -= static_cast<int>(g.wheel * 2);
    });
    uint64_t most = 1;
    for (const Group& group : groups_)
      most = std::max(most, group.cost.actual);
    if (f.compared)
      for (const Group& group : groups_of(*f.compared))
        most = std::max(most, group.cost.actual);
    for (int i = 0; i < fit && first_ + i < count; ++i) {
      const auto& [group, one] = rows[static_cast<size_t>(first_ + i)];
      Rect row = area.take_top(pitch);
      if (count > fit) row.take_right(f.theme.px(7));  // for the scroll mark
      if (one)
        draw_instruction(f, row, *one, most);
      else
        draw_group(f, row, *group, most);
    }
    if (count > fit) draw_place(f, fit, count);
  }

 private:
  void read(const Session& session) {
    if (read_ == session.a()->id()) return;
    read_ = session.a()->id();
    groups_ = groups_of(*session.a());
  }

  static std::vector<uint32_t> instructions_of(const Group& group) {
    std::vector<uint32_t> all;
    for (const InstructionCost* one : group.members)
      all.push_back(one->instruction);
    return all;
  }
  static void go_to(Session& session, const Group& group) {
    session.jump_to(instructions_of(group));
    session.view = trace::kViews.front().id;
  }

  static void draw_words(const Frame& f, Rect row, const std::array<std::string, 6>& words, Color color,
                         float indent) {
    static constexpr float kEnds[] = {0.065f, 0.085f, 0.58f, 0.73f, 0.86f, 0.994f};
    for (size_t i = 0; i < 6; ++i) {
      const bool left = i == 1;
      const TextStyle style = f.theme.small(left ? Align::left : Align::right);
      const std::string text = left ? f.canvas.shortened(words[i], row.w * 0.37f - indent, style) : words[i];
      f.canvas.text({row.x + row.w * kEnds[i] + (left ? indent : 0), row.y + f.theme.px(9)}, text, color,
                    style);
    }
  }

  static std::string kind_text(trace::RecordSpace space, trace::RecordKind kind) {
    static constexpr const char* kSpaces[] = {"", "global", "shared", "local", "constant"};
    static constexpr const char* kKinds[] = {"load", "store", "atomic", "reduction"};
    const auto number = static_cast<size_t>(kind);
    return fmt::format("{} {}", kSpaces[static_cast<size_t>(space)], number < 4 ? kKinds[number] : "");
  }

  static void draw_costs(const Frame& f, Rect row, const std::string& line, const std::string& what,
                         const CostSum& cost, uint64_t most, float indent) {
    const double each = cost.ideal ? static_cast<double>(cost.actual) / static_cast<double>(cost.ideal) : 1;
    draw_words(f, row,
               {line, what, text::with_thousands(cost.executions), text::with_thousands(cost.actual),
                text::with_thousands(cost.ideal), cost.waste() ? fmt::format("{:.3g}x", each) : "ideal"},
               cost.waste() && indent == 0 ? f.theme.text : f.theme.dim, indent);
    Rect bar{row.x + row.w * 0.085f + indent, row.y + f.theme.px(19), row.w * 0.915f - indent,
             f.theme.px(indent == 0 ? 6 : 4)};
    // A minimum width keeps a short bar visible, and its waste next to the needed part.
    const float whole = std::max(bar.w * static_cast<float>(cost.actual) / static_cast<float>(most),
                                 f.theme.px(cost.waste() ? 3.0f : 1.0f));
    const float needed = std::max(
        std::min(whole, bar.w * static_cast<float>(cost.ideal) / static_cast<float>(most)), f.theme.px(1));
    if (cost.waste()) {
      const Rect waste{bar.x + needed, bar.y, whole - needed, bar.h};
      if (waste.w < f.theme.px(6)) {  // too narrow for a complete hatching line
        f.canvas.box(waste, f.theme.waste);
      } else {
        f.canvas.box(waste, f.theme.waste.faded(0.3f));
        f.canvas.hatch(waste, f.theme.waste, f.theme.px(4), f.theme.px(1.3f));
      }
    }
    f.canvas.box({bar.x, bar.y, needed, bar.h}, f.theme.useful);
  }

  // The text of the line itself, which says more than one of its instructions.
  static std::string code_at(const LoadedTrace& trace, const Group& group) {
    const auto& sources = trace.launch().sources;
    if (group.source < sources.size() && group.line > 0) {
      const auto lines = text::lines_of(sources[group.source].text);
      if (group.line <= lines.size()) return std::string(text::code_of(lines[group.line - 1]));
    }
    return trace.launch().instructions[group.members.front()->instruction].text;
  }

  void draw_group(const Frame& f, Rect row, const Group& group, uint64_t most) {
    const auto all = instructions_of(group);
    const auto* record = f.session.record();
    if (record && record->space == group.space && record->kind == group.kind &&
        std::find(all.begin(), all.end(), record->instruction) != all.end())
      f.canvas.box(row, f.theme.focus.faded(0.12f));
    std::string what = kind_text(group.space, group.kind);
    if (all.size() > 1) what += fmt::format(" x {}", all.size());
    std::string code = code_at(*f.session.a(), group);
    code.erase(0, std::min(code.find_first_not_of(" \t"), code.size()));
    draw_costs(f, row, fmt::format("{}", group.line), fmt::format("{}   {}", what, code), group.cost, most,
               0);
    Session* session = &f.session;
    const std::string text = fmt::format("{}\n{} instruction{}; click: the next access of the line", code,
                                         all.size(), all.size() == 1 ? "" : "s");
    f.canvas.region(
        row, "group/" + group.id(), [text] { return text; },
        [session, group](const Gesture& g) {
          if (g.kind == GestureKind::hover) session->hot.line = group.line;
          if (g.kind == GestureKind::press) go_to(*session, group);
        });
    if (all.size() > 1) draw_triangle(f, row, group);
  }

  void draw_triangle(const Frame& f, Rect row, const Group& group) {
    const bool open = open_.contains(group.id());
    const float size = f.theme.px(4);
    const Point at{row.x + f.theme.px(8), row.y + f.theme.px(9)};
    const std::array<Point, 3> corners =
        open ? std::array<Point, 3>{{{at.x - size, at.y - size / 2},
                                     {at.x + size, at.y - size / 2},
                                     {at.x, at.y + size}}}
             : std::array<Point, 3>{
                   {{at.x - size / 2, at.y - size}, {at.x + size, at.y}, {at.x - size / 2, at.y + size}}};
    f.canvas.polygon(corners, f.theme.dim);
    f.canvas.region(
        {row.x, row.y, f.theme.px(18), row.h}, "open/" + group.id(),
        [open] { return std::string(open ? "hides its instructions" : "shows its instructions"); },
        [this, id = group.id()](const Gesture& g) {
          if (g.kind == GestureKind::press && open_.erase(id) == 0) open_.insert(id);
        });
  }

  static void draw_instruction(const Frame& f, Rect row, const InstructionCost& one, uint64_t most) {
    const auto& instruction = f.session.a()->launch().instructions[one.instruction];
    if (f.session.record() && f.session.record()->instruction == one.instruction)
      f.canvas.box(row, f.theme.focus.faded(0.12f));
    draw_costs(f, row, "", instruction.text, one.cost, most, f.theme.px(14));
    Session* session = &f.session;
    const uint32_t index = one.instruction;
    f.canvas.region(
        row, fmt::format("access/{}", index),
        [session, index] { return session->a()->launch().instructions[index].text; },
        [session, index](const Gesture& g) {
          if (g.kind == GestureKind::hover)
            session->hot.line = session->a()->launch().instructions[index].line;
          if (g.kind != GestureKind::press) return;
          session->jump_to(std::array{index});
          session->view = trace::kViews.front().id;
        });
  }

  // Marks the visible part of the list.
  void draw_place(const Frame& f, int fit, int count) const {
    const Rect all{f.area.right() - f.theme.px(3), f.area.y + f.theme.px(24), f.theme.px(3),
                   f.area.h - f.theme.px(24)};
    const float row = all.h / static_cast<float>(count);
    f.canvas.box({all.x, all.y + row * static_cast<float>(first_), all.w, row * static_cast<float>(fit)},
                 f.theme.edge, f.theme.px(1.5f));
  }

  uint64_t read_ = 0;  // LoadedTrace::id()
  std::vector<Group> groups_;
  std::set<std::string> open_;
  int first_ = 0;
};

}  // namespace

std::unique_ptr<View> make_accesses_view() {
  return std::make_unique<AccessesView>();
}

}  // namespace ridge::view

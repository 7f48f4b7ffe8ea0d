// The student's file with a heat gutter: the sectors or wavefronts of each line, and the ideal. The
// line of the shown access is framed; T shows its PTX.
#include <fmt/format.h>

#include <algorithm>

#include "text/layout.h"
#include "text/numbers.h"
#include "text/source_difference.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/panels/panels.h"

namespace ridge::view {
namespace {

bool is_comment(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line.substr(first).starts_with("//");
}

class SourcePanel : public View {
 public:
  SourcePanel() : View("source", "Source") {}
  std::string_view sentence() const override {
    return "Left of a line: its sectors or wavefronts over the ideal number.";
  }
  std::vector<LegendEntry> legend() const override { return {{Role::waste, "sectors or wavefronts beyond the ideal"}}; }

  bool press(Session&, char key) override {
    if (key != 't') return false;
    ptx_ = !ptx_;
    return true;
  }

  void draw(const Frame& f) override {
    const LoadedTrace* a = f.session.a();
    const auto* shown = f.session.instruction();
    const auto* record = f.session.record();
    if (a->launch().sources.empty()) return draw_empty(f, why_no_source(*a));
    const uint32_t source =
        record && shown && shown->line ? a->source_of(record->instruction) : a->main_source();
    if (source >= a->launch().sources.size()) return;
    const auto& file = a->launch().sources[source];
    Rect area = f.area;
    if (ptx_ && shown)
      draw_ptx(f, area.take_bottom(std::min(area.h * 0.35f, f.theme.px(150))), shown->ptx_line);
    const bool narrow = area.w < f.theme.px(300);
    const float room = area.w - f.theme.px(narrow ? kNarrowLeft : kLeft);
    code_ = f.theme.code();
    if (f.canvas.text_width(std::string(60, '0'), code_) > room) code_ = f.theme.narrow_code();
    const float letter = f.canvas.text_width("0000000000", code_) / 10;
    lay_out(file, static_cast<size_t>(std::max(8.0f, room / std::max(1.0f, letter))), narrow);
    mark_changes(f.session, file);
    draw_lines(f, area, source, shown ? shown->line : 0);
  }

 private:
  // Columns before the code: the line's cost, and its number.
  static constexpr float kCost = 50, kNumber = 28, kNarrowCost = 42, kNarrowNumber = 24;
  static constexpr float kLeft = kCost + kNumber, kNarrowLeft = kNarrowCost + kNarrowNumber;

  static std::string why_no_source(const LoadedTrace& trace) {
    for (const trace::TraceInstruction& one : trace.launch().instructions)
      if (one.line > 0 && !one.file.empty())
        return fmt::format(
            "This trace does not hold its source, and {} is not there as it was: trace it again.",
            one.file.substr(one.file.rfind('/') + 1));
    return "This trace holds no source: compile with -lineinfo (ridge nvcc does) to see it here.";
  }

  // A row of the picture: a line, or the continuation of one that is too long.
  struct Row {
    uint32_t line = 0;  // from 1
    bool first = true;
    std::string_view text;
    size_t indent = 0;  // letters before the text
  };

  // Breaks at a blank or after a comma, if there is one not too far left; a semicolon never gets
  // its own row.
  static size_t break_at(std::string_view text, size_t fits, bool narrow) {
    const size_t last =
        std::max<size_t>(1, std::min(fits, text.size() - std::min<size_t>(text.size() - 1, 4)));
    const size_t mark = text.find_last_of(narrow ? " ,([." : " ,(", last - 1);
    return mark != std::string_view::npos && mark + 1 > fits / 2 ? mark + 1 : last;
  }

  // Code that is too long continues in an indented row; comments are cut instead, and deeply
  // indented continuation lines (below a bracket, for example) are moved left.
  void add_rows(std::string_view text, size_t letters, bool narrow) {
    const uint32_t line = static_cast<uint32_t>(row_of_.size());
    size_t indent = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(indent);
    if (narrow) indent = 0;  // the text is more important than the layout
    const size_t code = text::code_of(text).size();
    if (indent + text.size() <= letters) {
      // Unchanged.
    } else if (code == 0) {
      text = text.substr(0, letters - std::min(letters - 1, indent));
    } else if (indent + code <= letters) {  // only the comment is too long
      const size_t room = letters - indent;
      text = room > code + 8 ? text.substr(0, room) : text.substr(0, code);
    } else {
      text = text.substr(0, code);
      if (code <= letters && indent > kAligned) indent = std::min(indent, letters - code);
    }
    const size_t hang = std::min(indent + (narrow ? 2 : 4), letters / 2);
    for (bool first = true; first || !text.empty(); first = false) {
      const size_t before = first ? indent : hang, fits = letters - std::min(letters - 1, before);
      size_t end = text.size();
      if (end > fits) end = break_at(text, fits, narrow);
      rows_.push_back({line, first, text.substr(0, end), before});
      text.remove_prefix(end);
    }
  }

  void lay_out(const trace::TraceSource& file, size_t letters, bool narrow) {
    if (seen_ == &file && letters_ == letters && narrow_ == narrow) return;
    const bool other = seen_ != &file;
    seen_ = &file, letters_ = letters, narrow_ = narrow;
    rows_.clear(), row_of_.clear();
    for (const std::string_view text : text::lines_of(file.text)) {
      row_of_.push_back(static_cast<int>(rows_.size()));
      add_rows(text, letters, narrow);
    }
    if (other) first_ = 0;
    followed_ = 0;
  }

  // In a comparison: the lines that the other run did not have.
  void mark_changes(const Session& session, const trace::TraceSource& file) {
    const LoadedTrace* b = session.is_comparing() ? session.b() : nullptr;
    if (compared_ == std::pair(b, &file)) return;
    compared_ = {b, &file};
    added_.clear();
    if (!b || b->launch().sources.empty()) return;
    for (const text::DiffLine& one :
         text::code_difference(file.text, b->launch().sources[b->main_source()].text))
      if (one.kind == text::DiffLine::Kind::added) added_.push_back(one.line);
  }

  void draw_lines(const Frame& f, Rect area, uint32_t source, uint32_t shown) {
    const float row = f.theme.px(17);
    const int fit = std::max(1, static_cast<int>(area.h / row));
    const int count = static_cast<int>(rows_.size());
    if (shown != followed_) {  // follow the playback, except while the user scrolls
      followed_ = shown;
      const int at = shown && shown <= row_of_.size() ? row_of_[shown - 1] : 0;
      if (at < first_ + 2 || at > first_ + fit - 4) first_ = at - fit / 2;
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
      const Rect place{area.x, area.y + row * static_cast<float>(i), area.w, row};
      draw_row(f, place, source, rows_[static_cast<size_t>(first_ + i)], shown, most);
    }
    frame_line(f, area, shown, f.theme.px(2));
    if (selected.line && selected.line != shown) frame_line(f, area, *selected.line, f.theme.px(1.2f));
  }

  // Frames all rows of a line together.
  void frame_line(const Frame& f, Rect area, uint32_t number, float width) const {
    if (number == 0 || number > row_of_.size()) return;
    const int begin = row_of_[number - 1],
              end = number < row_of_.size() ? row_of_[number] : static_cast<int>(rows_.size());
    const float row = f.theme.px(17);
    // Brackets extend to the bottom of their row, so the frame is slightly lower.
    f.canvas.frame({area.x + f.theme.px(1), area.y + row * static_cast<float>(begin - first_) + f.theme.px(1),
                    area.w - f.theme.px(2), row * static_cast<float>(end - begin)},
                   f.theme.focus, width);
  }

  void draw_row(const Frame& f, Rect line, uint32_t source, const Row& row, uint32_t shown,
                uint64_t most) const {
    const uint32_t number = row.line;
    const LineCost* cost = f.session.a()->line(source, number);
    const Rect whole = line;
    Rect gutter = line.take_left(f.theme.px(narrow_ ? kNarrowCost : kCost));
    if (number == shown) f.canvas.box(whole, f.theme.focus.faded(0.13f));
    if (cost && row.first && !f.session.cost_hidden()) draw_cost(f, gutter, *cost, most);
    const Rect place = line.take_left(f.theme.px(narrow_ ? kNarrowNumber : kNumber));
    const bool added = std::binary_search(added_.begin(), added_.end(), number);
    if (added) f.canvas.box({place.right() - f.theme.px(4), whole.y, f.theme.px(3), whole.h}, f.theme.text);
    if (row.first)
      f.canvas.text({place.right() - f.theme.px(6), place.centre().y},
                    added ? fmt::format("+{}", number) : std::to_string(number),
                    added ? f.theme.text : f.theme.faint, f.theme.small_code(Align::right));
    const float letter = f.canvas.text_width("0", code_);
    f.canvas.text({line.x + letter * static_cast<float>(row.indent), line.centre().y}, row.text,
                  is_comment(lines_text(number))     ? f.theme.faint
                  : cost || added || number == shown ? f.theme.text
                                                     : f.theme.dim,
                  code_);
    if (cost) add_region(f, whole, *cost);
  }

  std::string_view lines_text(uint32_t number) const {
    return rows_[static_cast<size_t>(row_of_[number - 1])].text;
  }

  void draw_cost(const Frame& f, Rect gutter, const LineCost& cost, uint64_t most) const {
    // A line may access both memories: show the one with more waste.
    const bool global = cost.global.waste() != cost.shared.waste() ? cost.global.waste() > cost.shared.waste()
                                                                   : cost.global.actual != 0;
    const CostSum& sum = global ? cost.global : cost.shared;
    const float heat = static_cast<float>(cost.waste()) / static_cast<float>(most);
    if (cost.waste()) {
      f.canvas.box(gutter.inset(0, 1), f.theme.waste.faded(0.12f + 0.5f * heat));
      f.canvas.hatch(gutter.inset(0, 1), f.theme.waste.faded(0.35f + 0.4f * heat), f.theme.px(6));
    }
    const double times = sum.ideal ? static_cast<double>(sum.actual) / static_cast<double>(sum.ideal) : 1;
    gutter.take_right(f.theme.px(5));
    // (The tooltip has the unit, sectors or wavefronts: there is no room for it next to the
    // hatching.)
    const std::string words = !cost.waste() ? "ideal" : fmt::format("{:.{}g}x", times, times < 10 ? 2 : 3);
    if (cost.waste()) {  // on its own background, because hatching hides small letters
      const float width = f.canvas.text_width(words, f.theme.small());
      f.canvas.box({gutter.right() - width - f.theme.px(3), gutter.y + f.theme.px(2), width + f.theme.px(6),
                    gutter.h - f.theme.px(4)},
                   f.theme.panel.faded(0.8f), f.theme.px(2));
    }
    f.canvas.text({gutter.right(), gutter.centre().y}, words, cost.waste() ? f.theme.text : f.theme.dim,
                  f.theme.small(Align::right));
  }

  static void add_region(const Frame& f, Rect area, const LineCost& cost) {
    Session* session = &f.session;
    const auto words = [session, cost] {
      if (session->cost_hidden()) return std::string("the cost is hidden until you have typed your guess");
      std::string text = fmt::format("line {}, in the recorded blocks", cost.line);
      if (cost.global.executions)
        text += fmt::format("\n{} warp accesses: {}", text::with_thousands(cost.global.executions),
                            cost_text(trace::RecordSpace::global, cost.global.actual, cost.global.ideal));
      if (cost.shared.executions)
        text +=
            fmt::format("\n{} accesses of shared memory: {}", text::with_thousands(cost.shared.executions),
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

  static constexpr size_t kAligned = 12;  // letters: deeper indentation is not a block's

  bool ptx_ = false;
  TextStyle code_;
  int first_ = 0;
  uint32_t followed_ = 0;
  const trace::TraceSource* seen_ = nullptr;
  size_t letters_ = 0;  // that fit in a row
  bool narrow_ = false;
  std::vector<Row> rows_;
  std::vector<int> row_of_;  // by line: its first row
  std::pair<const LoadedTrace*, const trace::TraceSource*> compared_{};
  std::vector<uint32_t> added_;  // lines that B did not have, ascending
};

}  // namespace

std::unique_ptr<View> make_source_panel() {
  return std::make_unique<SourcePanel>();
}

}  // namespace ridge::view

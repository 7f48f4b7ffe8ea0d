// The 32 banks by passes: one row is one pass over the banks. A conflict is a second row; a broadcast is many
// lanes in one box. Below, the same access as it would be with padding or a swizzle.
#include <fmt/format.h>

#include "visualizer/session/access_text.h"
#include "visualizer/session/bank_passes.h"
#include "visualizer/views/lane_row.h"
#include "visualizer/views/view_list.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

bool touches_shared(const LoadedTrace& trace) {
  return std::any_of(trace.lines().begin(), trace.lines().end(),
                     [](const LineCost& line) { return line.shared.executions > 0; });
}

class BanksView : public View {
 public:
  std::string_view id() const override { return "banks"; }
  std::string_view name() const override { return "Banks"; }
  std::string_view sentence() const override {
    return "A row is one pass over shared memory's 32 banks; a bank gives one word of 4 bytes a pass, so "
           "words of one bank "
           "wait for each other.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "needed (numbers: lanes)"},
            {Role::waste, "added by a bank conflict"},
            {Role::focus, "selected"}};
  }

  bool press(Session&, char key) override {
    switch (key) {
      case 'x':
        return change_.swizzle = !change_.swizzle, true;
      case 'i':
        return step_pad(1), true;
      case 'o':
        return step_pad(-1), true;
      case 'e':
        return step_element(1), true;
      case 'k':
        return step_stride(1), true;
      case 'j':
        return step_stride(-1), true;
      case 'f':
        return change_.changes() && (change_ = {}, true);
      default:
        return false;
    }
  }

  void draw(const Frame& f) override {
    const auto* record = f.session.record();
    if (!record || !record->is_access() || record->space != trace::RecordSpace::shared ||
        record->shape == trace::RecordShape::runs)
      return draw_empty(
          f, record && record->unit == trace::RecordUnit::matrix
                 ? "The tensor cores read this one: they take whole rows of banks, and no lane waits."
             : record && record->shape == trace::RecordShape::runs
                 ? "A copy engine moves this one: it takes whole rows of banks, and no lane waits."
             : touches_shared(*f.session.a())
                 ? "This access does not go to shared memory. Choose a bar of another in the "
                   "strip below, or press . for the "
                   "next costly one."
                 : "The recorded blocks touch no shared memory, so no bank has anything to do.");
    const trace::TraceArray* array = nullptr;
    for (uint32_t lane = 0; lane < 32 && !array; ++lane)
      if (record->mask >> lane & 1)
        array = f.session.a()->trace().array_at(record->space, record->addresses[lane]);
    layout_.element_bytes = array && array->element_bytes ? array->element_bytes : 4;
    layout_.columns = array && array->extent.size() > 1 ? static_cast<uint32_t>(array->extent.back())
                                                        : 128 / std::min(layout_.element_bytes, 128u);
    layout_.base = array ? array->address : 0;

    if (f.session.cost_hidden())
      return draw_empty(
          f,
          "How often must the banks be asked? Words of one bank come one after the other, the same "
          "word for many lanes comes once. Type your guess; the Warp view (1) shows the words.");
    Rect area = f.area;
    const bool roomy = area.w >= f.theme.px(400);  // beside another in Compare there is no room to try things
    const Rect panel = area.take_bottom(roomy ? f.theme.px(94) : 0);
    const BankPasses now = bank_passes(record->addresses, record->mask, record->bytes);
    const LaidOut other = laid_out(*record, layout_, change_);
    const BankPasses then = bank_passes(other.offsets, record->mask, other.bytes);
    if (roomy) draw_what_if(f, panel, array, now, then);
    if (roomy && change_.changes()) {
      // In a low window half for each, or the sentence alone.
      const float part = then.passes.size() < 8 && area.h > f.theme.px(180) ? 0.3f : 0.5f;
      const bool drawn = area.h * part > f.theme.px(20 + 16 + 8);
      Rect below = area.take_bottom(drawn ? area.h * part : f.theme.px(20));
      const Rect head = below.take_top(f.theme.px(20));
      f.canvas.text({head.x, head.centre().y},
                    fmt::format("what if: {}", cost_text(record->space, then.passes.size(), then.ideal)),
                    then.passes.size() > then.ideal ? f.theme.waste : f.theme.useful, f.theme.heading());
      if (drawn) draw_passes(f, below, then, "if/");
    }
    draw_passes(f, area, now, "");
  }

 private:
  void draw_passes(const Frame& f, Rect area, const BankPasses& all, std::string_view prefix) const {
    if (all.passes.empty()) return;
    const float label = std::min(f.theme.px(64), area.w * 0.12f);
    Rect head = area.take_top(f.theme.px(16));
    head.take_left(label);
    const float width = head.w / 32;
    const Selection selected = f.session.selected();
    for (uint32_t bank = 0; bank < 32; ++bank)
      if (width > f.theme.px(13) || bank % 4 == 0)
        f.canvas.text({head.x + width * (static_cast<float>(bank) + 0.5f), head.centre().y},
                      std::to_string(bank), selected.bank == bank ? f.theme.text : f.theme.faint,
                      f.theme.small_code(Align::centre));
    const float pitch = std::min(f.theme.px(30), area.h / static_cast<float>(all.passes.size()));
    for (size_t i = 0; i < all.passes.size(); ++i) {
      Rect row{area.x, area.y + pitch * static_cast<float>(i), area.w, pitch};
      const Rect name = row.take_left(label);
      if (pitch >= f.theme.px(10))
        f.canvas.text({name.x, name.centre().y},
                      label < f.theme.px(44) ? std::to_string(i + 1) : fmt::format("pass {}", i + 1),
                      all.passes[i].needed ? f.theme.dim : f.theme.waste, f.theme.small_code());
      for (uint32_t bank = 0; bank < 32; ++bank) {
        const Rect cell = Rect{row.x + width * static_cast<float>(bank), row.y, width, pitch}.inset(
            std::min(1.5f, width * 0.08f), std::min(1.5f, pitch * 0.12f));
        draw_cell(f, cell, all.passes[i], bank, fmt::format("{}bank/{}/{}", prefix, bank, i), selected);
      }
    }
  }

  static void draw_cell(const Frame& f, Rect cell, const BankPass& pass, uint32_t bank, std::string id,
                        const Selection& selected) {
    const BankCell& served = pass.banks[bank];
    if (!served.lanes) {
      f.canvas.frame(cell, f.theme.grid, 1);
    } else {
      const uint32_t lanes = warp_model::active_lanes(served.lanes);
      if (pass.needed) {
        f.canvas.box(cell, f.theme.useful);
      } else {
        f.canvas.box(cell, f.theme.waste.faded(0.2f));
        f.canvas.hatch(cell, f.theme.waste, f.theme.px(5), f.theme.px(1.3f));
        f.canvas.frame(cell, f.theme.waste, 1);
      }
      if (cell.h >= f.theme.px(9) && cell.w >= f.theme.px(13)) {
        const std::string words =
            lanes == 1 ? std::to_string(std::countr_zero(served.lanes)) : fmt::format("x{}", lanes);
        const TextStyle style{std::min({f.theme.px(11), cell.h * 0.75f, cell.w * 0.5f}), Face::mono,
                              Align::centre};
        const Color ink = pass.needed ? (f.theme.dark ? f.theme.background : f.theme.panel) : f.theme.text;
        if (!pass.needed)
          f.canvas.box({cell.centre().x - style.size * 0.75f, cell.centre().y - style.size * 0.5f,
                        style.size * 1.5f, style.size},
                       f.theme.panel);
        f.canvas.text(cell.centre(), words, ink, style);
      }
    }
    const bool hot = selected.bank == bank || (selected.lane && (served.lanes >> *selected.lane & 1)) ||
                     (served.lanes && selected.word == served.word);
    if (hot) f.canvas.frame(cell, f.theme.focus, f.theme.px(served.lanes ? 2.2f : 1));
    Session* session = &f.session;
    f.canvas.region(
        cell, std::move(id),
        [session, served, bank] {
          if (!served.lanes) return fmt::format("bank {} idles in this pass", bank);
          return fmt::format(
              "{}\nbank {}, word {}\n{}{}",
              element_name(session->a()->trace(), *session->record(), served.word * 4), bank, served.word,
              lanes_text(served.lanes),
              served.lanes & (served.lanes - 1) ? ": one word for all of them, a broadcast" : "");
        },
        [session, served, bank](const Gesture& g) {
          Selection what;
          what.bank = bank;
          if (served.lanes && !(served.lanes & (served.lanes - 1)))
            what.lane = static_cast<uint32_t>(std::countr_zero(served.lanes));
          if (g.kind == GestureKind::hover) session->hot = what;
          if (g.kind == GestureKind::press) session->toggle_pin(what);
        });
  }

  void step_pad(int by) {
    change_.pad = static_cast<uint32_t>(std::clamp(static_cast<int>(change_.pad) + by, 0, 32));
  }
  // 1 to 16 bytes, then round again; what it is anyway is no change.
  void step_element(int by) {
    const uint32_t now = change_.element_bytes ? change_.element_bytes : layout_.element_bytes;
    uint32_t next = by > 0 ? now * 2 : now / 2;
    if (next > 16) next = 1;
    if (next == 0) next = 16;
    change_.element_bytes = next == layout_.element_bytes ? 0 : next;
  }
  void step_stride(int by) {
    change_.stride = static_cast<uint32_t>(std::clamp(static_cast<int>(change_.stride) + by, 0, 64));
  }

  void draw_what_if(const Frame& f, Rect panel, const trace::TraceArray* array, const BankPasses& now,
                    const BankPasses& then) {
    f.canvas.line({panel.x, panel.y + f.theme.px(4)}, {panel.right(), panel.y + f.theme.px(4)}, f.theme.edge);
    panel.take_top(f.theme.px(8));
    Rect row = panel.take_top(f.theme.px(28));
    const auto button = [&](std::string id, const std::string& words, bool on, std::function<void()> act) {
      const float width = f.canvas.text_width(words, f.theme.body()) + f.theme.px(18);
      const Rect box = row.take_left(width).inset(0, f.theme.px(3));
      row.take_left(f.theme.px(6));
      f.canvas.box(box, on ? f.theme.edge : f.theme.panel_head, f.theme.px(3));
      f.canvas.frame(box, on ? f.theme.text : f.theme.edge, 1, f.theme.px(3));
      f.canvas.text(box.centre(), words, f.theme.text, f.theme.body(Align::centre));
      f.canvas.region(box, std::move(id), {}, [act = std::move(act)](const Gesture& g) {
        if (g.kind == GestureKind::press) act();
      });
    };
    const auto say = [&](const std::string& words, bool strong) {
      const float width = f.canvas.text_width(words, f.theme.body());
      const Rect place{row.x, row.y, width, row.h};
      f.canvas.text({row.x, row.centre().y}, words, strong ? f.theme.text : f.theme.dim, f.theme.body());
      row.take_left(width + f.theme.px(8));
      return place;
    };
    // A number with a button on each side; it can be dragged too.
    const auto stepper = [&](const char* id, const std::string& words, bool strong,
                             std::function<void(int)> step) {
      button(fmt::format("{}/less", id), "-", false, [step] { step(-1); });
      f.canvas.region(
          say(words, strong), id, [] { return std::string("drag it, or use the buttons"); },
          [this, step, room = f.theme.px(16)](const Gesture& g) {
            if (g.kind == GestureKind::press) dragged_ = 0;
            if (g.kind != GestureKind::drag) return;
            for (dragged_ += g.moved.x; std::abs(dragged_) >= room; dragged_ -= std::copysign(room, dragged_))
              step(dragged_ > 0 ? 1 : -1);
          });
      button(fmt::format("{}/more", id), "+", false, [step] { step(1); });
      row.take_left(f.theme.px(8));
    };
    const bool brief = panel.w < f.theme.px(520);  // words give way to what can be pressed
    say(brief ? "What if" : fmt::format("What if {} had", array ? array_name(*array) : "the array"), false);
    stepper("pad", fmt::format("rows of {} + {}", layout_.columns, change_.pad), change_.pad != 0,
            [this](int by) { step_pad(by); });
    button("swizzle", "column ^ row", change_.swizzle, [this] { change_.swizzle = !change_.swizzle; });
    row = panel.take_top(f.theme.px(28));
    if (!brief) say("and", false);
    stepper("element",
            fmt::format("{} of {} B", brief ? "each" : "elements",
                        change_.element_bytes ? change_.element_bytes : layout_.element_bytes),
            change_.element_bytes != 0, [this](int by) { step_element(by); });
    if (!brief) say("and lanes took", false);
    stepper("stride",
            brief ? (change_.stride ? fmt::format("stride {}", change_.stride) : "stride as it is")
            : change_.stride == 0 ? "what they take"
            : change_.stride == 1 ? "elements side by side"
                                  : fmt::format("each {}. element", change_.stride),
            change_.stride != 0, [this](int by) { step_stride(by); });
    const Rect line = panel.take_top(f.theme.px(24));
    const std::string words =
        change_.changes() ? fmt::format("{} now, {} then, {} at best (F: as it is)",
                                        passes_text(now.passes.size()), then.passes.size(), then.ideal)
        : brief
            ? "Try it: I, O padding; X swizzle; E elements; J, K stride."
            : "Try it: I and O add and take padding, X swizzles, E changes the elements, J and K the stride.";
    f.canvas.text({line.x, line.centre().y}, f.canvas.shortened(words, line.w, f.theme.small()), f.theme.text,
                  f.theme.small());
  }

  static std::string passes_text(size_t passes) {
    return fmt::format("{} pass{}", passes, passes == 1 ? "" : "es");
  }

  ArrayLayout layout_;
  LayoutChange change_;
  float dragged_ = 0;
};

}  // namespace

std::unique_ptr<View> make_banks_view() {
  return std::make_unique<BanksView>();
}

}  // namespace ridge::view

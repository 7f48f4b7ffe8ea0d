// The 32 banks of shared memory: one row per wavefront. A conflict is a second row; a broadcast is
// many lanes in one box. Below, the same access with padding or a swizzle.
#include <fmt/format.h>

#include "visualizer/session/analysis/bank_layout.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/access/bank_rows.h"
#include "visualizer/views/view.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

bool touches_shared(const LoadedTrace& trace) {
  return std::any_of(trace.lines().begin(), trace.lines().end(),
                     [](const LineCost& line) { return line.shared.executions > 0; });
}

class BanksView : public View {
 public:
  BanksView() : View(trace::ViewKind::banks) {}
  std::string_view sentence() const override {
    return "Each row is one wavefront over the 32 banks of shared memory. A bank serves one 4-byte word per "
           "wavefront, so different words of one bank need several.";
  }
  std::string_view sentence_now(const Session& session) const override {
    const auto* record = session.record();
    if (!record || record->kind < trace::RecordKind::atomic || !record->is_access()) return sentence();
    switch (trace::shared_access_of(*record, session.a()->shared_accesses())) {
      case warp_model::SharedAccess::atomic_increment:
        return "Each row is one wavefront. Nobody uses the result of this addition of 1, so the hardware counts "
               "the lanes of a word and adds once; different words of one bank need several wavefronts.";
      case warp_model::SharedAccess::atomic_loop:
        return "Each row is one wavefront of a loop: all remaining lanes load, then one lane per bank compares "
               "and swaps (two wavefronts), until every lane has succeeded.";
      default:
        return "Each row is one wavefront. An atomic serves one lane per bank at a time, also where lanes use "
               "the same word.";
    }
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
                 ? "The tensor cores make this access: they read 128 bytes per wavefront, and no lane takes part."
             : record && record->shape == trace::RecordShape::runs
                 ? "A copy engine makes this access: it moves 128 bytes per wavefront, and no lane takes part."
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
          "How many wavefronts does this access need? Different words of one bank come one after the other; "
          "the same word for many lanes comes once. Type your guess; the Warp view (1) shows the words.");
    Rect area = f.area;
    // Beside another in Compare there is no room to try things.
    const bool roomy = f.session.offers_what_if && area.w >= f.theme.px(400);
    const Rect panel = area.take_bottom(roomy ? f.theme.px(94) : 0);
    const Wavefronts now = f.session.a()->wavefronts_of(*record);
    const LaidOut other = laid_out(*record, layout_, change_);
    const Wavefronts then = f.session.a()->wavefronts_of(*record, other.offsets, other.bytes);
    if (roomy) draw_what_if(f, panel, array, now, then);
    if (roomy && change_.changes()) {
      // In a low window each gets half, or only the sentence is shown.
      const float part = then.size() < 8 && area.h > f.theme.px(180) ? 0.3f : 0.5f;
      const bool drawn = area.h * part > f.theme.px(20 + 16 + 8);
      Rect below = area.take_bottom(drawn ? area.h * part : f.theme.px(20));
      const Rect head = below.take_top(f.theme.px(20));
      const uint32_t ideal = warp_model::ideal_wavefronts(then);
      f.canvas.text({head.x, head.centre().y},
                    fmt::format("what if: {}", cost_text(record->space, then.size(), ideal)),
                    then.size() > ideal ? f.theme.waste : f.theme.useful, f.theme.heading());
      if (drawn) draw_bank_rows(f, below, then, "if/");
    }
    draw_bank_rows(f, area, now, "");
  }

 private:
  void step_pad(int by) {
    change_.pad = static_cast<uint32_t>(std::clamp(static_cast<int>(change_.pad) + by, 0, 32));
  }
  // 1 to 16 bytes, then 1 again; the actual size counts as no change.
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

  void draw_what_if(const Frame& f, Rect panel, const trace::TraceArray* array, const Wavefronts& now,
                    const Wavefronts& then) {
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
    const bool brief = panel.w < f.theme.px(520);  // texts are shortened in favour of the controls
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
        change_.changes()
            ? fmt::format("{} wavefront{} now, {} then, {} at best (F: as it is)", now.size(),
                          now.size() == 1 ? "" : "s", then.size(), warp_model::ideal_wavefronts(then))
        : brief
            ? "Try it: I, O padding; X swizzle; E elements; J, K stride."
            : "Try it: I and O change the padding, X the swizzle, E the element size, J and K the stride.";
    f.canvas.text({line.x, line.centre().y}, f.canvas.shortened(words, line.w, f.theme.small()), f.theme.text,
                  f.theme.small());
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

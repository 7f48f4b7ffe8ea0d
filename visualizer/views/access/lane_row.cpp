#include "visualizer/views/access/lane_row.h"

#include <fmt/format.h>

#include "visualizer/session/analysis/footprint.h"
#include "visualizer/session/text/access_text.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

std::string lane_tooltip(const Session& session, uint32_t lane) {
  const auto* record = session.record();
  if (!record) return {};
  const auto& trace = session.a()->trace();
  std::string text =
      fmt::format("lane {}, thread {} of block {}", lane, thread_name(trace.launch, record->warp, lane),
                  block_name(trace.launch, session.timeline()->block()));
  if (!(record->mask >> lane & 1)) return text + "\nmasked: takes no part in this instruction";
  if (!record->is_access() || record->shape == trace::RecordShape::runs) return text;
  const uint64_t address = record->addresses[lane];
  if (record->space == trace::RecordSpace::local) {
    text += fmt::format("\nword {} of its local memory, byte {} of the sector", address / 4,
                        place_of(*record, lane) % 32);
  } else {
    text += fmt::format("\n{}", element_name(trace, *record, address));
    text += record->space == trace::RecordSpace::shared
                ? fmt::format("\noffset {}, bank {}", address, address / 4 % 32)
                : fmt::format("\n{:#x}, byte {} of its sector", address, address % 32);
  }
  if (const std::string value = value_text(trace, *record, lane); !value.empty())
    text += fmt::format("\nvalue {}", value);
  return text;
}

}  // namespace

std::string lanes_text(uint32_t mask) {
  if (mask == 0) return "no lane";
  std::string text;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    uint32_t last = lane;
    while (last < 31 && (mask >> (last + 1) & 1))
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", lane);
    if (last > lane) text += fmt::format("-{}", last);
    lane = last;
  }
  return (mask & (mask - 1) ? "lanes " : "lane ") + text;
}

void draw_lanes(const Frame& f, const trace::TraceRecord& record, const Columns& columns, Rect area,
                const Selection& selected) {
  const float height = std::min(f.theme.px(26), area.h * 0.5f);
  const float y = area.bottom() - height - f.theme.px(12);
  const auto corner = [&](uint32_t lane) { return thread_name(f.session.a()->launch(), record.warp, lane); };
  for (uint32_t group = 0; group < 4; ++group) {
    const Rect head{columns.lane_x(group * 8), area.y, columns.word() * 8, y - area.y};
    const TextStyle style = f.theme.small();
    std::string words = fmt::format("thread {}", corner(group * 8));
    if (f.canvas.text_width(words, style) > head.w) words = corner(group * 8);
    f.canvas.text({head.x, head.centre().y}, f.canvas.shortened(words, head.w, style), f.theme.faint, style);
  }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const Rect box{columns.lane_x(lane), y, columns.word() - std::max(1.0f, columns.word() * 0.08f), height};
    const bool active = record.mask >> lane & 1, other = record.other_mask >> lane & 1;
    Color words = f.theme.faint;
    if (active) {
      f.canvas.box(box, f.theme.useful, f.theme.px(2));
      words = f.theme.dark ? f.theme.background : f.theme.panel;
    } else if (other) {
      f.canvas.hatch(box, f.theme.waste, f.theme.px(4), f.theme.px(1.2f));
      f.canvas.frame(box, f.theme.waste, 1);
      words = f.theme.text;
    } else {
      f.canvas.frame(box, f.theme.faint, f.theme.px(1), f.theme.px(2));
    }
    if (columns.word() > f.theme.px(10))
      f.canvas.text(box.centre(), std::to_string(lane), words,
                    {std::min(f.theme.px(12), columns.word() * 0.6f), Face::mono, Align::centre});
    const bool hot = selected.lane == lane || (active && record.is_access() && record.bytes != 0 &&
                                               record.space != trace::RecordSpace::shared &&
                                               selected.sector == place_of(record, lane) / 32);
    if (hot) f.canvas.frame(box.inset(-f.theme.px(1)), f.theme.focus, f.theme.px(2.5f));
    Session* session = &f.session;
    f.canvas.region(
        {columns.lane_x(lane), y, columns.word(), height}, fmt::format("lane/{}", lane),
        [session, lane] { return lane_tooltip(*session, lane); },
        [session, lane](const Gesture& g) {
          Selection what;
          what.lane = lane;
          if (g.kind == GestureKind::hover) session->hot = what;
          if (g.kind == GestureKind::press) session->toggle_pin(what);
        });
  }
}

}  // namespace ridge::view

// Draws the banks of each wavefront: solid if any access of these lanes needs the wavefront,
// hatched if it exists only because of a conflict.
#include "visualizer/views/access/bank_rows.h"

#include <fmt/format.h>

#include "text/numbers.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/access/lane_row.h"

namespace ridge::view {
namespace {

using warp_model::BankService;
using warp_model::Wavefront;

// The lane's number, or the number of lanes that share the word.
void draw_number(const Frame& f, Rect cell, const BankService& served, bool is_ideal) {
  const uint32_t lanes = warp_model::active_lanes(served.lanes);
  const std::string words =
      lanes == 1 ? std::to_string(std::countr_zero(served.lanes)) : fmt::format("x{}", lanes);
  const TextStyle style{std::min({f.theme.px(11), cell.h * 0.75f, cell.w * 0.5f}), Face::mono, Align::centre};
  if (!is_ideal)
    f.canvas.box({cell.centre().x - style.size * 0.75f, cell.centre().y - style.size * 0.5f,
                  style.size * 1.5f, style.size},
                 f.theme.panel);
  const Color ink = !is_ideal ? f.theme.text : f.theme.dark ? f.theme.background : f.theme.panel;
  f.canvas.text(cell.centre(), words, ink, style);
}

void add_region(const Frame& f, Rect cell, const BankService& served, uint32_t bank, std::string id) {
  Session* session = &f.session;
  f.canvas.region(
      cell, std::move(id),
      [session, served, bank] {
        if (!served.lanes) return fmt::format("bank {} is idle in this wavefront", bank);
        return fmt::format("{}\nbank {}, word {}\n{}{}",
                           element_name(session->a()->trace(), *session->record(), served.word * 4), bank,
                           served.word, lanes_text(served.lanes),
                           served.lanes & (served.lanes - 1) ? ": one word for all of them" : "");
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

void draw_cell(const Frame& f, Rect cell, const Wavefront& wavefront, uint32_t bank, std::string id,
               const Selection& selected) {
  const BankService& served = wavefront.banks[bank];
  if (!served.lanes) {
    f.canvas.frame(cell, f.theme.grid, 1);
  } else if (wavefront.is_ideal) {
    f.canvas.box(cell, f.theme.useful);
  } else {
    f.canvas.box(cell, f.theme.waste.faded(0.2f));
    f.canvas.hatch(cell, f.theme.waste, f.theme.px(5), f.theme.px(1.3f));
    f.canvas.frame(cell, f.theme.waste, 1);
  }
  if (served.lanes && cell.h >= f.theme.px(9) && cell.w >= f.theme.px(13))
    draw_number(f, cell, served, wavefront.is_ideal);
  const bool hot = selected.bank == bank || (selected.lane && (served.lanes >> *selected.lane & 1)) ||
                   (served.lanes && selected.word == served.word);
  if (hot) f.canvas.frame(cell, f.theme.focus, f.theme.px(served.lanes ? 2.2f : 1));
  add_region(f, cell, served, bank, std::move(id));
}

}  // namespace

void draw_bank_rows(const Frame& f, Rect area, const Wavefronts& wavefronts, std::string_view prefix) {
  if (wavefronts.empty()) return;
  const float label = std::min(f.theme.px(74), area.w * 0.12f);
  Rect head = area.take_top(f.theme.px(16));
  const Rect corner = head.take_left(label);
  if (label > f.theme.px(66))
    f.canvas.text({corner.x, corner.centre().y}, "wavefront", f.theme.faint, f.theme.small());
  const float width = head.w / warp_model::kBanks;
  const Selection selected = f.session.selected();
  for (uint32_t bank = 0; bank < warp_model::kBanks; ++bank)
    if (width > f.theme.px(13) || bank % 4 == 0)
      f.canvas.text({head.x + width * (static_cast<float>(bank) + 0.5f), head.centre().y},
                    std::to_string(bank), selected.bank == bank ? f.theme.text : f.theme.faint,
                    f.theme.small_code(Align::centre));
  const float least = f.theme.px(3);
  size_t rows = wavefronts.size();
  if (static_cast<float>(rows) * least > area.h) {
    const Rect foot = area.take_bottom(f.theme.px(16));
    rows = std::min(rows, static_cast<size_t>(std::max(0.0f, area.h / least)));
    f.canvas.text({foot.x, foot.centre().y},
                  fmt::format("and {} wavefronts more", text::with_thousands(wavefronts.size() - rows)),
                  f.theme.waste, f.theme.small());
  }
  const float pitch = std::min(f.theme.px(30), area.h / static_cast<float>(std::max<size_t>(1, rows)));
  const size_t named = std::max<size_t>(1, static_cast<size_t>(std::ceil(f.theme.px(10) / pitch)));
  for (size_t i = 0; i < rows; ++i) {
    Rect row{area.x, area.y + pitch * static_cast<float>(i), area.w, pitch};
    const Rect name = row.take_left(label);
    if (i % named == 0)
      f.canvas.text({name.x + std::min(label - f.theme.px(8), f.theme.px(24)), name.centre().y},
                    std::to_string(i + 1), wavefronts[i].is_ideal ? f.theme.dim : f.theme.waste,
                    f.theme.small_code(Align::right));
    const bool begins = i > 0 && (wavefronts[i].phase != wavefronts[i - 1].phase ||
                                  wavefronts[i].attempt != wavefronts[i - 1].attempt);
    if (begins && pitch > f.theme.px(6))
      f.canvas.line({name.x, row.y}, {row.right(), row.y}, f.theme.edge, f.theme.px(1));
    for (uint32_t bank = 0; bank < warp_model::kBanks; ++bank) {
      const Rect cell = Rect{row.x + width * static_cast<float>(bank), row.y, width, pitch}.inset(
          std::min(1.5f, width * 0.08f), std::min(1.5f, pitch * 0.12f));
      draw_cell(f, cell, wavefronts[i], bank, fmt::format("{}bank/{}/{}", prefix, bank, i), selected);
    }
  }
}

}  // namespace ridge::view

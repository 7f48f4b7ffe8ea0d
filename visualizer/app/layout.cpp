// The parts of the picture that are not views: heads of panels, legends, messages, the list of
// keys, tooltips.
#include <fmt/format.h>

#include "text/numbers.h"
#include "visualizer/app/app.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {

std::string App::header_title() const {
  if (session_.a()) return session_.a()->title();
  if (session_.clone.empty()) return "ridge-view";
  const std::string lab = session_.lab();
  return lab.empty() ? "Runs of this clone" : "Runs of " + lab;
}

void App::draw_header(Canvas& canvas, Rect area) {
  canvas.box(area, theme_.panel, theme_.px(4));
  area = area.inset(theme_.px(8), 0);
  draw_keys_button(canvas, area);
  // Tabs on the right; the rung's name gets the remaining room.
  const TextStyle style = theme_.body(Align::centre);
  const std::string title = header_title();
  // Tabs show all names only if the rung's name keeps enough room.
  float all =
      std::clamp(canvas.text_width(title, theme_.heading()) + theme_.px(16), theme_.px(160), theme_.px(340));
  for (const auto& view : views_)
    all += canvas.text_width(fmt::format("0 {}", view->name()), style) + theme_.px(14);
  const bool wide = area.w > all;
  for (size_t i = views_.size(); i-- > 0;) {
    const std::string_view id = views_[i]->id();
    const bool here = session_.view == id;
    const std::string name = fmt::format("{} {}", trace::view_key(i), views_[i]->name());
    const std::string words = wide || here ? name : name.substr(0, 1);
    const Rect tab =
        area.take_right(canvas.text_width(words, style) + theme_.px(14)).inset(theme_.px(1), theme_.px(5));
    if (here) canvas.box(tab, theme_.edge, theme_.px(3));
    canvas.text(tab.centre(), words, here ? theme_.text : theme_.dim, style);
    Session* session = &session_;
    canvas.region(
        tab, fmt::format("view/{}", id), [name] { return name; },
        [session, id](const Gesture& g) {
          if (g.kind == GestureKind::press) session->look_at(id);
        });
  }
  const TextStyle head = theme_.heading();
  const std::string shown = canvas.shortened(title, area.w, head);
  canvas.text({area.x, area.centre().y}, shown, theme_.text, head);
  if (!session_.a()) return;
  area.take_left(canvas.text_width(shown, head) + theme_.px(12));
  if (area.w < theme_.px(60)) return;  // one letter with dots would be useless
  const auto& notes = session_.a()->trace().notes;
  std::string more = fmt::format(
      "block {}", block_name(session_.a()->launch(), session_.timeline() ? session_.timeline()->block() : 0));
  if (notes.solution) more = "solution, " + more;
  if (!notes.sizes.empty()) more += ", " + notes.sizes;
  canvas.text({area.x, area.centre().y}, canvas.shortened(more, area.w, theme_.small()), theme_.dim,
              theme_.small());
}

// A button for users who do not know that ? lists the keys. Takes its room from the area.
void App::draw_keys_button(Canvas& canvas, Rect& area) {
  const Rect place = area.take_right(theme_.px(26)).inset(theme_.px(3), theme_.px(6));
  if (keys_shown_) canvas.box(place, theme_.edge, theme_.px(3));
  canvas.frame(place, theme_.edge, 1, theme_.px(3));
  canvas.text(place.centre(), "?", keys_shown_ ? theme_.text : theme_.dim, theme_.body(Align::centre));
  canvas.region(
      place, "keys", [] { return std::string("all keys, and what the mouse does"); },
      [this](const Gesture& g) {
        if (g.kind == GestureKind::press) keys_shown_ = true;
      });
}

Rect App::panel_box(Canvas& canvas, Rect area, std::string id, std::string_view title) {
  panels_.push_back({std::move(id), area});
  canvas.box(area, theme_.panel, theme_.px(4));
  canvas.frame(area, theme_.edge, 1, theme_.px(4));
  Rect inside = area.inset(theme_.px(8), theme_.px(6));
  if (!title.empty()) {
    const Rect head = inside.take_top(theme_.px(20));
    canvas.text({head.x, head.centre().y}, title, theme_.dim, {theme_.px(12), Face::bold, Align::left});
  }
  return inside;
}

void App::draw_panel(Canvas& canvas, Rect area, View& view, std::string_view title) {
  if (area.w < theme_.px(40) || area.h < theme_.px(24)) return;
  Rect inside = panel_box(canvas, area, std::string(view.id()), title);
  const bool caption = title.empty() && area.h > theme_.px(110) &&
                       canvas.text_width(view.sentence(), theme_.small()) <= inside.w;
  if (caption) draw_caption(canvas, inside.take_top(theme_.px(16)), view);
  view.draw({canvas, theme_, session_, inside});
}

// How to read a permanent panel: its sentence, and its legend if there is room next to it.
void App::draw_caption(Canvas& canvas, Rect area, const View& view) {
  const TextStyle style = theme_.small();
  area.h -= theme_.px(2);
  if (&view == strip_.get()) draw_playback(canvas, area);
  canvas.text({area.x, area.centre().y}, view.sentence(), theme_.dim, style);
  area.take_left(canvas.text_width(view.sentence(), style) + theme_.px(20));
  if (area.w > theme_.px(200)) draw_legend(canvas, area, view);
}

// The position of the playback, at the right end; takes its room from the area.
void App::draw_playback(Canvas& canvas, Rect& area) {
  const Playback& playback = session_.playback();
  const std::string how =
      playback.playing() ? fmt::format("playing{}, {}x; [ and ] change that",
                                       playback.plays_only_shared() ? " shared memory" : "", playback.speed())
                         : std::string("Space plays");
  const std::string words = fmt::format("access {} of {}   {}", text::with_thousands(playback.at() + 1),
                                        text::with_thousands(playback.size()), how);
  const float width = canvas.text_width(words, theme_.small());
  const float sentence = canvas.text_width(strip_->sentence(), theme_.small());
  if (playback.size() == 0 || area.w < sentence + width + theme_.px(30)) return;
  const Rect place = area.take_right(width + theme_.px(10));
  canvas.text({place.right(), place.centre().y}, words, playback.playing() ? theme_.text : theme_.dim,
              theme_.small(Align::right));
}

// Rows of the legend where every entry has its place: what a page has room for.
int App::legend_rows(Canvas& canvas, float width, const View& view) const {
  int rows = 1;
  float left = width;
  for (const LegendEntry& entry : view.legend()) {
    const float wide = canvas.text_width(entry.words, theme_.small());
    if (left < wide + theme_.px(22) && left < width) ++rows, left = width;
    left -= wide + theme_.px(35);
  }
  return rows;
}

// In as many rows as the area is high; an entry without room is left out.
void App::draw_legend(Canvas& canvas, Rect area, const View& view) {
  const float height = theme_.px(18);
  Rect below = area;
  area = below.take_top(std::min(below.h, height));
  const float whole_width = area.w;
  for (const LegendEntry& entry : view.legend()) {
    const float width = canvas.text_width(entry.words, theme_.small());
    if (area.w < width + theme_.px(22) && area.w < whole_width && below.h >= height - 0.5f)
      area = below.take_top(height);
    if (area.w < width + theme_.px(22)) continue;
    const Rect mark = area.take_left(theme_.px(16));
    draw_role(canvas, theme_, mark.inset(theme_.px(1), (mark.h - theme_.px(11)) / 2), entry.role);
    area.take_left(theme_.px(5));
    canvas.text({area.x, area.centre().y}, entry.words, theme_.dim, theme_.small());
    area.take_left(width + theme_.px(14));
  }
}

void App::draw_view(Canvas& canvas, Rect area) {
  View& view = shown_view();
  Rect inside = panel_box(canvas, area, std::string(view.id()), "");
  // The description in one sentence, then the main number, the picture, and the legend.
  const TextStyle style = theme_.small();
  const auto sentence = canvas.wrapped(view.sentence_now(session_), inside.w, style);
  if (area.h > theme_.px(180))
    for (const std::string& line : sentence) {
      const Rect row = inside.take_top(theme_.px(15));
      canvas.text({row.x, row.centre().y}, line, theme_.dim, style);
    }
  const bool of_access = view.is_of_access();
  const auto* record = session_.record();
  const auto* instruction = session_.instruction();
  if (of_access && record) {
    Rect head = inside.take_top(theme_.px(34));
    const auto& mark = session_.timeline()->mark(session_.playback().at());
    const std::string cost = cost_text(mark.space, mark.actual, mark.ideal);
    std::string number = session_.cost_hidden() ? "your guess?" : cost;
    if (const Prediction& guess = session_.prediction; guess.answer && guess.of == session_.playback().at())
      number = fmt::format("{}; you said {}{}", cost, *guess.answer,
                           *guess.answer == mark.actual ? ": right" : "");
    const TextStyle big = theme_.number();
    canvas.text({head.x, head.centre().y}, number,
                mark.waste() && !session_.cost_hidden() ? theme_.waste : theme_.text, big);
    head.take_left(number.empty() ? 0 : canvas.text_width(number, big) + theme_.px(14));
    if (view_only_ && head.w < theme_.px(160)) head = inside.take_top(theme_.px(20));
    const std::string what =
        fmt::format("{}{}{}{}", what_it_does(*record), some_lanes_text(*record),
                    other_block_text(session_.a()->launch(), *record),
                    instruction && instruction->line ? fmt::format(", line {}", instruction->line) : "");
    canvas.text({head.x, head.centre().y}, canvas.shortened(what, head.w, theme_.body()), theme_.dim,
                theme_.body());
  }
  const trace::TraceScene scene = session_.a() ? session_.a()->trace().notes.scene : trace::TraceScene{};
  if (!session_.cost_hidden() && !scene.text.empty() && scene.view == view.id() &&
      inside.h > theme_.px(160)) {
    const bool some = session_.has_scene(), here = some && (!of_access || session_.at_scene());
    const auto elsewhere = canvas.wrapped(
        some ? fmt::format("Line {}: {}", session_.scene_line(), scene.text) : "Not here yet: " + scene.text,
        inside.w, theme_.body());
    const auto lines = here ? canvas.wrapped(scene.text, inside.w, theme_.body()) : elsewhere;
    // Reserve room for the longer of the two, so that the layout does not jump while other lines
    // play.
    const size_t rows = of_access ? elsewhere.size() : lines.size();
    for (size_t i = 0; i < rows; ++i) {
      const Rect row = inside.take_top(theme_.px(18));
      if (i < lines.size())
        canvas.text({row.x, row.centre().y}, lines[i], here ? theme_.text : theme_.dim, theme_.body());
    }
  }
  inside.take_top(theme_.px(4));
  const int rows_of_legend = view_only_ ? legend_rows(canvas, inside.w, view) : 1;
  const Rect legend = inside.take_bottom(theme_.px(18) * static_cast<float>(rows_of_legend));
  draw_legend(canvas, legend, view);
  inside.take_bottom(theme_.px(4));
  const Clip clip(canvas, inside);
  view.draw({canvas, theme_, session_, inside});
}

}  // namespace ridge::view

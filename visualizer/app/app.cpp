#include "visualizer/app/app.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "text/numbers.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {

namespace {

// "4 and 5": the keys of the views that show runs.
std::string keys_of_runs() {
  std::string keys;
  for (size_t k = 0; k < trace::kViews.size(); ++k)
    if (trace::kViews[k].subject == trace::ViewSubject::runs)
      keys += fmt::format("{}{}", keys.empty() ? "" : " and ", trace::view_key(k));
  return keys;
}

}  // namespace

App::App(bool dark, float scale)
    : theme_(make_theme(dark, scale)),
      views_(make_views()),
      source_(make_source_panel()),
      strip_(make_time_strip()),
      figures_(make_figures_panel()) {}

void App::show_message(std::string words, double seconds) {
  toast_ = std::move(words), toast_seconds_ = seconds;
}

View& App::shown_view() const {
  View* view = find_view(views_, session_.view);
  return view ? *view : *views_.front();
}

void App::show_view(std::string_view id) {
  if (find_view(views_, id.substr(0, id.find('/')))) {
    session_.look_at(id);
    return;
  }
  session_.message =
      fmt::format("There is no view \"{}\". The views are {}.", id, fmt::join(trace::view_ids(), ", "));
}

bool App::draw(Canvas& canvas, Rect area, double seconds) {
  const trace::ViewDescription* chosen = trace::find_view_description(session_.view);
  session_.playback().play_only_shared(chosen && chosen->subject == trace::ViewSubject::shared_access);
  const bool moving = session_.playback().advance(seconds);
  toast_seconds_ -= seconds;
  session_.counting = false;
  whole_ = area;
  panels_.clear();
  canvas.clear_regions();
  canvas.box(area, theme_.background);
  if (view_only_ && (session_.a() || (!shown_view().needs_trace() && session_.message.empty()))) {
    draw_view(canvas, area);
  } else {
    const float gap = theme_.px(6);
    Rect rest = area.inset(gap);
    if (!view_only_) {
      draw_header(canvas, rest.take_top(theme_.px(34)));
      rest.take_top(gap);
    }
    draw_panels(canvas, area, rest);
  }
  if (const auto* record = session_.prediction.asking ? session_.record() : nullptr)
    draw_prompt(canvas, area,
                fmt::format("How many {} does this access cost?", trace::cost_unit(record->space)),
                session_.prediction.typed, "Enter shows it, Esc does not");
  else if (going_to_)
    draw_prompt(canvas, area,
                fmt::format("Go to which access, 1 to {}?", text::with_thousands(session_.playback().size())),
                *going_to_, "Enter goes there, Esc stays");
  if (!bare_) draw_message(canvas, area);
  if (keys_shown_ && !bare_) draw_keys(canvas, area);
  regions_.assign(canvas.regions().begin(), canvas.regions().end());
  if (mouse_.x >= 0 && held_.empty())
    look_under_mouse();  // a key or the playback may have changed what is under the mouse
  draw_tooltip(canvas, area);
  return moving || session_.counting;
}

// All that stands below the header; `area` is the whole picture, `rest` what the header left.
void App::draw_panels(Canvas& canvas, Rect area, Rect rest) {
  const float gap = theme_.px(6);
  if (session_.a()) {
    const bool narrow = area.w < theme_.px(900), low = area.h < theme_.px(560);
    const Rect strip = rest.take_bottom(std::clamp(area.h * 0.2f, theme_.px(70), theme_.px(170)));
    rest.take_bottom(gap);
    if (!narrow || low) {
      const Rect source = rest.take_left(std::clamp(area.w * 0.29f, theme_.px(180), theme_.px(760)));
      rest.take_left(gap);
      draw_panel(canvas, source, *source_, "");
    } else {
      const Rect source = rest.take_bottom(rest.h * 0.32f);
      rest.take_bottom(gap);
      draw_panel(canvas, source, *source_, "");
    }
    if (!narrow) {
      Rect side = rest.take_right(std::clamp(area.w * 0.19f, theme_.px(190), theme_.px(300)));
      rest.take_right(gap);
      if (View* pyramid = views_[static_cast<size_t>(trace::ViewKind::pyramid)].get(); pyramid != &shown_view()) {
        const Rect top = side.take_top(side.h * 0.5f);
        side.take_top(gap);
        draw_panel(canvas, top, *pyramid, pyramid->name());
      }
      draw_panel(canvas, side, *figures_, "Figures");
    }
    draw_view(canvas, rest);
    draw_panel(canvas, strip, *strip_, "");
  } else if (!shown_view().needs_trace() && session_.message.empty()) {
    draw_view(canvas, rest);
  } else {
    const Frame frame{canvas, theme_, session_, rest};
    draw_empty(frame, session_.message.empty()
                          ? fmt::format("No trace is open, and {} shows one. Record and open it with `ridge "
                                        "view LAB/RUNG`; keys {} show the runs of the clone.",
                                        shown_view().name(), keys_of_runs())
                          : session_.message);
  }
}

const Region* App::region_under(Point at) const {
  for (size_t i = regions_.size(); i-- > 0;)
    if (regions_[i].area.contains(at)) return &regions_[i];
  return nullptr;
}

// A copy, because a region's action may make the app draw, or change the regions.
void App::act_at(Point at, Gesture gesture) {
  const Region* under = region_under(at);
  if (!under) return;
  gesture.at = at;
  if (const auto act = under->act) act(gesture);
}

void App::mouse_to(Point at) {
  const Point moved{at.x - mouse_.x, at.y - mouse_.y};
  mouse_ = at;
  if (!held_.empty()) {
    for (const Region& region : regions_)
      if (region.id == held_ && region.act) {
        const auto act = region.act;
        return act({GestureKind::drag, at, moved});
      }
    return;
  }
  look_under_mouse();
}

void App::look_under_mouse() {
  session_.hot = {};
  act_at(mouse_, {GestureKind::hover});
}

void App::mouse_away() {
  mouse_ = {-1, -1};
  held_.clear();
  session_.hot = {};
}

void App::mouse_down(Point at, bool shift) {
  mouse_ = at;
  if (std::exchange(keys_shown_, false)) return;  // the list covers what is under the mouse
  if (const Region* under = region_under(at)) held_ = under->id;
  Gesture gesture{GestureKind::press};
  gesture.shift = shift;
  act_at(at, gesture);
}

void App::mouse_up(Point at) {
  for (const Region& region : regions_)
    if (region.id == held_ && region.act) {
      const auto act = region.act;
      act({GestureKind::release, at});
      break;
    }
  held_.clear();
}

void App::mouse_wheel(Point at, float amount, bool shift) {
  Gesture gesture{GestureKind::wheel};
  gesture.wheel = amount, gesture.shift = shift;
  // The topmost region is often a small one that does not use the wheel, while the panel's own
  // region below does.
  for (size_t i = regions_.size(); i-- > 0;)
    if (regions_[i].area.contains(at) && regions_[i].act) {
      gesture.at = at;
      const auto act = regions_[i].act;
      act(gesture);
    }
}

App::Panel App::panel_at(Point at) const {
  for (const Panel& panel : panels_)
    if (panel.area.contains(at)) return panel;
  return {"window", whole_};
}

Rect App::panel(std::string_view id) const {
  // Search from the end: the chosen view comes after the pyramid at the side, which has the same id
  // as the view.
  for (size_t i = panels_.size(); i-- > 0;)
    if (panels_[i].id == (id == "view" ? std::string_view(session_.view) : id)) return panels_[i].area;
  return {};
}

std::string App::known_panels() const {
  std::string known = "view";
  for (const Panel& panel : panels_)
    if (panel.id != session_.view) known += ", " + panel.id;
  return known;
}

}  // namespace ridge::view

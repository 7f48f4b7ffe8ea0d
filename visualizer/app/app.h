// The program without its window: the effects of keys and mouse, and the complete picture. The
// window, the headless shell and the tests all use it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visualizer/app/keys.h"
#include "visualizer/views/panels/panels.h"
#include "visualizer/views/view.h"

namespace ridge::view {

class App {
 public:
  struct Panel {
    std::string id;
    Rect area;
  };
  explicit App(bool dark = true, float scale = 1);

  Session& session() { return session_; }
  const Session& session() const { return session_; }
  const Theme& theme() const { return theme_; }
  void set_theme(bool dark, float scale) { theme_ = make_theme(dark, scale); }
  View& shown_view() const;
  void show_view(std::string_view id);  // an unknown id gives a message

  // Draws one picture. `seconds`: time since the last one. Returns true while something moves, so
  // that another picture is due at once.
  bool draw(Canvas& canvas, Rect area, double seconds);

  // Returns true when the app used it. The next picture shows the effect.
  bool press(const KeyPress& key);
  void mouse_to(Point at);
  void mouse_away();
  void mouse_down(Point at, bool shift = false);
  void mouse_up(Point at);
  void mouse_wheel(Point at, float amount, bool shift = false);

  // Set by the shell, for what only it can do.
  std::function<void(const std::string&)> to_clipboard;
  // Ctrl+S, Ctrl+Shift+S, Ctrl+G: called with "png", "svg" or "apng", to save panel_under_mouse()
  // of the next picture, because keys before this one may change it.
  std::function<void(std::string_view)> save_picture;
  // Shows a text that disappears after `toast_seconds()` of the pictures' time.
  void show_message(std::string words, double seconds = 4);
  double toast_seconds() const { return std::max(0.0, toast_seconds_); }
  // For saved pictures: without messages, toasts and the list of keys.
  void set_bare(bool bare) { bare_ = bare; }
  // The chosen view alone, without header, source, strip and figures: a page has controls of its
  // own.
  void set_view_only(bool view_only) { view_only_ = view_only; }
  bool wants_to_quit() const { return quit_; }
  // The panel of the last picture at a point; outside any panel the whole picture, "window".
  Panel panel_at(Point at) const;
  Panel panel_under_mouse() const { return panel_at(mouse_); }
  // By id, "warp", "source", "strip", ..., or "view" for the chosen one; empty when there is none.
  Rect panel(std::string_view id) const;
  std::string known_panels() const;  // "view, source, ..."
  std::span<const Region> regions() const { return regions_; }

 private:
  std::string header_title() const;
  void draw_panels(Canvas& canvas, Rect area, Rect rest);
  void draw_header(Canvas& canvas, Rect area);
  void draw_keys_button(Canvas& canvas, Rect& area);
  void draw_view(Canvas& canvas, Rect area);
  void draw_panel(Canvas& canvas, Rect area, View& view, std::string_view title);
  Rect panel_box(Canvas& canvas, Rect area, std::string id, std::string_view title);
  void draw_caption(Canvas& canvas, Rect area, const View& view);
  void draw_playback(Canvas& canvas, Rect& area);
  int legend_rows(Canvas& canvas, float width, const View& view) const;
  void draw_legend(Canvas& canvas, Rect area, const View& view);
  void draw_message(Canvas& canvas, Rect area);
  void draw_keys(Canvas& canvas, Rect area);
  void draw_prompt(Canvas& canvas, Rect area, const std::string& question, const std::string& typed,
                   const char* hint);
  void draw_tooltip(Canvas& canvas, Rect area);
  bool type_prediction(const KeyPress& key);
  bool type_number(const KeyPress& key);
  bool press_control(const KeyPress& key);
  bool zoom_under_mouse(bool closer);
  const Region* region_under(Point at) const;
  void look_under_mouse();
  void act_at(Point at, Gesture gesture);

  Session session_;
  Theme theme_;
  std::vector<std::unique_ptr<View>> views_;
  std::unique_ptr<View> source_, strip_, figures_;
  std::vector<Region> regions_;
  std::vector<Panel> panels_;
  Rect whole_;
  Point mouse_{-1, -1};
  std::string held_;                     // the region in which a drag began
  std::optional<std::string> going_to_;  // after G: the number of an access as typed so far
  bool keys_shown_ = false, quit_ = false, bare_ = false, view_only_ = false;
  std::string toast_;
  double toast_seconds_ = 0;
};

}  // namespace ridge::view

// A view: one file in this folder, one line in view_list.cpp. It draws what the session shows to a canvas,
// says how to read itself, and keeps no state beyond what a person set in it (zoom, a "what if"): selection,
// playback and traces are the session's.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "visualizer/draw/theme.h"
#include "visualizer/session/session.h"

namespace ridge::view {

inline constexpr char kEscape = 27;

struct LegendEntry {
  Role role = Role::quiet;
  std::string_view words;
};

// What there is to draw with. `area` is all that the view may use; heading, sentence and legend stand
// outside.
struct Frame {
  Canvas& canvas;
  const Theme& theme;
  Session& session;  // regions change it through functions; drawing itself must not
  Rect area;
  // A trace whose picture stands beside this one: bars of both have one scale.
  const LoadedTrace* beside = nullptr;
};

class View {
 public:
  virtual ~View() = default;
  virtual std::string_view id() const = 0;        // "warp": --view, the scene's name
  virtual std::string_view name() const = 0;      // "Warp"
  virtual std::string_view sentence() const = 0;  // how to read it, in one
  // The same where it depends on what is shown.
  virtual std::string_view sentence_now(const Session&) const { return sentence(); }
  virtual std::vector<LegendEntry> legend() const = 0;
  // False: it also has something to show of the runs alone. Otherwise draw() comes only while a trace is
  // open.
  virtual bool needs_trace() const { return true; }
  virtual void draw(const Frame& frame) = 0;
  // True: the wheel zooms into what it shows, and so do 'w' and 's'.
  virtual bool zooms() const { return false; }
  // Letters ('a' to 'z'), '+', '-': true when it was meant for this view. 'w', 's', 'a', 'd', 'f' zoom, pan
  // and fit; kEscape clears what was asked.
  virtual bool press(Session&, char) { return false; }
};

// In the order of the keys 1 to 9.
std::vector<std::unique_ptr<View>> make_views();
View* find_view(std::vector<std::unique_ptr<View>>& views, std::string_view id);

// One line in the middle of the area: why there is nothing to see.
void draw_empty(const Frame& frame, std::string_view why);

}  // namespace ridge::view

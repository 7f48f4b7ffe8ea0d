// A view: a row of trace/view_table.h and one file below this folder, named in view.cpp. It draws
// what the session shows to a canvas, says how to read itself, and keeps no state beyond what a person set in
// it (zoom, a "what if"): selection, playback and traces are the session's.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "trace/view_table.h"
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
  explicit View(trace::ViewKind kind) : View(trace::describe(kind).id, trace::describe(kind).name) {
    description_ = &trace::describe(kind);
  }
  // A panel that is always there and that no key chooses (panels/panels.h).
  View(std::string_view id, std::string_view name) : id_(id), name_(name) {}
  virtual ~View() = default;

  std::string_view id() const { return id_; }
  std::string_view name() const { return name_; }
  // The shown access is its subject, so its cost is the heading.
  bool is_of_access() const {
    return description_ && description_->subject <= trace::ViewSubject::shared_access;
  }
  // False: it also has something to show without a trace. Otherwise draw() comes only while one is open.
  bool needs_trace() const { return !description_ || !description_->works_without_trace; }

  virtual std::string_view sentence() const = 0;  // how to read it, in one
  // The same where it depends on what is shown.
  virtual std::string_view sentence_now(const Session&) const { return sentence(); }
  virtual std::vector<LegendEntry> legend() const = 0;
  virtual void draw(const Frame& frame) = 0;
  // True: the wheel zooms into what it shows, and so do 'w' and 's'.
  virtual bool zooms() const { return false; }
  // Letters ('a' to 'z'), '+', '-': true when it was meant for this view. 'w', 's', 'a', 'd', 'f' zoom, pan
  // and fit; kEscape clears what was asked.
  virtual bool press(Session&, char) { return false; }

 private:
  std::string_view id_, name_;
  const trace::ViewDescription* description_ = nullptr;
};

// All of them, in the order of their keys.
std::vector<std::unique_ptr<View>> make_views();
std::unique_ptr<View> make_view(trace::ViewKind kind);
View* find_view(const std::vector<std::unique_ptr<View>>& views, std::string_view id);

// One line in the middle of the area: why there is nothing to see.
void draw_empty(const Frame& frame, std::string_view why);

}  // namespace ridge::view

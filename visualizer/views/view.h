// A view: a row of trace/view_table.h and one file below this folder, listed in view.cpp. It draws
// the session's content to a canvas and explains how to read it. Its only state is what the user
// set in it (zoom, a "what if"): selection, playback and traces belong to the session.
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

// The context for drawing. `area` is the view's own; heading, sentence and legend are outside.
struct Frame {
  Canvas& canvas;
  const Theme& theme;
  Session& session;  // regions change it through functions; drawing itself must not
  Rect area;
  // A trace shown next to this one: the bars of both have one scale.
  const LoadedTrace* compared = nullptr;
};

class View {
 public:
  explicit View(trace::ViewKind kind) : View(trace::describe(kind).id, trace::describe(kind).name) {
    description_ = &trace::describe(kind);
  }
  // A permanent panel without a key (panels/panels.h).
  View(std::string_view id, std::string_view name) : id_(id), name_(name) {}
  virtual ~View() = default;

  std::string_view id() const { return id_; }
  std::string_view name() const { return name_; }
  // True when its subject is the shown access, whose cost is then the heading.
  bool is_of_access() const {
    return description_ && description_->subject <= trace::ViewSubject::shared_access;
  }
  // False: it also has something to show without a trace. If true, draw() is called only while one
  // is open.
  bool needs_trace() const { return !description_ || !description_->works_without_trace; }

  virtual std::string_view sentence() const = 0;  // how to read it, in one sentence
  // The same, depending on what is shown.
  virtual std::string_view sentence_now(const Session&) const { return sentence(); }
  virtual std::vector<LegendEntry> legend() const = 0;
  virtual void draw(const Frame& frame) = 0;
  // True: the wheel zooms its content, and so do 'w' and 's'.
  virtual bool zooms() const { return false; }
  // Letters ('a' to 'z'), '+', '-': returns true when this view used the key. 'w', 's', 'a', 'd',
  // 'f' zoom, pan and fit; kEscape clears a "what if".
  virtual bool press(Session&, char) { return false; }

 private:
  std::string_view id_, name_;
  const trace::ViewDescription* description_ = nullptr;
};

// All views, in the order of their keys.
std::vector<std::unique_ptr<View>> make_views();
std::unique_ptr<View> make_view(trace::ViewKind kind);
View* find_view(const std::vector<std::unique_ptr<View>>& views, std::string_view id);

// One line in the middle of the area: why there is nothing to see.
void draw_empty(const Frame& frame, std::string_view why);

}  // namespace ridge::view

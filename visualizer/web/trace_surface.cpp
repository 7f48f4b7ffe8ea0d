// A trace on a page: one view that the page gives controls to, or the whole window of ridge-view.
#include <cmath>

#include "trace/block_timeline.h"
#include "visualizer/app/app.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/web/description.h"
#include "visualizer/web/surface.h"

namespace ridge::view {
namespace {

class TraceSurface : public Surface {
 public:
  explicit TraceSurface(bool whole_window) {
    app_.set_view_only(!whole_window);
    if (whole_window)  // and not what the program of a clone advises
      app_.session().message = "No trace is open. Drop a file here, or choose one above.";
  }

  bool open(std::span<const uint8_t> bytes, std::string_view name) override {
    Session& session = app_.session();
    try {
      session.show(std::make_shared<LoadedTrace>(bytes, std::string(name)));
      session.message.clear();
      return true;
    } catch (const std::exception& error) {
      session.message = error.what();
      return false;
    }
  }

  bool draw(Canvas& canvas, Rect area, double seconds) override {
    return app_.draw(canvas, area, seconds);
  }
  void set_theme(bool dark, float scale) override { app_.set_theme(dark, scale); }

  // The page chooses the theme, and keys with Control are the browser's.
  bool press(const KeyPress& key) override {
    const bool of_page = key.control || (key.code == KeyCode::character && key.character == 'l');
    return !of_page && app_.press(key);
  }

  void pointer(PointerKind kind, Point at, float wheel, bool shift) override {
    switch (kind) {
      case PointerKind::move:
        return app_.mouse_to(at);
      case PointerKind::down:
        return app_.mouse_down(at, shift);
      case PointerKind::up:
        return app_.mouse_up(at);
      case PointerKind::leave:
        return app_.mouse_away();
      case PointerKind::wheel:
        return app_.mouse_wheel(at, wheel, shift);
    }
  }

  bool set(std::string_view name, double value) override {
    Session& session = app_.session();
    if (!(value >= 0 && value < 1e9)) return false;
    const auto index = static_cast<size_t>(value);
    if (name == "at" && index < session.playback().size()) {
      session.playback().go_to(index);
      return true;
    }
    if (name == "view" && index < trace::kViews.size()) {
      session.look_at(trace::kViews[index].id);
      return true;
    }
    if (name == "block" && session.a() && index < session.a()->timelines().size()) {
      session.show_block(index);
      return true;
    }
    return name == "speed" && set_speed(session.playback(), value);
  }

  nlohmann::json state() const override {
    const Session& session = app_.session();
    const Playback& playback = session.playback();
    const View& view = app_.shown_view();
    nlohmann::json state = {
        {"open", session.a() != nullptr},         {"message", session.message},
        {"description", describe(session, view)}, {"size", playback.size()},
        {"playing", playback.playing()},          {"speeds", kSpeeds},
        {"blocks", nlohmann::json::array()},      {"views", nlohmann::json::array()}};
    size_t chosen = 0;
    for (size_t k = 0; k < trace::kViews.size(); ++k) {
      state["views"].push_back({{"id", trace::kViews[k].id}, {"name", trace::kViews[k].name}});
      if (trace::kViews[k].id == view.id()) chosen = k;
    }
    state["settings"] = {{"at", playback.at()},
                         {"view", chosen},
                         {"block", session.block()},
                         {"speed", playback.speed()}};
    if (const LoadedTrace* trace = session.a()) {
      state["title"] = trace->title();
      for (const trace::BlockTimeline& timeline : trace->timelines())
        state["blocks"].push_back(block_name(trace->launch(), timeline.block()));
    }
    return state;
  }

 private:
  static bool set_speed(Playback& playback, double speed) {
    const auto step_of = [](double wanted) {
      int step = 0;
      while (step < static_cast<int>(std::size(kSpeeds)) && kSpeeds[step] != wanted)
        ++step;
      return step;
    };
    const int step = step_of(speed);
    if (step == static_cast<int>(std::size(kSpeeds))) return false;
    playback.faster(step - step_of(playback.speed()));
    return true;
  }

  App app_;
};

}  // namespace

std::unique_ptr<Surface> make_trace_surface(bool whole_window) {
  return std::make_unique<TraceSurface>(whole_window);
}

}  // namespace ridge::view

// The program with a small trace open, and what a recorder saw of its last picture.
#pragma once

#include "tests/visualizer/hand_made.h"
#include "visualizer/app/app.h"
#include "visualizer/draw/recorder.h"

namespace ridge::view {

inline constexpr Rect kScreen{0, 0, 1600, 1000};

struct Look {
  App app;
  Recorder seen;
  explicit Look(trace::AccessTrace trace, std::string_view view = "warp") {
    app.session().show(std::make_shared<LoadedTrace>(std::move(trace)));
    app.show_view(view);
    again();
  }
  explicit Look(const std::vector<HandMade>& records, std::string_view view = "warp")
      : Look(hand_made_trace(records), view) {}
  void again(double seconds = 10) {
    app.session().playback().rest();
    seen.clear();
    app.draw(seen, kScreen, seconds);
  }
  void key(KeyCode code, bool shift = false) {
    app.press({code, 0, shift, false});
    again();
  }
  void key(char letter) {
    app.press({KeyCode::character, letter, false, false});
    again();
  }
};

}  // namespace ridge::view

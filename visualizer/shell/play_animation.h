// What the playback shows in the next seconds, as an animated PNG: Ctrl+G, and --play.
#pragma once

#include "visualizer/export/apng.h"
#include "visualizer/shell/painter.h"

namespace ridge::view {

// `part` of the app's picture, cut out of pixels[height][width].
std::vector<Color> cut_out(std::span<const Color> pixels, int width, Rect part);

// Plays from where the session stands, for so long or to the end, without a clock: each picture is as far on
// as the one before is shown. Paints into the framebuffer that is bound, and leaves the playback where it
// was.
Animation play_animation(App& app, Painter& painter, int width, int height, Rect part, double seconds);

}  // namespace ridge::view

// The next seconds of the playback as an animated PNG: for Ctrl+G and --play.
#pragma once

#include "visualizer/export/apng.h"
#include "visualizer/shell/painter.h"

namespace ridge::view {

// `part` of the app's picture, cut from pixels[height][width].
std::vector<Color> cut_out(std::span<const Color> pixels, int width, Rect part);

// Plays from the session's position for the given time or to the end, without a clock: each picture
// advances by the duration of the previous one. Paints into the bound framebuffer, and restores the
// playback.
Animation play_animation(App& app, Painter& painter, int width, int height, Rect part, double seconds);

}  // namespace ridge::view

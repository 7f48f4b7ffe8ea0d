// What a picture shows, in words: the text alternative of a canvas.
#pragma once

#include <string>

#include "visualizer/views/view.h"

namespace ridge::view {

// Describes the shown view of the open trace; empty where the view needs a trace and none is open.
// A cost that is to be predicted is left out.
std::string describe(const Session& session, const View& view);

}  // namespace ridge::view

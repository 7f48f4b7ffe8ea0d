// What a picture shows, in words: the text alternative of a canvas.
#pragma once

#include <string>

#include "visualizer/views/view.h"

namespace ridge::view {

// Of the shown view of the open trace; empty where none is open and the view needs one. Does not
// tell a cost that is to be predicted.
std::string describe(const Session& session, const View& view);

}  // namespace ridge::view

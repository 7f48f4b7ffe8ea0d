// The map of wrong elements as text.
#pragma once

#include <string>

#include "harness/grade/findings/outcome.h"

namespace ridge::report {

// A title with a legend, and the map in lines no longer than `width`. For an array with rows and
// columns adjacent cells are merged; elements in order continue on the next line.
std::string error_map_text(const grade::ErrorMap& map, size_t width);

// An outcome's detail, followed by its map if it has one.
std::string detail_text(const grade::Outcome& outcome, size_t width);

}  // namespace ridge::report

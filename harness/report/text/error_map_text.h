// The map of wrong elements as text.
#pragma once

#include <string>

#include "harness/grade/findings/outcome.h"

namespace ridge::report {

// A title with a legend, and the map in lines no longer than `width`: of an array with rows and columns, cells
// that are beside each other become one; elements in order go on in the next line.
std::string error_map_text(const grade::ErrorMap& map, size_t width);

// An outcome's detail, followed by its map where it has one.
std::string detail_text(const grade::Outcome& outcome, size_t width);

}  // namespace ridge::report

// The texts of the course that belong to a lab or a rung.
#pragma once

#include <filesystem>

#include "harness/course/lab.h"

namespace ridge::course {

// course/chapters/04-tiled-gemm.md; empty: there is none.
std::filesystem::path chapter_of(const Course& course, const std::string& lab);

// course/worklogs/04-*/4-shared-tile.md, what our solution does; empty: there is none. A folder of worklogs is
// known by its lab's number.
std::filesystem::path page_of(const Course& course, const Rung& rung);

}  // namespace ridge::course

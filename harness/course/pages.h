// Finds the pages of the course for a lab or a rung.
#pragma once

#include <filesystem>
#include <string>

#include "harness/course/lab.h"

namespace ridge::course {

// course/chapters/04-tiled-gemm.md; empty when there is none.
std::filesystem::path chapter_of(const Course& course, const std::string& lab);

// The page on our solution, course/worklogs/04-*/4-shared-tile.md; empty when there is none. A
// folder of worklogs is identified by its lab's number.
std::filesystem::path page_of(const Course& course, const Rung& rung);

// The section of the lab's chapter whose heading is "Rung N: ...", up to the next heading of its level;
// empty when the chapter is ordered in another way.
std::string section_of(const Course& course, const Rung& rung);

}  // namespace ridge::course

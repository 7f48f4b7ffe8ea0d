// Finds the rung that teaches the subject of a count.
#pragma once

#include <string_view>

#include "harness/course/lab.h"

namespace ridge::course {

// The first rung whose first gate, its main idea, uses this count; otherwise the first with any
// such gate; nullptr when there is none.
const Rung* lesson_on(const Course& course, std::string_view count);

const Rung* rung_before(const Course& course, const Rung& rung);  // nullptr: it is the first
const Rung* rung_after(const Course& course, const Rung& rung);   // nullptr: it is the last

}  // namespace ridge::course

// Which rung teaches what a count is about.
#pragma once

#include <string_view>

#include "harness/course/lab.h"

namespace ridge::course {

// The first rung whose first gate, its main idea, is on this count; else the first with any gate on it;
// nullptr when there is none.
const Rung* lesson_on(const Course& course, std::string_view count);

const Rung* rung_before(const Course& course, const Rung& rung);  // nullptr: it is the first
const Rung* rung_after(const Course& course, const Rung& rung);   // nullptr: it is the last

}  // namespace ridge::course

// A picture to share: which rungs were climbed, and how near the library each came.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/report/store/store.h"

namespace ridge::report {

inline constexpr int kCardWidth = 1200, kCardHeight = 630;  // what social sites show of a link

struct CardText {
  std::string title;  // "Kernel basics", "The whole course"
  std::string name;   // whose it is; may be empty
  std::string date;   // "21 November 2026"
};

// An SVG document without references to anything outside of it. A bar a rung, as high as its best measured
// percentage of the library; a rung that only the virtual GPU has passed is a dashed outline, for nothing was
// timed there.
std::string card(std::span<const course::Lab* const> labs, const std::map<std::string, RungRecord>& records,
                 const CardText& text);

}  // namespace ridge::report

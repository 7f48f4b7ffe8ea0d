// A picture for sharing: the rungs that passed, with their percentages of the library.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/report/store/store.h"

namespace ridge::report {

inline constexpr int kCardWidth = 1200, kCardHeight = 630;  // size of link previews on social sites

struct CardText {
  std::string title;  // "Kernel basics", "The whole course"
  std::string name;   // the owner's; may be empty
  std::string date;   // "21 November 2026"
};

// An SVG document without external references. One bar per rung, as high as its best measured
// percentage of the library; a rung that passed only on the virtual GPU is a dashed outline,
// because it was not timed.
std::string card(std::span<const course::Lab* const> labs, const std::map<std::string, RungRecord>& records,
                 const CardText& text);

}  // namespace ridge::report

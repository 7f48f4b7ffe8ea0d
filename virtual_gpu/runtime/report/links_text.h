// What the links between devices carried, as a table for people.
#pragma once

#include <string>
#include <vector>

#include "trace/launch_report.h"

namespace ridge::runtime {

std::string links_text(const std::vector<trace::LinkCounts>& links);

}  // namespace ridge::runtime

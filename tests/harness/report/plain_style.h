// How text is shown where tests compare it: no colours, 80 columns.
#pragma once

#include "harness/report/text/terminal.h"

namespace ridge::tests {

inline constexpr report::Style kPlain{.colour = false, .width = 80};

}  // namespace ridge::tests

// The causes of the virtual GPU's findings, and the identifier of the finding for each.
#pragma once

#include <string_view>

namespace ridge::grade {

// The identifier of the finding; the check's general one for a cause without its own.
std::string_view finding_of_cause(std::string_view check, std::string_view cause);

}  // namespace ridge::grade

// The causes of the virtual GPU's findings, and the finding of the table that each is.
#pragma once

#include <string_view>

namespace ridge::grade {

// The identifier of the finding; the check's general one for a cause that has none of its own.
std::string_view finding_of_cause(std::string_view check, std::string_view cause);

}  // namespace ridge::grade

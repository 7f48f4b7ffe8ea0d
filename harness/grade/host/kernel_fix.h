// A rung that gives broken kernels accepts only a fix of them: the rest of the file stays as it is.
#pragma once

#include <optional>
#include <string_view>

#include "harness/course/lab.h"
#include "harness/grade/findings/outcome.h"

namespace ridge::grade {

// WRONG when the code outside of the bodies of kernels differs from that of the rung's solution, or
// one body by more than Rung::changed_tokens names, numbers and signs. Comments and white space do not
// count. Throws std::runtime_error when the solution is missing.
std::optional<Outcome> check_kernel_fix(const course::Rung& rung, std::string_view source);

}  // namespace ridge::grade

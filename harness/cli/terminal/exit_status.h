// The exit statuses of `ridge`, and the exceptions that lead to them.
#pragma once

#include <stdexcept>

namespace ridge::cli {

inline constexpr int kPassed = 0, kNotPassed = 1, kUsage = 2, kMachineLacks = 3;

// Exit 2: the user asked for something that does not exist.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct MachineError : std::runtime_error {  // exit 3: something must be installed, built or freed
  using std::runtime_error::runtime_error;
};

}  // namespace ridge::cli

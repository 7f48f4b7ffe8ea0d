// What `ridge` answers to the shell, and the errors that lead there.
#pragma once

#include <stdexcept>

namespace ridge::cli {

inline constexpr int kPassed = 0, kNotPassed = 1, kUsage = 2, kMachineLacks = 3;

struct UsageError : std::runtime_error {  // exit 2: asked for something that there is not
  using std::runtime_error::runtime_error;
};

struct MachineError : std::runtime_error {  // exit 3: something must be installed, built or made room for
  using std::runtime_error::runtime_error;
};

}  // namespace ridge::cli

// Tells whether untrusted code can be graded on this machine, for programs that must not run it
// without a sandbox.
#pragma once

#include <string>

namespace ridge::grade {

struct SandboxTrial {
  std::string in_force;  // the sandbox of the runner, as a sentence; "" when it did not start
  bool runs_in_bubblewrap = false, compiles_in_bubblewrap = false;
  std::string why_not;  // one sentence with what to do; "" when both are true
};

// Starts the runner once, on the virtual GPU. Respects RIDGE_SANDBOX.
SandboxTrial try_sandbox();

}  // namespace ridge::grade

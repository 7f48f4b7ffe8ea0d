// Whether untrusted code can be graded here: asked by programs that must not run it without a sandbox.
#pragma once

#include <string>

namespace ridge::grade {

struct SandboxTrial {
  std::string in_force;  // what the runner was kept to, in words; "" when it did not start
  bool runs_in_bubblewrap = false, compiles_in_bubblewrap = false;
  std::string why_not;  // one sentence with what to do; "" when both are true
};

// Starts the runner once, on the virtual GPU. RIDGE_SANDBOX is obeyed.
SandboxTrial try_sandbox();

}  // namespace ridge::grade

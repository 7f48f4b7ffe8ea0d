// Tests the sandbox of the runner and of the compiler.
#include "harness/grade/integrity/sandbox_trial.h"

#include <stdexcept>

#include "harness/build/compile.h"
#include "harness/runner/installation.h"
#include "harness/runner/session.h"

namespace ridge::grade {

SandboxTrial try_sandbox() {
  SandboxTrial trial;
  try {
    runner::SessionOptions options;
    options.installation = runner::find_installation();
    options.library_folder = options.installation.virtual_libraries;
    trial.in_force = runner::Session(options).sandbox();
    trial.runs_in_bubblewrap = trial.in_force.starts_with("bubblewrap");
    trial.compiles_in_bubblewrap = build::compiler_is_sandboxed();
  } catch (const std::exception& error) {
    trial.why_not = error.what();
    return trial;
  }
  if (!trial.runs_in_bubblewrap || !trial.compiles_in_bubblewrap)
    trial.why_not =
        std::string(trial.runs_in_bubblewrap ? "nvcc" : "the runner") +
        " does not start in bubblewrap: install the package bubblewrap, and let the kernel allow "
        "namespaces for users (sysctl kernel.unprivileged_userns_clone=1 where it exists)";
  return trial;
}

}  // namespace ridge::grade

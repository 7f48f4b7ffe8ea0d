// A baseline's library lies in the process that runs the student's code while the two take turns, and whoever
// reads /proc or walks the loader's list finds it there and can call it. So what passes against a library is
// timed once more, in a process in which that library has never been and whose files do not hold it.
#pragma once

#include "harness/build/compile.h"
#include "harness/grade/timed.h"

namespace ridge::grade {

struct AloneWork {
  const runner::Installation& installation;
  const build::Compiled& compiled;
  Engine engine = Engine::gpu;
  std::filesystem::path libraries;  // which libcudart.so.13
  std::filesystem::path scratch;
  std::string entry;
  int host_functions = 0;  // runner::Allowed::threads
};

// Does a baseline bring code that does the problem's work?
bool brings_code(std::string_view baseline);

// The same work against a device copy, its answers verified too. `beside` is what was measured with the
// library there.
std::optional<Outcome> time_alone(const AloneWork& alone, TimedWork work, const Measured& beside);

// SUSPECT where the kernel is slower without the library than clocks and chance account for.
std::optional<Outcome> check_time_alone(const Measured& beside, const Measured& alone,
                                        std::string_view library);

}  // namespace ridge::grade

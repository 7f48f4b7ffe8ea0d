// Detects code that calls the baseline's library. While student and baseline alternate, that
// library is in the process of the student's code, which can find it in /proc or in the loader's
// list and call it. A file that passes against a library is therefore timed again in a process that
// never loads that library and whose files do not contain it.
#pragma once

#include <functional>

#include "harness/build/compile.h"
#include "harness/grade/timed.h"

namespace ridge::grade {

struct AloneWork {
  const runner::Installation& installation;
  const build::Compiled& compiled;
  Engine engine = Engine::gpu;
  std::filesystem::path libraries;  // folder of libcudart.so.13
  std::filesystem::path scratch;
  std::string entry;
  int host_functions = 0;  // runner::Allowed::threads
};

// True when a baseline loads code that does the problem's work.
bool brings_code(std::string_view baseline);

// Times the same work against a device copy and verifies its answers. `with_library` is the measurement
// with the library present.
std::optional<Outcome> time_alone(const AloneWork& alone, const TimedWork& work,
                                  const Measured& with_library);

// What `time_in_process` finds; when it is too slow, what the fastest of three processes finds.
std::optional<Outcome> check_processes(const Measured& with_library, std::string_view library,
                                       const std::function<TimedGrade()>& time_in_process);

// SUSPECT when the kernel without the library is slower than clocks and noise explain.
std::optional<Outcome> check_time_alone(const Measured& with_library, const Measured& alone,
                                        std::string_view library);

}  // namespace ridge::grade

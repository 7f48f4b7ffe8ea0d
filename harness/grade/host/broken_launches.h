// A function that reports its first error (HostCode::first_error) is called with broken launches,
// each in a process of its own: after an error of a kernel no further call of a process succeeds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/build/compile.h"
#include "harness/grade/findings/outcome.h"
#include "harness/grade/grade.h"
#include "harness/runner/installation.h"

namespace ridge::grade {

// The lines of a file at which the error of one launch may be reported.
struct LaunchLines {
  int first = 0, last = 0;
};
// One entry for each <<<: from its line to the one before the next launch or copy.
std::vector<LaunchLines> launch_lines(std::string_view source);

struct BrokenLaunches {
  const runner::Installation& installation;
  const build::Compiled& compiled;
  const course::Rung& rung;
  Engine engine = Engine::virtual_gpu;
  std::filesystem::path libraries, scratch;
  uint64_t seed = 0;
  std::function<void(std::string_view)> progress;
};
// WRONG when the error of a broken launch is not reported with its code and line.
std::optional<Outcome> check_broken_launches(const BrokenLaunches& work);

}  // namespace ridge::grade

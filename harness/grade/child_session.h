// Sets up a child that runs a student's file, for grading, benching and counting.
#pragma once

#include "harness/grade/engine_choice.h"
#include "harness/runner/session.h"

namespace ridge::grade {

// The virtual GPU stops a launch that takes longer and names the source line; the parent's limit is
// higher.
inline constexpr int kLaunchLimitSeconds = 6;
inline constexpr double kCallLimitSeconds = 10;

// Creates the folder "child" in `scratch`, the only one in which the child may write; its launches
// are reported in "launches.jsonl" next to it.
runner::SessionOptions child_session(const runner::Installation& installation, Engine engine,
                                     const std::filesystem::path& libraries,
                                     const std::filesystem::path& scratch);

// Gives the child as many virtual devices as the rung's largest number of them.
void add_virtual_devices(const course::Rung& rung, runner::SessionOptions& options);

}  // namespace ridge::grade

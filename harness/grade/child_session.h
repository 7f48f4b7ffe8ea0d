// How a child that runs a student's file is set up, for grading, benching and counting alike.
#pragma once

#include "harness/grade/engine_choice.h"
#include "harness/runner/session.h"

namespace ridge::grade {

// The virtual GPU stops a launch that runs longer and says where it was; the parent's own limit is above it.
inline constexpr int kLaunchLimitSeconds = 6;
inline constexpr double kCallLimitSeconds = 10;

// Makes the folder "child" in `scratch`, in which alone the child may write; its launches are reported in
// "launches.jsonl" beside it.
runner::SessionOptions child_session(const runner::Installation& installation, Engine engine,
                                     const std::filesystem::path& libraries,
                                     const std::filesystem::path& scratch);

}  // namespace ridge::grade

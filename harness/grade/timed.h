// The grade on a GPU: student and baseline in alternating rounds.
#pragma once

#include "harness/grade/correctness.h"
#include "harness/grade/grade.h"
#include "harness/measure/rounds.h"
#include "harness/runner/installation.h"

namespace ridge::grade {

struct TimedGrade {
  std::optional<Fault> fault;  // wrong answers while timed, clocks that disagree
  Measured measured;
  double floor_ms = 0;  // the shortest time the bytes and operations can take; 0: not known
};

// The session must have loaded the student's file.
TimedGrade time_on_gpu(runner::Session& session, const Examination& examination, const course::Rung& rung,
                       const problems::Problem& problem, const runner::Gpu& gpu, uint64_t seed,
                       const std::function<void(std::string_view)>& progress,
                       const measure::RoundLimits& limits = {});

// PASS, GOLD, SLOW or SUSPECT, in words.
Fault judge(const TimedGrade& timed, const course::Target& target);

}  // namespace ridge::grade

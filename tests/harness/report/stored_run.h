// Runs for tests, without a grading.
#pragma once

#include "harness/build/sha256.h"
#include "harness/report/store/store.h"

namespace ridge::tests {

inline const std::string kRung = "01-kernel-basics/1-vector-add";

inline report::Run run_of(const std::string& source, uint64_t seed = 0) {
  return {kRung, report::Origin::student, source, seed};
}

inline grade::Result result_with(grade::Verdict verdict, std::optional<double> percent = {}) {
  grade::Result result;
  result.verdict = verdict;
  result.device = "H200 (virtual)";
  if (percent) {
    result.engine = grade::Engine::gpu;
    result.device = "NVIDIA H200";
    result.measured.emplace().percent = *percent;
  }
  return result;
}

inline report::StoredRun stored_run(int64_t number, const std::string& source,
                                    grade::Verdict verdict = grade::Verdict::wrong) {
  report::StoredRun run;
  run.number = number;
  run.rung = kRung;
  run.source = source;
  run.source_sha256 = build::sha256(source);
  run.verdict = verdict;
  run.at_ms = 1795251997618 + number * 60'000;
  run.device = "H200 (virtual)";
  run.figures = "{}";
  run.conditions = "{}";
  return run;
}

}  // namespace ridge::tests

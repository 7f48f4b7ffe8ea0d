// Runs of a store written by hand.
#pragma once

#include <string>

#include "harness/report/store/store.h"

namespace ridge::view {

// A right run of the naive product. `figures`: JSON, as the store keeps it.
inline report::StoredRun run_with(int64_t number, bool gpu, const std::string& figures) {
  report::StoredRun run;
  run.number = number;
  run.rung = "04-tiled-gemm/1-naive";
  run.verdict = grade::Verdict::pass;
  run.engine = gpu ? grade::Engine::gpu : grade::Engine::virtual_gpu;
  run.device = gpu ? "NVIDIA H200" : "H200 (virtual)";
  run.figures = figures;
  return run;
}

}  // namespace ridge::view

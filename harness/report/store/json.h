// Results as JSON: the output of `ridge grade --json`, and the figures in the store.
//
// {
//   "schema": 1,                      incremented when a field changes its meaning or is removed;
//                                     new fields do not increment it
//   "results": [{
//     "rung": "01-kernel-basics/1-vector-add", "title": "…",
//     "source": "student" | "solution" | "file"; then "file" is its name,
//     "verdict": "PASS",              the verdict in words: COMPILE ERROR, LAUNCH ERROR, WRONG, …
//     "passed": true,
//     "summary": "…", "next": "…", "detail": "…",      sentences for a person
//     "finding": "wrong.last_elements",                the identifier of the finding
//     "error_map": null | { "array", "rows", "columns", "elements_per_cell", "lines" },
//                                     the wrong elements (harness/grade/findings/error_map.h)
//     "engine": "gpu" | "virtual", "device": "NVIDIA H200", "size": "n = 1048576",
//     "seconds": 1.2,                 the whole grading
//     "stages": { "compiling": 0.7, … }   its stages
//     "seed": "c5e5db2661427339",     reproduces the inputs, and these
//     "hidden_sizes": [[1395], ...]
//     "compiler": "13.0" | "clang 19.1.7",   nvcc's CUDA, or clang
//     "registers": 16 | null, "spill_bytes": 0 | null, "shared_bytes": 0,    null: clang compiled
//     "measured": null | {            engine "gpu" only; percent is baseline time / time * 100
//       "time_ms", "baseline_ms", "percent", "percent_low", "percent_high", "gigabytes_per_second",
//       "gigaflops", "rounds", "baseline", "pass_percent", "gold_percent",
//       "target_device": "NVIDIA H200",   where these two were measured
//       "calls_in_a_row": 20,         where given, times are means of a row's calls; then maybe
//       "not_captured": "…",          why the row was not captured in a graph
//       "discarded": 0,               rounds that were discarded because the clock had dropped
//       "throttled": false,           true: it had dropped in most rounds, and all were kept
//       "ungated": false,             true: the host's pace is in the times (harness/measure/rounds.h)
//       "roof": { "percent", "bound": "memory" | "compute" | "overhead", "gigabytes_per_second",
//                 "bandwidth_source": "measured" | "data sheet", "teraflops", "rate_source",
//                 "launch_ms", "memory_ms", "compute_ms" },
//       "second": { "baseline", "time_ms", "times", "times_low", "times_high", "at_least" },
//                                     only of a rung with a second baseline: how many times as fast
//       "library": { "library": "cuBLAS 13.1.0", "chosen", "trials": [{ "name", "time_ms" }] },
//       "gpu": { "watched", "why_not", "warm_up_seconds", "steady", and if watched, from NVML:
//                "sm_mhz_low", "sm_mhz" (median), "sm_mhz_high", "temperature_c", "power_w" (highest),
//                "reasons": ["power cap"], "before", "after" } },
//     "gates": [{ "count", "at_most": 4.5 | null, "at_least": …, "value", "passed", "why" }],
//                                     "skipped": "…" and no value where the count needs machine code
//     "links": { "ideal_bytes", "of": [ { "source", "destination", "kind", "bytes", "requests",
//                "requests_by_sectors" } ] },  (several devices on the virtual GPU)
//     "traffic": { "operations", "useful_bytes", "l1_bytes", "l2_bytes", "dram_bytes",
//                  "peak_teraflops" },   engine "virtual" only: moved by the counted launches
//     "counted_size": "n = 65536",    engine "gpu" only: gates and counts were modelled at this size
//     "counts": [{ "line", "what", "requests", "sectors", "ideal_sectors", "wavefronts",
//                  "ideal_wavefronts" }],
//     "all_counts": { "shared_wavefronts": 131072, ... }   engine "virtual" only: every count of
//                                     harness/measure/counts.h at the rung's virtual_size
//   }]
// }
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "harness/grade/grade.h"

namespace ridge::report {

inline constexpr int kJsonSchema = 1;

struct Graded {
  const course::Rung* rung = nullptr;
  bool solution = false;
  grade::Result result;
  std::string file = {};  // the name of a file that was handed in; empty: the clone's own file
};

const char* engine_name(grade::Engine engine);  // "gpu", "virtual", "auto"
// The columns of the store. Figures: sentences, measurements, gates, counts and resources.
// Conditions: what a replay must find again, and the limits in force.
nlohmann::ordered_json error_map_json(const grade::ErrorMap& map);      // the object "error_map"
grade::ErrorMap error_map_from(const nlohmann::json& json);             // the inverse
nlohmann::ordered_json measured_json(const grade::Measured& measured);  // the object "measured"
std::string figures_json(const grade::Result& result);
std::string conditions_json(const grade::Result& result);
std::string results_json(std::span<const Graded> results);  // indented, with a line feed at the end

}  // namespace ridge::report

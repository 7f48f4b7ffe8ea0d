// Grades one file for one rung on one engine.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/grade/findings/error_map.h"
#include "harness/grade/verdict.h"
#include "harness/measure/roof.h"
#include "harness/measure/rounds.h"
#include "harness/measure/stage_clock.h"

namespace ridge::grade {

enum class Engine { automatic, gpu, virtual_gpu };

struct Request {
  const course::Rung* rung = nullptr;
  std::filesystem::path source;  // the student's file, the solution, or a known-wrong one
  Engine engine = Engine::automatic;
  std::function<void(std::string_view)>
      progress;                  // "compiling", "checking 7 of 19: n = 1000003"; may be empty
  std::optional<uint64_t> seed;  // for replays and tests; otherwise from the operating system
  // Compiled files and the folders of gradings under way; empty: $RIDGE_HOME (or $RIDGE_ROOT, or
  // here)/.ridge/cache.
  std::filesystem::path cache;
  // `ridge trace`: on the virtual GPU, run only the rung's virtual_size, with the access trace
  // (trace/environment.h) written to this file; the verdict is that run's.
  std::optional<std::filesystem::path> trace_file;
  std::string trace_blocks;  // as trace/environment.h has them; empty: the default, and the scene's block
  uint64_t trace_limit_bytes = 0;  // 0: the default
  bool is_solution = false;        // for the trace's notes
  // False: a file whose code is that of the rung's skeleton is NOT STARTED and is not run.
  bool even_untouched = false;
  std::vector<std::filesystem::path> headers = {};  // folders searched after the lab's
  // `ridge check`, of files whose answers are known to be right: on the virtual GPU only what is counted.
  bool counts_only = false;
};

struct GateResult {
  course::Gate gate;
  double value = 0;
  bool passed = false;
};

struct Measured {                       // GPU engine only
  double time_ms = 0, baseline_ms = 0;  // medians, of one call
  double percent = 0, percent_low = 0,
         percent_high = 0;  // baseline / student * 100: median and quartiles of the rounds
  double gigabytes_per_second = 0, gigaflops = 0;
  int rounds = 0;
  std::string baseline;  // "device copy, 4265 GB/s"
  // What the device can do (each rate measured in this run or from the data sheet) and how near the kernel
  // is.
  measure::Roofs roofs{};
  measure::RoofPlace place{};
  runner::BaselineReport library{};  // the baseline's version, and what it chose among
  measure::GpuRecord gpu{};          // clocks, temperature, power
  int discarded = 0;                 // rounds thrown away because the clock had dropped in them
  bool throttled = false;            // it had in so many that all were kept
  bool ungated = false;              // measure::Timing::ungated
};

// What the counted launches moved, and what they were for: the roofline of a run without a GPU.
struct Traffic {
  double operations = 0, useful_bytes = 0;            // the problem's own: what the size asks for
  double l1_bytes = 0, l2_bytes = 0, dram_bytes = 0;  // counted; l1: trace::l1_path_bytes
  double peak_tflops = 0;  // of the data sheet, for operations of this type; 0: not known
};

struct CountRow {  // one source line of the learner's, virtual GPU only
  uint32_t line = 0;
  std::string what;  // "global load"
  uint64_t requests = 0, sectors = 0, ideal_sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
};

// What a replay must find again besides the source, the seed and the engine; where it does not, this says why
// it may come out differently.
struct Conditions {
  std::string toolkit;             // "13.0"; empty: nothing was compiled
  std::vector<std::string> flags;  // nvcc's
  std::string headers_sha256;      // of the headers beside the file
  std::string device_asked;        // what the virtual GPU was told to be: --as; empty: its default
  std::vector<std::vector<int64_t>> hidden_sizes;  // drawn from the seed
};

struct Result {
  Verdict verdict = Verdict::skipped;
  std::string summary;       // one sentence: what happened, with the numbers
  std::string next;          // one sentence: what to do next
  std::string detail;        // further lines: nvcc's message, first mismatches, the virtual GPU's finding
  std::string finding = {};  // the identifier of what was found, in findings/finding_texts.cpp
  std::optional<ErrorMap> error_map = {};
  Engine engine = Engine::virtual_gpu;  // the one used
  std::string device;                   // "NVIDIA H200" or "H200 (virtual)"
  std::string size;                     // "n = 1048576"
  std::optional<Measured> measured;
  // Modelled: of a grade on the virtual GPU, or, with a size of its own, counted beside a measured one.
  std::vector<GateResult> gates;
  std::vector<CountRow> counts;
  // Every count of harness/measure/counts.h at virtual_size, for those who choose a gate's limits.
  std::vector<std::pair<std::string, double>> all_counts = {};
  std::string counted_size = {};                 // "n = 1048576", where counts stand beside what was measured
  std::vector<std::string> far_from_ideal = {};  // counts that no gate asks for: a rung may teach the cure
  std::optional<Traffic> traffic = {};           // virtual GPU only
  uint32_t registers = 0, spill_bytes = 0, shared_bytes = 0;  // of the kernel with the most registers
  double seconds = 0;                                         // the whole grading
  std::vector<measure::StageTime> stages = {};                // what the seconds went into
  uint64_t seed = 0;   // draws the same hidden sizes and inputs again (Request::seed)
  int cases = 0;       // sizes that were checked for right answers
  std::string source;  // the text that was compiled: the file may have been saved again since
  Conditions conditions;
  std::string sandbox;  // what the code was kept to, in words; "" when it did not run
};

// Never throws for anything the student's file does; throws for a broken installation (no runner, no nvcc).
Result grade(const Request& request);

}  // namespace ridge::grade

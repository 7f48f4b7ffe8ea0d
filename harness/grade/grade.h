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
#include "trace/launch_report.h"

namespace ridge::grade {

enum class Engine { automatic, gpu, virtual_gpu };

struct Request {
  const course::Rung* rung = nullptr;
  std::filesystem::path source;  // the student's file, the solution, or a known-wrong file
  Engine engine = Engine::automatic;
  std::function<void(std::string_view)>
      progress;                  // "compiling", "checking 7 of 19: n = 1000003"; may be empty
  std::optional<uint64_t> seed;  // for replays and tests; otherwise drawn by the operating system
  // Folder of compiled files and of running gradings; empty: $RIDGE_HOME (or $RIDGE_ROOT, or the
  // current folder)/.ridge/cache.
  std::filesystem::path cache;
  // For `ridge trace`: on the virtual GPU, run only the rung's virtual_size and write the access
  // trace (trace/environment.h) to this file; the verdict is that of this run.
  std::optional<std::filesystem::path> trace_file;
  std::string trace_blocks;  // as in trace/environment.h; empty: the default and the scene's block
  uint64_t trace_limit_bytes = 0;  // 0: the default
  bool is_solution = false;        // for the trace's notes
  // False: a file with the code of the rung's skeleton is NOT STARTED and is not run.
  bool even_untouched = false;
  std::vector<std::filesystem::path> headers = {};  // folders searched after the lab's
  // For `ridge check` with files whose answers are known to be right: on the virtual GPU run only
  // the counted calls.
  bool counts_only = false;
};

struct GateResult {
  course::Gate gate;
  double value = 0;
  bool passed = false;
  std::string skipped = {};  // why there is no value; the gate then counts as passed
};

// The rung's second baseline, timed in the same rounds.
struct SecondMeasured {
  std::string baseline;  // "unfused kernels"
  double time_ms = 0;    // median of single calls
  double times = 0, times_low = 0, times_high = 0;  // baseline / student: median and quartiles
  double at_least = 0;                              // what passes
};

struct Measured {                       // set on a GPU only
  double time_ms = 0, baseline_ms = 0;  // medians of single calls
  double percent = 0, percent_low = 0,
         percent_high = 0;  // baseline / student * 100: median and quartiles over rounds
  double gigabytes_per_second = 0, gigaflops = 0;
  int rounds = 0;
  int in_a_row = 1;      // calls of a sample; above 1, a time is the mean of a row's calls
  // Why the calls of a row were queued one by one and not captured in a graph; "": they were.
  std::string not_captured = "";
  std::string baseline;  // "device copy, 4265 GB/s"
  // The device's peak rates (each measured in this run or from the data sheet) and how close the
  // kernel is.
  measure::Roofs roofs{};
  measure::RoofPlace place{};
  runner::BaselineReport library{};  // version of the baseline's library, and its candidates
  measure::GpuRecord gpu{};          // clocks, temperature, power
  int discarded = 0;                 // rounds that were discarded because the clock had dropped
  bool throttled = false;            // the clock dropped in so many rounds that all were kept
  bool ungated = false;              // measure::Timing::ungated
  std::optional<SecondMeasured> second = {};
  course::Target target = {};  // that the verdict follows from; pass 0: none, as in a benchmark
};

// Bytes that the counted launches moved, and the operations of the problem: the roofline of a run
// without a GPU.
struct Traffic {
  double operations = 0, useful_bytes = 0;            // of the problem at this size
  double l1_bytes = 0, l2_bytes = 0, dram_bytes = 0;  // counted; l1: trace::l1_path_bytes
  double peak_tflops = 0;  // from the data sheet, for operations of this type; 0: unknown
};

// What crossed the links between devices in the counted call: its launches and copies.
struct LinkUse {
  std::vector<trace::LinkCounts> links;
  uint64_t ideal_bytes = 0;  // that each device must send
  std::string ideal_formula;
};

struct CountRow {  // one line of the student's source, virtual GPU only
  uint32_t line = 0;
  std::string what;  // "global load"
  uint64_t requests = 0, sectors = 0, ideal_sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
};

// The conditions that a replay must find again besides the source, the seed and the engine. If they
// differ, they explain a different result.
struct Conditions {
  std::string toolkit;             // "13.0"; empty: nothing was compiled
  std::vector<std::string> flags;  // flags of nvcc
  std::string headers_sha256;      // hash of the headers next to the file
  // Device requested for the virtual GPU with --as; empty: its default.
  std::string device_asked;
  std::vector<std::vector<int64_t>> hidden_sizes;  // drawn from the seed
};

struct Result {
  Verdict verdict = Verdict::skipped;
  std::string summary;       // one sentence: what happened, with the numbers
  std::string next;          // one sentence: what to do next
  // Further lines: nvcc's message, first mismatches, the virtual GPU's finding.
  std::string detail;
  std::string finding = {};  // an identifier of findings/finding_texts.cpp
  std::optional<ErrorMap> error_map = {};
  Engine engine = Engine::virtual_gpu;  // the engine that was used
  std::string device;                   // "NVIDIA H200" or "H200 (virtual)"
  std::string size;                     // "n = 1048576"
  std::optional<Measured> measured;
  // From the virtual GPU: of a grade on it, or counted for a measured grade at a size of its own.
  std::vector<GateResult> gates;
  std::vector<CountRow> counts;
  // Every count of harness/measure/counts.h at virtual_size, for choosing the limits of gates.
  std::vector<std::pair<std::string, double>> all_counts = {};
  // "n = 1048576", when counts accompany a measured grade.
  std::string counted_size = {};
  // Counts without a gate; another rung may teach the remedy.
  std::vector<std::string> far_from_ideal = {};
  std::optional<Traffic> traffic = {};           // virtual GPU only
  std::optional<LinkUse> links = {};             // the same, if devices exchanged data
  uint32_t registers = 0, spill_bytes = 0, shared_bytes = 0;  // of the kernel with the most registers
  double seconds = 0;                                         // duration of the grading
  std::vector<measure::StageTime> stages = {};                // duration of its stages
  uint64_t seed = 0;   // reproduces hidden sizes and inputs (Request::seed)
  int cases = 0;       // sizes whose answers were checked
  std::string source;  // the compiled text; the file may have been saved again since
  Conditions conditions;
  std::string sandbox;  // the sandbox in force, as a sentence; "" when the code did not run
};

// Never throws because of the student's file; throws for a broken installation (no runner, no
// nvcc).
Result grade(const Request& request);

}  // namespace ridge::grade

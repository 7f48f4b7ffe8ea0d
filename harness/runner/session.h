// The parent's side of one child: loads a compiled file, runs cases, times rounds. Errors of the
// student's code are returned as a Failure; only a broken installation throws.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "harness/problems/inputs.h"
#include "harness/runner/baselines.h"
#include "harness/runner/child_process.h"
#include "harness/runner/inspection.h"
#include "harness/runner/installation.h"
#include "harness/runner/messages.h"
#include "harness/runner/process_usage.h"
#include "harness/runner/sandbox_choice.h"
#include "harness/runner/shared_memory.h"

namespace ridge::runner {

struct Failure {
  // load: the shared object could not be opened, or lacks the function. setup: the runner's own
  // CUDA call failed, mostly for lack of memory. launch, run: the student's call failed. ended: see
  // `end`. missing: the baseline needs a library that is not installed; `name` is the library,
  // `text` says how to get it.
  enum class Stage { load, setup, launch, run, ended, missing };
  Stage stage = Stage::run;
  int code = 0;      // cudaError_t
  std::string name;  // "cudaErrorIllegalAddress"
  std::string text;
  ChildEnd end;  // for stage ended
  // launch, run: the student's first call that returned an error, if calls were observed. Later
  // errors are consequences of it.
  struct RefusedCall {
    std::string call;  // "cudaFree"
    int code = 0;
    std::string name;  // "cudaErrorInvalidValue"
    bool freed_twice = false;
  };
  std::optional<RefusedCall> refused = {};
};

// One buffer as the child returned it, in the shared memory; valid until the next command.
struct Returned {
  std::span<const std::byte> before, data, after;
  int64_t first = 0;  // offset of `data` in the buffer: 0, or the beginning of a window on an input
};

inline constexpr int64_t kInputWindowBytes = 1 << 20;

// What was observed of a function that does its host work itself (child/calls/host_calls.h).
struct HostCalls {
  std::string ahead;  // the call that copied a result back before a kernel could have written it
  bool launched = false;  // ... although one had been launched
  std::string left;       // the call whose work the function did not wait for
  bool waits = false, copied_back = false;
  int64_t unfreed = 0, unfreed_bytes = 0;
  // The first launch was followed by an event or a wait, and then by another launch.
  bool warmed_up = false;
  std::vector<double> launch_ms;  // of each launch, where the function is to measure its kernel
  // Milliseconds and launches between two events whose time the function asked for.
  std::vector<std::pair<double, int>> spans;
  int error = 0;           // the first error of its calls or of its work: cudaError_t
  std::string error_name;  // "cudaErrorInvalidValue"
};

struct CaseRun {
  std::vector<Returned> buffers;
  double device_ms = 0, host_ms = 0;
  // Device addresses of the buffers, reported by the child; only for pictures.
  std::vector<uint64_t> addresses;
  // The call that queued work on another stream without a wait before the function returned; "":
  // none.
  std::string left_running = {};
  bool left_on_default_stream = false;  // that stream is a default one
  // What the call allocated and did not free: blocks and bytes.
  std::array<uint64_t, 2> left_allocated = {};
  std::optional<HostCalls> host_calls = {};  // of a problem in host memory
};

struct PassRun {
  std::vector<double> device_ms, host_ms;  // one per slot, or one per row of slots
  double parent_ms = 0;  // from the command to the answer, by our own clock; 0: not measured
  std::string not_captured = {};  // why the rows were not captured in graphs; "": they were
};

enum class Side { baseline, student, second };  // second: the second baseline

// What is to be timed: rotating sets of one problem and size, and the baselines.
struct Preparation {
  std::span<const problems::Case> sets;  // gigabytes, so they are not copied
  std::string baseline;  // a name of harness/runner/baselines.h
  std::filesystem::path timing_module,
      baseline_module;  // compiled (harness/runner/modules.h), or empty
  std::string second = {};  // a second baseline, or empty
  std::filesystem::path second_module = {};
  std::function<void()> inputs_are_shared = {};  // called before the child begins; may be empty
  // Above 1: a pass times rows of so many slots, which divide the number of sets. `capture`: a row is
  // captured in a graph if it can be.
  int in_a_row = 1;
  bool capture = true;
};

// Rates of the device, measured in the same run as the student's kernel; 0: not measured.
struct MeasuredRoofs {
  double copy_gb_per_s = 0, launch_ms = 0, fp32_tflops = 0;
  double read_gb_per_s = 0;
};

struct SessionOptions {
  Installation installation;
  std::filesystem::path library_folder;  // contains libcudart.so.13
  // The child's working folder, the only one that it may write; must exist.
  std::filesystem::path scratch;
  // Launch reports, which the child cannot access; empty: none are kept.
  std::filesystem::path report_file;
  std::vector<std::filesystem::path> readable;  // the compiled files to be loaded
  std::vector<std::filesystem::path> hidden;    // files of the system that the child must not find
  bool gpu = false;                             // on a real GPU
  bool loopback = false;                        // allow the loopback network, in bubblewrap only
  int64_t most_memory_bytes = most_host_memory(), most_folder_bytes = int64_t{2} << 30;
  std::vector<std::pair<std::string, std::string>> environment;
  int64_t guard_bytes = 0;         // a multiple of 256
  double call_limit_seconds = 10;  // wall clock for one command
};

class Session {
 public:
  // Starts the child with the strongest sandbox that works here. Throws std::runtime_error when it
  // cannot be started or finds no device.
  explicit Session(const SessionOptions& options);

  // The object must be one of SessionOptions::readable, or below one; throws std::logic_error
  // otherwise.
  std::optional<Failure> load(const std::filesystem::path& object, const std::string& entry,
                              const problems::Problem& problem);
  // `profiled`: between cudaProfilerStart and Stop, which marks its launches in the report.
  std::variant<CaseRun, Failure> run_case(const problems::Case& given, bool profiled);

  std::variant<BaselineReport, Failure> prepare(const Preparation& wanted);
  // One call per slot; slot i holds the data of set order[i]. Gated: the times exclude the host's
  // pace. Watched slots, in rows only: their calls get their inputs late, by a kernel before them in
  // the streams, at most one in a row, and collect() returns their outputs as they are when the call
  // should have ended; the times say nothing.
  std::variant<PassRun, Failure> pass(Side side, const std::vector<size_t>& order, bool gated,
                                      const std::vector<size_t>& watched = {});
  // Replaces the inputs of some prepared sets by others of the same sizes: `changed` are indices of
  // `sets`.
  std::optional<Failure> renew(std::span<const problems::Case> sets, const std::vector<size_t>& changed);
  // The buffers of a slot after a pass: written buffers completely; of each input at most
  // kInputWindowBytes, from `first_of_input` (a fraction of its size, 0 to 1) on.
  std::variant<std::vector<Returned>, Failure> collect(size_t slot, double first_of_input);
  std::variant<MeasuredRoofs, Failure> roofs();

  // Compares the child with its state before the file was loaded (inspection.h).
  std::string what_changed(const Allowed& allowed) const;

  const std::string& device() const { return device_; }
  int64_t l2_bytes() const { return l2_bytes_; }
  int64_t free_bytes() const { return free_bytes_; }
  std::string printed() const { return child_->printed(); }
  // The sandbox of the child in words: "bubblewrap: no network, ...".
  const std::string& sandbox() const { return sandbox_; }
  const std::string& pci_bus_id() const { return pci_bus_id_; }  // "0000:0B:00.0"; "" when unknown

 private:
  // "" when the child answers from inside the sandbox, otherwise why it does not.
  std::string start_in(const SandboxChoice& choice, const SessionOptions& options);
  std::variant<nlohmann::json, Failure> ask(nlohmann::json command, double limit_seconds);
  std::vector<Returned> view(const std::vector<BufferPlan>& plans) const;
  void write_inputs(const problems::Case& given, const std::vector<BufferPlan>& plans);

  SharedMemory memory_;
  std::unique_ptr<ChildProcess> child_;
  int64_t guard_bytes_;
  double call_limit_seconds_;
  size_t in_a_row_ = 1;
  std::vector<std::vector<BufferPlan>> set_plans_;
  std::string device_, pci_bus_id_, sandbox_;
  std::vector<std::filesystem::path> readable_;
  ProcessSnapshot before_;
  std::string object_;
  int64_t l2_bytes_ = 0, free_bytes_ = 0;
};

}  // namespace ridge::runner

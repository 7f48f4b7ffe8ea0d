// The parent's side of one child: load a compiled file, run cases, time rounds. What the student's code does
// wrong comes back as a Failure; only a broken installation throws.
#pragma once

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
  // load: the shared object could not be opened, or exports no such function. setup: the runner's own CUDA
  // call failed, mostly for want of memory. launch, run: the student's. ended: see `end`. missing: a library
  // that the baseline needs is not on this machine; `name` is the library, `text` says how to get it.
  enum class Stage { load, setup, launch, run, ended, missing };
  Stage stage = Stage::run;
  int code = 0;      // cudaError_t
  std::string name;  // "cudaErrorIllegalAddress"
  std::string text;
  ChildEnd end;  // stage ended
  // launch, run: the student's first call that the runtime refused, where it was seen. Later errors follow from it.
  struct RefusedCall {
    std::string call;  // "cudaFree"
    int code = 0;
    std::string name;  // "cudaErrorInvalidValue"
    bool freed_twice = false;
  };
  std::optional<RefusedCall> refused = {};
};

// One buffer as the child returned it, in the shared memory: valid until the next command.
struct Returned {
  std::span<const std::byte> before, data, after;
  int64_t first = 0;  // byte of the buffer at which `data` begins: a whole buffer, or a window on an input
};

inline constexpr int64_t kInputWindowBytes = 1 << 20;

struct CaseRun {
  std::vector<Returned> buffers;
  double device_ms = 0, host_ms = 0;
  std::vector<uint64_t> addresses;  // of the buffers on the device; for pictures: the child says so
  // The call that queued work on another stream, which nobody had waited for when the function returned; "": none.
  std::string left_running = {};
};

struct PassRun {
  std::vector<double> device_ms, host_ms;  // one a slot
  double parent_ms = 0;  // from the command to the answer, by our own clock; 0: nobody looked
};

// What is to be timed: sets that rotate, all of one problem and one size, and what they are timed against.
struct Preparation {
  std::span<const problems::Case> sets;  // gigabytes: they stay where they are
  std::string baseline;  // a name of harness/runner/baselines.h
  std::filesystem::path timing_module,
      baseline_module;  // compiled (harness/runner/modules.h), or empty
  std::function<void()> inputs_are_shared = {};  // called before the child begins; may be empty
};

// What the device can do, measured beside the student's kernel; 0: not measured.
struct MeasuredRoofs {
  double copy_gb_per_s = 0, launch_ms = 0, fp32_tflops = 0;
  double read_gb_per_s = 0;
};

struct SessionOptions {
  Installation installation;
  std::filesystem::path library_folder;  // which libcudart.so.13
  std::filesystem::path scratch;      // the child's working folder, where alone it may write; it must exist
  std::filesystem::path report_file;  // launch reports, which the child cannot reach; empty: none are kept
  std::vector<std::filesystem::path> readable;  // the compiled files that are to be loaded
  std::vector<std::filesystem::path> hidden;    // files of the system that the child is not to find
  bool gpu = false;                             // a real one
  int64_t most_memory_bytes = most_host_memory(), most_folder_bytes = int64_t{2} << 30;
  std::vector<std::pair<std::string, std::string>> environment;
  int64_t guard_bytes = 0;         // a multiple of 256
  double call_limit_seconds = 10;  // wall clock for one command
};

class Session {
 public:
  // Starts the child with the strongest sandbox that works here. Throws std::runtime_error when it cannot be
  // started or finds no device.
  explicit Session(const SessionOptions& options);

  // The object must be one of SessionOptions::readable, or below one: throws std::logic_error otherwise.
  std::optional<Failure> load(const std::filesystem::path& object, const std::string& entry,
                              const problems::Problem& problem);
  // `profiled`: between cudaProfilerStart and Stop, so that its launches can be told from others in the
  // report.
  std::variant<CaseRun, Failure> run_case(const problems::Case& given, bool profiled);

  std::variant<BaselineReport, Failure> prepare(const Preparation& wanted);
  // One call for every slot; slot i holds the data of set order[i]. Gated: without the host's pace in the
  // times.
  std::variant<PassRun, Failure> pass(bool student, const std::vector<size_t>& order, bool gated);
  // Other inputs, of the same sizes, for some of the sets that were prepared: `changed` are indices of `sets`.
  std::optional<Failure> renew(std::span<const problems::Case> sets, const std::vector<size_t>& changed);
  // The buffers of a slot, after a pass: what was written in whole, of each input the bytes from `first_of_input`
  // (a fraction of its size, 0 to 1) on, kInputWindowBytes at most.
  std::variant<std::vector<Returned>, Failure> collect(size_t slot, double first_of_input);
  std::variant<MeasuredRoofs, Failure> roofs();

  // Holds what can be seen of the child against what was there before the file was loaded (inspection.h).
  std::string what_changed(const Allowed& allowed) const;

  const std::string& device() const { return device_; }
  int64_t l2_bytes() const { return l2_bytes_; }
  int64_t free_bytes() const { return free_bytes_; }
  std::string printed() const { return child_->printed(); }
  // What confines the child, in words: "bubblewrap: no network, ...".
  const std::string& sandbox() const { return sandbox_; }
  const std::string& pci_bus_id() const { return pci_bus_id_; }  // "0000:0B:00.0"; "" when it is not known

 private:
  // "" when the child greets from within the sandbox, or why it does not.
  std::string start_in(const SandboxChoice& choice, const SessionOptions& options);
  std::variant<nlohmann::json, Failure> ask(nlohmann::json command, double limit_seconds);
  std::vector<Returned> view(const std::vector<BufferPlan>& plans) const;
  void write_inputs(const problems::Case& given, const std::vector<BufferPlan>& plans);

  SharedMemory memory_;
  std::unique_ptr<ChildProcess> child_;
  int64_t guard_bytes_;
  double call_limit_seconds_;
  std::vector<std::vector<BufferPlan>> set_plans_;
  std::string device_, pci_bus_id_, sandbox_;
  std::vector<std::filesystem::path> readable_;
  ProcessSnapshot before_;
  std::string object_;
  int64_t l2_bytes_ = 0, free_bytes_ = 0;
};

}  // namespace ridge::runner

#include "harness/grade/grade.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "harness/build/compile.h"
#include "harness/grade/child_session.h"
#include "harness/grade/correctness.h"
#include "harness/grade/diagnosis/no_text_file.h"
#include "harness/grade/diagnosis/not_started.h"
#include "harness/grade/engine_choice.h"
#include "harness/grade/findings/compile_outcome.h"
#include "harness/grade/gates/counted.h"
#include "harness/grade/gates/counted_grade.h"
#include "harness/grade/gates/other_order.h"
#include "harness/grade/gates/virtual_counts.h"
#include "harness/grade/host/broken_launches.h"
#include "harness/grade/host/kernel_fix.h"
#include "harness/grade/integrity/scan.h"
#include "harness/grade/scratch_folder.h"
#include "harness/grade/timed.h"
#include "harness/grade/timed_alone.h"
#include "harness/grade/trace_of_grading.h"
#include "harness/measure/counts.h"
#include "text/whole_file.h"
#include "trace/environment.h"

namespace ridge::grade {

namespace {

constexpr int64_t kMostVirtualElements = 1 << 24;

class Grading {
 public:
  explicit Grading(const Request& request)
      : request_(request), rung_(*request.rung), problem_(problems::find_problem(rung_.problem)) {}

  Result run() {
    auto start = std::chrono::steady_clock::now();
    result_.seed = request_.seed ? *request_.seed : secret_seed();
    check_rung();
    work();
    result_.stages = stages_.times();
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  static uint64_t secret_seed() {
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
      throw std::runtime_error("the system gives no random bytes");
    return seed;
  }

  // Errors in the course are not the student's fault.
  void check_rung() const {
    auto check = [&](const problems::Sizes& sizes) {
      if (std::string complaint = problems::complaint_about(problem_, sizes); !complaint.empty())
        throw std::runtime_error(fmt::format("rung {}: {}", rung_.path(), complaint));
    };
    if (rung_.devices.empty() == problem_.on_ranks)
      throw std::runtime_error(fmt::format("rung {}: the problem {} is {} several devices, and the rung's \"devices\" {}",
                                           rung_.path(), problem_.id, problem_.on_ranks ? "for" : "not for",
                                           rung_.devices.empty() ? "is missing" : "is given"));
    for (const problems::Sizes& sizes : rung_.sizes)
      check(sizes);
    check(rung_.virtual_size);
    if (rung_.is_timed()) check(rung_.gpu_size);
    for (const course::Gate& gate : rung_.gates) {
      measure::find_count(gate.count);
      if (!gate.at_size.empty()) check(gate.at_size);
    }
    if (!rung_.is_timed()) return;
    for (const std::string& baseline : {rung_.baseline, rung_.second.name})
      if (!baseline.empty() && !runner::find_baseline(baseline).does(problem_.id))
        throw std::runtime_error(fmt::format("rung {}: the baseline {} cannot do the problem {}", rung_.path(),
                                             baseline, problem_.id));
  }

  // After the answers were found to be right, every further progress line begins with that.
  void progress(std::string_view text) const {
    if (request_.progress) request_.progress(known_ + std::string(text));
  }

  void set(Outcome outcome) {
    result_.verdict = outcome.verdict;
    result_.finding = std::move(outcome.finding);
    result_.summary = std::move(outcome.summary);
    result_.next = std::move(outcome.next);
    result_.detail = std::move(outcome.detail);
    result_.error_map = std::move(outcome.error_map);
  }

  // Nothing is compiled and no device is searched. A trace is made from any file.
  bool is_not_started() {
    std::error_code gone;
    if (request_.even_untouched || request_.trace_file ||
        !std::filesystem::is_regular_file(request_.source, gone))
      return false;
    const std::string source = text::read_file(request_.source);
    const std::filesystem::path root = rung_.skeleton.parent_path().parent_path().parent_path();
    const bool own = request_.source == rung_.skeleton;
    const std::string shown =
        (own ? request_.source.lexically_relative(root) : request_.source).generic_string();
    const auto outcome = not_started(rung_, source, shown);
    if (!outcome) return false;
    set(*outcome);
    result_.source = source;
    return true;
  }

  bool on_gpu() const { return choice_.engine == Engine::gpu; }

  std::vector<std::filesystem::path> include_folders() const {
    std::vector<std::filesystem::path> folders = rung_.include_folders();
    folders.insert(folders.end(), request_.headers.begin(), request_.headers.end());
    return folders;
  }

  // Compiles the file and looks for what no file may ask for. false: the verdict is set.
  bool compiles(const std::filesystem::path& cache) {
    progress("compiling");
    stages_.enter("compiling");
    compiled_ = build::compile(request_.source, cache, choice_.architecture, include_folders());
    result_.source = compiled_.from.source;
    result_.conditions.toolkit = compiled_.from.toolkit;
    result_.conditions.flags = compiled_.from.flags;
    result_.conditions.headers_sha256 = compiled_.from.headers_sha256;
    if (!compiled_.ok) {
      set(outcome_of_compile(compiled_, rung_.include_folders()));
      return false;
    }
    for (const build::KernelResources& kernel : compiled_.kernels) {
      if (kernel.registers < result_.registers) continue;
      result_.registers = kernel.registers;
      result_.spill_bytes = kernel.spill_store_bytes + kernel.spill_load_bytes;
      result_.shared_bytes = kernel.shared_bytes;
    }
    auto suspicion = scan(compiled_, rung_);
    if (!suspicion && rung_.changed_tokens > 0)
      suspicion = check_kernel_fix(rung_, compiled_.from.source);
    if (suspicion) set(*suspicion);
    return !suspicion;
  }

  void work() {
    if (is_not_started()) return;
    runner::Installation installation = runner::find_installation();
    stages_.enter("device");
    choice_ = choose_engine(request_.trace_file ? Engine::virtual_gpu : request_.engine, installation,
                            rung_.devices);
    result_.engine = choice_.engine;
    if (!choice_.why_not.empty()) {
      set(outcome_with({"skipped.no_gpu_to_grade", {{"why", choice_.why_not}}}));
      return;
    }
    const char* asked = std::getenv(trace::kDeviceVariable);
    if (asked && !on_gpu()) result_.conditions.device_asked = asked;
    result_.device = choice_.gpu ? choice_.gpu->name : "virtual";
    std::filesystem::path cache = cache_folder(request_.cache);
    if (!std::filesystem::is_regular_file(request_.source)) {
      const bool skeleton = request_.source == rung_.skeleton;
      set(outcome_with({skeleton ? "skipped.no_skeleton" : "skipped.no_file",
                        {{"file", request_.source.string()}, {"rung", rung_.path()}}}));
      return;
    }
    if (const auto no_text = no_text_file(text::read_file(request_.source))) return set(*no_text);
    if (!compiles(cache)) return;
    ScratchFolder scratch(cache);
    runner::SessionOptions options = session_options(installation, scratch.path());
    options.readable.push_back(compiled_.object);
    if (on_gpu() && rung_.is_timed()) {
      modules_ = compile_modules(rung_.baseline, cache, choice_.architecture, rung_.second.name);
      for (const std::filesystem::path& file : modules_.files())
        options.readable.push_back(file);
    }
    stages_.enter("starting the runner");
    std::optional<runner::Session> started(std::in_place, options);
    runner::Session& session = *started;
    result_.sandbox = session.sandbox();
    if (on_gpu()) result_.device = session.device();
    stages_.enter("correctness");
    CaseChecker checker(session, options.report_file, kCallLimitSeconds,
                        learner_source(),
                        compiled_.object);
    try {
      if (auto failure = session.load(compiled_.object, rung_.entry, problem_))
        set(outcome_of_load(*failure, kCallLimitSeconds));
      else
        examine_file(session, checker, options.report_file);
      // Inspect again: when a GPU timed the file, the timing module and the baseline's library were
      // loaded meanwhile.
      if (passed(result_.verdict)) inspect(session, on_gpu());
    } catch (const nlohmann::json::exception&) {
      // The reply had our token but the wrong format: something else wrote it.
      set(outcome_with({"suspect.reply"}));
    }
    if (passed(result_.verdict) && problem_.host_code == problems::HostCode::first_error && !request_.trace_file) {
      stages_.enter("broken launches");
      if (auto wrong = check_broken_launches({installation, compiled_, rung_, choice_.engine, choice_.libraries,
                                              scratch.path(), result_.seed,
                                              [this](std::string_view text) { progress(text); }}))
        set(*wrong);
    }
    if (passed(result_.verdict) && !on_gpu() && !rung_.other_order.empty() &&
        !request_.trace_file && !request_.counts_only) {
      stages_.enter("another order of blocks");
      progress("running the blocks in another order");
      if (auto wrong = check_other_order({installation, compiled_, rung_, choice_.libraries,
                                          scratch.path(), result_.seed, learner_source()}))
        set(*wrong);
    }
    const std::string printed = session.printed();
    stages_.enter("ending the runner");
    started.reset();  // frees its memory on the device
    if (on_gpu() && rung_.is_timed() && passed(result_.verdict) && brings_code(rung_.baseline)) {
      stages_.enter("timing without the library");
      time_without_library(installation, scratch.path());
    }
    const bool right = passed(result_.verdict) || result_.verdict == Verdict::slow;
    if (on_gpu() && right) {
      progress("counting on the virtual GPU");
      stages_.enter("counting on the virtual GPU");
      const VirtualCounts counted =
          count_on_virtual_gpu(installation, compiled_, rung_, ~result_.seed, scratch.path());
      add_virtual_counts(counted, rung_, result_);
      if (!rung_.is_timed()) judge_by_counts(counted);
    }
    keep_trace(request_, options.scratch, result_, checker.addresses());
    if (!choice_.too_few.empty()) {
      if (!result_.detail.empty() && result_.detail.back() != '\n') result_.detail += '\n';
      result_.detail += choice_.too_few + "\n";
    }
    if (!printed.empty()) {
      if (!result_.detail.empty() && result_.detail.back() != '\n') result_.detail += '\n';
      result_.detail += "your program printed:\n" + printed;
    }
  }

  // Without a time, the counts decide on a GPU, too.
  void judge_by_counts(const VirtualCounts& counted) {
    if (counted.outcome)
      set(*counted.outcome);
    else if (auto slow = outcome_of_gates(result_.gates, counted.launches, result_.source))
      set(*slow);
  }

  LearnerSource learner_source() const {
    return LearnerSource(request_.source, compiled_.from.source, include_folders());
  }

  int host_functions() const { return on_gpu() && runs_host_functions(compiled_) ? 1 : 0; }

  // NCCL keeps threads: five of them without a name for two GPUs. time_without_library times the
  // file in a process without them, which is inspected, too.
  int library_threads() const {
    constexpr int kPerDevice = 4;
    const bool nccl = on_gpu() && rung_.is_timed() && runner::find_baseline(rung_.baseline).library == &runner::kNccl;
    return nccl ? kPerDevice * choice_.devices : 0;
  }

  void time_without_library(const runner::Installation& installation,
                            const std::filesystem::path& scratch) {
    const AloneWork alone{installation, compiled_,   choice_.engine,  choice_.libraries,
                          scratch,      rung_.entry, host_functions()};
    if (auto doubt = time_alone(alone, timed_work(), *result_.measured)) set(*doubt);
  }

  // false: the verdict is SUSPECT.
  bool inspect(runner::Session& session, bool libraries_allowed) {
    stages_.enter("inspecting the process");
    const int threads = host_functions() + (libraries_allowed ? library_threads() : 0);
    std::string change = session.what_changed({libraries_allowed, threads});
    if (change.empty()) return true;
    set(outcome_with({"suspect.process_changed", {{"change", change}}}));
    return false;
  }

  runner::SessionOptions session_options(const runner::Installation& installation,
                                         const std::filesystem::path& scratch) const {
    runner::SessionOptions options = child_session(installation, choice_.engine, choice_.libraries, scratch);
    options.environment = trace_environment(request_, options.scratch);
    options.environment.emplace_back(trace::kTimeLimitVariable, std::to_string(kLaunchLimitSeconds));
    if (!on_gpu()) add_virtual_devices(rung_, options);
    options.loopback = on_gpu() && !rung_.devices.empty();  // the baselines use NCCL
    return options;
  }

  // The size on no more devices than this machine has.
  problems::Sizes on_devices(problems::Sizes sizes) const {
    if (problem_.on_ranks) sizes.front() = std::min<int64_t>(sizes.front(), choice_.devices);
    return sizes;
  }

  void examine_file(runner::Session& session, CaseChecker& checker,
                    const std::filesystem::path& report) {
    if (!request_.trace_file && !request_.counts_only) {
      std::vector<PlannedCase> plan =
          plan_cases(rung_, problem_, result_.seed, on_gpu() ? int64_t{1} << 40 : kMostVirtualElements);
      for (PlannedCase& planned : plan)
        planned.sizes = on_devices(planned.sizes);
      std::set<problems::Sizes> sizes;
      for (const PlannedCase& planned : plan)
        sizes.insert(planned.sizes);
      result_.cases = static_cast<int>(sizes.size());
      for (const PlannedCase& planned : plan)
        if (planned.hidden) result_.conditions.hidden_sizes.push_back(planned.sizes);
      if (auto outcome = checker.check_all(problem_, plan, request_.progress)) {
        set(*outcome);
        return;
      }
    }
    known_ = fmt::format("right for {} sizes; ", result_.cases);
    progress("looking at the process");
    // Inspect before a baseline loads its libraries.
    if (on_gpu() && !inspect(session, false)) return;
    if (on_gpu() && rung_.is_timed())
      time_it(session, checker);
    else if (on_gpu())
      set(outcome_with({"pass.not_timed", {{"cases", result_.cases}}}));
    else
      count_it(checker, report);
  }

  void count_it(CaseChecker& checker, const std::filesystem::path& report) {
    result_.size = problems::describe(problem_, rung_.virtual_size);
    stages_.enter("counting");
    const CountedGrade counted{request_, problem_, compiled_, report,
                               [this](std::string_view text) { progress(text); }};
    set(grade_by_counts(counted, checker, result_));
  }

  TimedWork timed_work() {
    TimedWork work;
    work.problem = &problem_;
    work.sizes = on_devices(rung_.gpu_size);
    work.baseline = rung_.baseline;
    work.second = rung_.second;
    work.in_a_row = rung_.calls_in_a_row;
    work.gpu = *choice_.gpu;
    work.seed = result_.seed;
    work.modules = modules_;
    work.progress = [this](std::string_view text) { progress(text); };
    work.stages = &stages_;
    return work;
  }

  void time_it(runner::Session& session, CaseChecker& checker) {
    result_.size = problems::describe(problem_, on_devices(rung_.gpu_size));
    const TimedGrade timed = time_on_gpu(session, checker, timed_work());
    const course::Target& target = rung_.target.on(result_.device);
    if (timed.measured.rounds > 0) {
      result_.measured = timed.measured;
      result_.measured->target = target;
    }
    set(judge(timed, target));
  }

  const Request& request_;
  const course::Rung& rung_;
  const problems::Problem& problem_;
  EngineChoice choice_;
  build::Compiled compiled_;
  Modules modules_;
  measure::StageClock stages_;
  std::string known_;  // "right for 24 sizes; "
  Result result_;
};

}  // namespace

Result grade(const Request& request) {
  if (!request.rung) throw std::invalid_argument("grade() was called without a rung");
  return Grading(request).run();
}

}  // namespace ridge::grade

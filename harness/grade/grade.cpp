#include "harness/grade/grade.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/build/compile.h"
#include "harness/grade/child_session.h"
#include "harness/grade/correctness.h"
#include "harness/grade/diagnosis/helper_call.h"
#include "harness/grade/diagnosis/not_started.h"
#include "harness/grade/diagnosis/trace_notes.h"
#include "harness/grade/engine_choice.h"
#include "harness/grade/gates/counted.h"
#include "harness/grade/gates/counted_call.h"
#include "harness/grade/gates/virtual_counts.h"
#include "harness/grade/gates/register_pool.h"
#include "harness/grade/integrity/scan.h"
#include "harness/grade/scratch_folder.h"
#include "harness/grade/timed.h"
#include "harness/grade/timed_alone.h"
#include "harness/measure/counts.h"
#include "text/whole_file.h"
#include "trace/access_trace.h"
#include "trace/environment.h"

namespace ridge::grade {

namespace {

constexpr const char* kTraceName = "launch.rtrace";
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

  // A course that is wrong is not the student's doing.
  void check_rung() const {
    auto check = [&](const problems::Sizes& sizes) {
      if (std::string complaint = problems::complaint_about(problem_, sizes); !complaint.empty())
        throw std::runtime_error(fmt::format("rung {}: {}", rung_.path(), complaint));
    };
    for (const problems::Sizes& sizes : rung_.sizes)
      check(sizes);
    check(rung_.virtual_size);
    check(rung_.gpu_size);
    for (const course::Gate& gate : rung_.gates)
      measure::find_count(gate.count);
    if (const auto& kind = runner::find_baseline(rung_.baseline); !kind.does(problem_.id))
      throw std::runtime_error(fmt::format("rung {}: the baseline {} cannot do the problem {}", rung_.path(),
                                           kind.name, problem_.id));
  }

  // Once the answers are known to be right every further line begins with that.
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

  // Nothing is compiled and no device is looked for. A trace is made of whatever there is.
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

  void work() {
    if (is_not_started()) return;
    runner::Installation installation = runner::find_installation();
    stages_.enter("device");
    choice_ = choose_engine(request_.trace_file ? Engine::virtual_gpu : request_.engine, installation);
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
    progress("compiling");
    stages_.enter("compiling");
    std::vector<std::filesystem::path> include_folders = rung_.include_folders();
    include_folders.insert(include_folders.end(), request_.headers.begin(), request_.headers.end());
    build::Compiled compiled = build::compile(request_.source, cache, choice_.architecture, include_folders);
    result_.source = compiled.from.source;
    result_.conditions.toolkit = compiled.from.toolkit;
    result_.conditions.flags = compiled.from.flags;
    result_.conditions.headers_sha256 = compiled.from.headers_sha256;
    if (!compiled.ok) {
      set(compile_outcome(compiled));
      return;
    }
    for (const build::KernelResources& kernel : compiled.kernels) {
      if (kernel.registers < result_.registers) continue;
      result_.registers = kernel.registers;
      result_.spill_bytes = kernel.spill_store_bytes + kernel.spill_load_bytes;
      result_.shared_bytes = kernel.shared_bytes;
    }
    if (auto suspicion = scan(compiled, rung_)) {
      set(*suspicion);
      return;
    }
    compiled_ = compiled;
    ScratchFolder scratch(cache);
    runner::SessionOptions options = session_options(installation, scratch.path());
    options.readable.push_back(compiled.object);
    if (on_gpu()) {
      modules_ = compile_modules(rung_.baseline, cache, choice_.architecture);
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
                            LearnerSource(request_.source, compiled.from.source, include_folders));
    try {
      if (auto failure = session.load(compiled.object, rung_.entry, problem_))
        set(outcome_of_load(*failure, kCallLimitSeconds));
      else
        examine_file(session, checker, options.report_file);
      // On a GPU it was timed: the module that times, and the baseline's library, came in meanwhile.
      if (passed(result_.verdict)) inspect(session, on_gpu());
    } catch (const nlohmann::json::exception&) {
      // The reply had our token and the wrong shape: somebody else wrote it.
      set(outcome_with({"suspect.reply"}));
    }
    const std::string printed = session.printed();
    stages_.enter("ending the runner");
    started.reset();  // its memory on the device is free again
    if (on_gpu() && passed(result_.verdict) && brings_code(rung_.baseline)) {
      stages_.enter("timing without the library");
      time_without_library(installation, scratch.path());
    }
    const bool right = passed(result_.verdict) || result_.verdict == Verdict::slow;
    if (on_gpu() && right) {
      progress("counting on the virtual GPU");
      stages_.enter("counting on the virtual GPU");
      add_virtual_counts(count_on_virtual_gpu(installation, compiled, rung_, ~result_.seed, scratch.path()), rung_, result_);
    }
    if (request_.trace_file) keep_trace(options.scratch / kTraceName, checker.addresses());
    if (!printed.empty()) {
      if (!result_.detail.empty() && result_.detail.back() != '\n') result_.detail += '\n';
      result_.detail += "your program printed:\n" + printed;
    }
  }

  int host_functions() const { return on_gpu() && runs_host_functions(compiled_) ? 1 : 0; }

  void time_without_library(const runner::Installation& installation, const std::filesystem::path& scratch) {
    const AloneWork alone{installation, compiled_,   choice_.engine,  choice_.libraries,
                          scratch,      rung_.entry, host_functions()};
    if (auto doubt = time_alone(alone, timed_work(), *result_.measured)) set(*doubt);
  }

  // false: the verdict is SUSPECT.
  bool inspect(runner::Session& session, bool libraries_allowed) {
    stages_.enter("inspecting the process");
    std::string change = session.what_changed({libraries_allowed, host_functions()});
    if (change.empty()) return true;
    set(outcome_with({"suspect.process_changed", {{"change", change}}}));
    return false;
  }

  // The child may write to its scratch folder alone, and perhaps as another user: so a copy. It goes beside
  // the file and takes its name when it is whole: somebody may be looking at the one before.
  void keep_trace(const std::filesystem::path& written, const std::vector<uint64_t>& addresses) const {
    std::error_code error;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(written, error))) return;
    std::filesystem::path beside = *request_.trace_file;
    beside += fmt::format(".new-{}", ::getpid());
    try {
      std::filesystem::copy_file(written, beside, std::filesystem::copy_options::overwrite_existing);
      trace::annotate_trace(beside, trace_notes(rung_, problem_, result_, request_.is_solution, addresses),
                            trace_sources(request_.source, result_.source, rung_.include_folders()));
      std::filesystem::rename(beside, *request_.trace_file);
    } catch (const std::exception&) {
      std::filesystem::remove(beside, error);
      throw;
    }
  }

  // The scene's block is recorded too.
  std::string blocks_to_trace() const {
    if (!request_.trace_blocks.empty()) return request_.trace_blocks;
    std::string block = rung_.scene.block;
    std::replace(block.begin(), block.end(), ',', ':');
    return trace::kTraceDefaultBlocks + (block.empty() ? "" : "," + block);
  }

  Outcome compile_outcome(const build::Compiled& compiled) const {
    if (!compiled.stopped.empty())
      return outcome_with({"compile_error.stopped", {{"why", compiled.stopped}}}, compiled.messages);
    int errors = 0;
    for (size_t at = 0; (at = compiled.messages.find("error", at)) != std::string::npos; at += 5)
      errors +=
          compiled.messages.compare(at, 6, "error:") == 0 || compiled.messages.compare(at, 7, "error :") == 0;
    if (compiled.messages.find("separate compilation mode") != std::string::npos)
      return outcome_with({"compile_error.device_launch"}, compiled.messages);
    if (const auto helper = mismatched_helper(compiled.messages, rung_.include_folders()))
      return outcome_with(*helper, compiled.messages);
    if (errors > 1) return outcome_with({"compile_error.several", {{"count", errors}}}, compiled.messages);
    return outcome_with({"compile_error.one"}, compiled.messages);
  }

  runner::SessionOptions session_options(const runner::Installation& installation,
                                         const std::filesystem::path& scratch) const {
    runner::SessionOptions options = child_session(installation, choice_.engine, choice_.libraries, scratch);
    std::string trace_file;
    if (request_.trace_file) trace_file = (options.scratch / kTraceName).string();
    options.environment = {
        {trace::kTimeLimitVariable, std::to_string(kLaunchLimitSeconds)},
        {trace::kTraceVariable, trace_file},
        {trace::kTraceBlocksVariable, request_.trace_file ? blocks_to_trace() : ""},
        {trace::kTraceLimitVariable,
         request_.trace_limit_bytes == 0 ? "" : std::to_string(request_.trace_limit_bytes)},
        {trace::kTraceKernelVariable, request_.trace_file ? rung_.scene_kernel : ""},
        {trace::kTraceLaunchVariable, ""}};
    return options;
  }

  void examine_file(runner::Session& session, CaseChecker& checker, const std::filesystem::path& report) {
    if (!request_.trace_file && !request_.counts_only) {
      std::vector<PlannedCase> plan =
          plan_cases(rung_, problem_, result_.seed, on_gpu() ? int64_t{1} << 40 : kMostVirtualElements);
      result_.cases = static_cast<int>(
          std::count_if(plan.begin(), plan.end(), [](const PlannedCase& planned) { return !planned.again; }));
      for (const PlannedCase& planned : plan)
        if (planned.hidden) result_.conditions.hidden_sizes.push_back(planned.sizes);
      if (auto outcome = checker.check_all(problem_, plan, request_.progress)) {
        set(*outcome);
        return;
      }
    }
    known_ = fmt::format("right for {} sizes; ", result_.cases);
    progress("looking at the process");
    // Before a baseline brings its libraries.
    if (on_gpu() && !inspect(session, false)) return;
    if (on_gpu())
      time_it(session, checker);
    else
      count_it(checker, report);
  }

  void count_it(CaseChecker& checker, const std::filesystem::path& report) {
    result_.size = problems::describe(problem_, rung_.virtual_size);
    stages_.enter("counting");
    problems::Random random(~result_.seed);
    if (!check_between(checker, random)) return;
    if (!count_at(checker, report, 1, rung_.virtual_size, random.next())) return;
    if (!check_between(checker, random)) return;
    const problems::Sizes hidden = hidden_virtual_size(rung_, random.next());
    if (!hidden.empty() && !request_.trace_file &&
        !count_at(checker, report, 2, hidden, random.next()))
      return;
    if (!check_between(checker, random)) return;
    const size_t count = result_.gates.size();
    const std::string gates = count == 0 ? ""
                              : count == 1
                                  ? ", and its count is within its limit"
                                  : fmt::format(", and its {} counts are within their limits", count);
    set(outcome_with(
        {"pass.counted", {{"cases", result_.cases}, {"s", result_.cases == 1 ? "" : "s"}, {"gates", gates}}},
        remarks_));
  }

  // Some calls that are not counted. false: the verdict is set.
  bool check_between(CaseChecker& checker, problems::Random& random) {
    const std::vector<PlannedCase> plan = cases_between(problem_, random);
    if (request_.trace_file || request_.counts_only) return true;
    if (auto outcome = checker.check_all(problem_, plan, request_.progress)) {
      set(*outcome);
      return false;
    }
    result_.cases += static_cast<int>(plan.size());
    return true;
  }

  // Counts one call, the `range`-th. false: the verdict is set.
  bool count_at(CaseChecker& checker, const std::filesystem::path& report, uint32_t range,
                const problems::Sizes& sizes, uint64_t seed) {
    const bool first = range == 1;
    const std::string size = problems::describe(problem_, sizes);
    progress("counting " + size);
    const problems::Case given = problems::make_case(problem_, sizes, problems::Draw::uniform, seed);
    auto outcome = checker.check_profiled(given);
    ++result_.cases;
    const CountedCall call = counted_call(report, range, given);
    if (first) keep_counts(call, problems::bytes_moved(given));
    if (outcome) {
      if (outcome->verdict == Verdict::wrong && !request_.trace_file) {
        outcome->detail = fmt::format("The {} sizes before it are right.\n", result_.cases - 1) + outcome->detail;
        if (outcome->is_vague) outcome->next = Finding{"wrong.counted_size", {{"size", size}}}.next();
      }
      set(*outcome);
      return false;
    }
    if (call.damage) {
      set(*call.damage);
      return false;
    }
    if (auto suspicion = scan_launches(call.launches, compiled_, problems::bytes_moved(given),
                                       call.work.operations, rung_.baseline == "device_copy")) {
      set(*suspicion);
      return false;
    }
    if (auto never_ends = check_register_pool(call.launches)) {
      set(*never_ends);
      return false;
    }
    if (auto copies = scan_copies(call.work)) {
      set(*copies);
      return false;
    }
    std::vector<GateResult> gates = evaluate_gates(rung_.gates, call.launches, call.work);
    auto slow = outcome_of_gates(gates, call.launches, result_.source);
    if (first || slow) result_.gates = std::move(gates);
    if (first) remarks_ = remarks_after_pass(result_.gates, call.launches, result_.source);
    if (!slow) return true;
    if (!first)
      slow->summary =
          Finding{"slow.at_hidden_size", {{"gate", slow->summary}, {"size", size}}}.sentence();
    set(*slow);
    result_.far_from_ideal = counts_far_from_ideal(result_.gates, call.launches, result_.source);
    return false;
  }

  void keep_counts(const CountedCall& call, double useful_bytes) {
    if (call.launches.empty()) return;
    result_.device = call.launches.front().device;
    result_.counts = count_rows(call.launches);
    result_.all_counts = all_counts(call.launches, call.work);
    result_.traffic = traffic_of(call.launches);
    result_.traffic->operations = call.work.operations;
    result_.traffic->useful_bytes = useful_bytes;
    const auto buffers = problem_.buffers(rung_.virtual_size);
    if (!buffers.empty())
      result_.traffic->peak_tflops =
          measure::sheet_tflops(warp_model::find_device(result_.device), buffers.front().type);
  }

  TimedWork timed_work() {
    TimedWork work;
    work.problem = &problem_;
    work.sizes = rung_.gpu_size;
    work.baseline = rung_.baseline;
    work.gpu = *choice_.gpu;
    work.seed = result_.seed;
    work.modules = modules_;
    work.progress = [this](std::string_view text) { progress(text); };
    work.stages = &stages_;
    return work;
  }

  void time_it(runner::Session& session, CaseChecker& checker) {
    result_.size = problems::describe(problem_, rung_.gpu_size);
    const TimedGrade timed = time_on_gpu(session, checker, timed_work());
    if (timed.measured.rounds > 0) result_.measured = timed.measured;
    set(judge(timed, rung_.target));
  }

  const Request& request_;
  const course::Rung& rung_;
  const problems::Problem& problem_;
  EngineChoice choice_;
  build::Compiled compiled_;
  Modules modules_;
  measure::StageClock stages_;
  std::string known_;  // "right for 24 sizes; "
  std::string remarks_;  // after a pass
  Result result_;
};

}  // namespace

Result grade(const Request& request) {
  if (!request.rung) throw std::invalid_argument("grade() was called without a rung");
  return Grading(request).run();
}

}  // namespace ridge::grade

#include "harness/grade/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/build/compile.h"
#include "harness/grade/child_session.h"
#include "harness/grade/scratch_folder.h"
#include "harness/measure/counts.h"
#include "trace/environment.h"

namespace ridge::grade {

namespace {

// Bench produces figures, not grades: use equal inputs every time.
constexpr uint64_t kSeed = 20240229;
constexpr double kSmallest = 4096;    // elements

// Shorter than in a grade: a table should take at most a minute.
measure::RoundLimits quick_limits() {
  measure::RoundLimits limits;
  limits.warm_up_seconds = 0.3;
  limits.least_seconds = 0.2;
  limits.most_seconds = 4;
  limits.noise = 0.01;
  return limits;
}

runner::SessionOptions session_options(const EngineChoice& choice, const std::filesystem::path& scratch) {
  runner::SessionOptions options =
      child_session(runner::find_installation(), choice.engine, choice.libraries, scratch);
  options.call_limit_seconds *= 6;
  return options;
}

BenchRow row_of(const problems::Problem& problem, const problems::Sizes& sizes) {
  BenchRow row;
  row.size = problems::describe(problem, sizes);
  row.what = row.size;
  row.bytes = problems::bytes_moved(problem, sizes);
  row.operations = problem.operations(sizes);
  return row;
}

// The launches of the last profiled call. The report contains all calls, each with its number.
std::vector<trace::LaunchReport> last_launches(const std::filesystem::path& report) {
  std::vector<trace::LaunchReport> launches = measure::profiled_launches(reports_so_far(report));
  const uint32_t last = launches.empty() ? 0 : launches.back().range;
  std::erase_if(launches, [&](const trace::LaunchReport& launch) { return launch.range != last; });
  return launches;
}

void measure_row(BenchRow& row, TimedGrade timed) {
  row.outcome = timed.outcome;
  if (timed.measured.rounds > 0) row.measured = std::move(timed.measured);
}

struct Library {
  std::string_view baseline, problem;
  problems::Sizes sizes;
};
const std::vector<Library>& library_work() {
  static const std::vector<Library> work = {
      {"device_copy", "scale", {1 << 26}},
      {"cublasSgemm", "gemm", {4096, 4096, 4096}},
      {"cublasGemmEx", "gemm_bf16", {4096, 4096, 4096}},
      {"cublasGemmEx_autotune", "gemm_bf16", {4096, 4096, 4096}},
      {"cublasLt", "gemm_bf16", {4096, 4096, 4096}},
      {"cublasLt", "gemm_fp8", {8192, 8192, 8192}},
      {"cublas_best", "gemm_bf16", {4096, 4096, 4096}},
      {"cub_sum", "sum", {1 << 28}},
      {"cub_scan", "scan", {1 << 27}},
      {"cub_histogram", "histogram", {1 << 27, 256}},
      {"cub_top_k", "top_k", {1 << 27, 1024}},
      {"cub_sort", "radix_sort", {1 << 25}},
      {"cusparse_spmv", "spmv", {1 << 20, 1 << 20, 1 << 25}},
      {"cudnn_convolution", "convolution", {32, 28, 28, 256, 256, 3, 1, 1}},
      {"cudnn_attention", "attention", {32, 8192, 8192, 128, 1}},
      {"cudnn_attention_backward", "attention_backward", {16, 8192, 8192, 1}},
      {"nccl_all_reduce", "scale", {1 << 24}},
  };
  return work;
}

BenchRow bench_one(const Library& library, const EngineChoice& choice, const std::filesystem::path& cache,
                   const std::function<void(std::string_view)>& progress) {
  const problems::Problem& problem = problems::find_problem(library.problem);
  BenchRow row = row_of(problem, library.sizes);
  row.what = library.baseline;
  ScratchFolder scratch(cache);
  runner::SessionOptions options = session_options(choice, scratch.path());
  TimedWork work;
  work.modules = compile_modules(std::string(library.baseline), cache, choice.architecture);
  options.readable = work.modules.files();
  runner::Session session(options);
  const CaseChecker checker(session, options.report_file, options.call_limit_seconds);
  work.problem = &problem;
  work.sizes = library.sizes;
  work.baseline = library.baseline;
  work.gpu = *choice.gpu;
  work.seed = kSeed;
  work.progress = progress;
  work.limits = quick_limits();
  measure_row(row, time_baseline(session, checker, work));
  return row;
}

}  // namespace

Outcome no_gpu(const std::string& why) {
  return outcome_with({"skipped.no_gpu", {{"why", why}}});
}

double BenchRow::count(std::string_view name) const {
  return measure::find_count(name).value(launches);
}

std::vector<problems::Sizes> swept(const course::Rung& rung, Engine engine) {
  const problems::Sizes& largest = engine == Engine::gpu ? rung.gpu_size : rung.virtual_size;
  const double factor = std::pow(4.0, 1.0 / static_cast<double>(std::max<size_t>(largest.size(), 1)));
  std::vector<problems::Sizes> all;
  for (double divisor = 1; all.size() < 8; divisor *= factor) {
    problems::Sizes sizes;
    double elements = 1;
    for (int64_t size : largest) {
      sizes.push_back(std::max<int64_t>(1, std::llround(static_cast<double>(size) / divisor)));
      elements *= static_cast<double>(sizes.back());
    }
    if (!all.empty() && elements < kSmallest) break;
    all.push_back(std::move(sizes));
  }
  std::reverse(all.begin(), all.end());
  return all;
}

BenchSetup make_bench_setup(const course::Rung& rung, const EngineChoice& choice,
                            const std::filesystem::path& cache) {
  BenchSetup setup;
  setup.rung = &rung;
  setup.choice = choice;
  setup.cache = cache_folder(cache);
  if (choice.engine == Engine::gpu)
    setup.modules = compile_modules(rung.baseline, setup.cache, choice.architecture);
  return setup;
}

// Each row runs in its own child: a fault in one does not end the table.
BenchRow time_row(const BenchSetup& setup, const std::filesystem::path& object, const problems::Sizes& sizes,
                  Answers answers) {
  const course::Rung& rung = *setup.rung;
  const problems::Problem& problem = problems::find_problem(rung.problem);
  BenchRow row = row_of(problem, sizes);
  ScratchFolder scratch(setup.cache);
  runner::SessionOptions options = session_options(setup.choice, scratch.path());
  options.readable = setup.modules.files();
  options.readable.push_back(object);
  runner::Session session(options);
  CaseChecker checker(session, options.report_file, options.call_limit_seconds);
  if (auto failure = session.load(object, rung.entry, problem)) {
    row.outcome = checker.explain(*failure, "while it was loaded");
    return row;
  }
  if (setup.choice.engine != Engine::gpu) {
    row.outcome =
        checker.check_profiled(problems::make_case(problem, sizes, problems::Draw::uniform, kSeed));
    row.launches = last_launches(options.report_file);
    return row;
  }
  if (answers == Answers::before) {
    std::vector<PlannedCase> plan;
    for (const problems::Sizes& small : rung.sizes)
      plan.push_back({small, problems::Draw::uniform, kSeed, false, false});
    if ((row.outcome = checker.check_all(problem, plan, {}))) return row;
  }
  TimedWork work;
  work.problem = &problem;
  work.sizes = sizes;
  work.baseline = rung.baseline;
  work.gpu = *setup.choice.gpu;
  work.seed = kSeed;
  work.modules = setup.modules;
  work.progress = setup.progress;
  work.limits = quick_limits();
  work.thorough = answers == Answers::while_timed;
  work.tries_other_data = false;  // this is not a grade
  measure_row(row, time_on_gpu(session, checker, work));
  return row;
}

Bench bench(const BenchRequest& request) {
  const course::Rung& rung = *request.rung;
  const problems::Problem& problem = problems::find_problem(rung.problem);
  const EngineChoice choice = choose_engine(request.engine, runner::find_installation());
  Bench result;
  result.engine = choice.engine;
  if (!choice.why_not.empty()) {
    result.outcome = no_gpu(choice.why_not);
    return result;
  }
  if (choice.engine == Engine::gpu && !rung.is_timed())
    throw std::invalid_argument(
        fmt::format("rung {} is not timed: there is nothing to compare its speed with", rung.path()));
  result.device = choice.gpu ? choice.gpu->name : "virtual";
  const std::filesystem::path cache = cache_folder(request.cache);
  const build::Compiled compiled =
      build::compile(request.source, cache, choice.architecture, rung.include_folders());
  if (!compiled.ok) {
    result.outcome = outcome_with({"compile_error.one"}, compiled.messages);
    return result;
  }
  BenchSetup setup = make_bench_setup(rung, choice, request.cache);
  setup.progress = request.progress;
  for (const problems::Sizes& sizes : request.sizes.empty() ? swept(rung, choice.engine) : request.sizes) {
    if (std::string complaint = problems::complaint_about(problem, sizes); !complaint.empty())
      throw std::invalid_argument(complaint);
    if (request.progress) request.progress(problems::describe(problem, sizes));
    result.rows.push_back(time_row(setup, compiled.object, sizes, Answers::while_timed));
    const auto& launches = result.rows.back().launches;
    if (!launches.empty()) result.device = launches.front().device;
  }
  return result;
}

Bench bench_library(const std::vector<std::string>& names, const std::filesystem::path& cache,
                    const std::function<void(std::string_view)>& progress) {
  for (const std::string& name : names)
    runner::find_baseline(name);
  Bench result;
  result.engine = Engine::gpu;
  const EngineChoice choice = choose_engine(Engine::gpu, runner::find_installation());
  if (!choice.why_not.empty()) {
    result.outcome = no_gpu(choice.why_not);
    return result;
  }
  result.device = choice.gpu->name;
  for (const Library& library : library_work()) {
    if (!names.empty() && std::find(names.begin(), names.end(), library.baseline) == names.end()) continue;
    if (progress) progress(library.baseline);
    result.rows.push_back(bench_one(library, choice, cache_folder(cache), progress));
  }
  return result;
}

}  // namespace ridge::grade

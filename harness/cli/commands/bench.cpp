// Measures a rung over sizes, or the libraries alone; starts the program of `bench virtual-gpu`.
#include "harness/grade/bench.h"

#include <fmt/format.h>

#include <sstream>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/device_option.h"
#include "harness/cli/engine_option.h"
#include "harness/cli/program_start.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/report/text/bench_text.h"
#include "harness/runner/baselines.h"

namespace ridge::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> names;
  std::vector<std::string> sizes;
  grade::Engine engine = grade::Engine::automatic;
  bool solution = false, csv = false, json = false;
};

// "4096" or "256x512".
problems::Sizes size_from(const std::string& text) {
  problems::Sizes sizes;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, 'x');) {
    if (part.empty() || part.size() > 10 || part.find_first_not_of("0123456789") != std::string::npos)
      throw UsageError(fmt::format(
          "--sizes has \"{}\"; a size is a number such as 4096, or several such as 256x512", text));
    sizes.push_back(std::stoll(part));
  }
  return sizes;
}

int show(const grade::Bench& bench, const BenchOptions& options) {
  if (bench.outcome) {
    fmt::print(stderr, "{}: {}\n{}\n{}", grade::to_string(bench.outcome->verdict), bench.outcome->summary,
               bench.outcome->next, bench.outcome->detail);
    return bench.outcome->verdict == grade::Verdict::skipped ? kMachineLacks : kNotPassed;
  }
  if (options.csv)
    fmt::print("{}", report::bench_csv(bench));
  else if (options.json)
    fmt::print("{}", report::bench_json(bench));
  else
    fmt::print("{}", report::bench_table(bench, report::style_of(1)));
  int status = kPassed;
  for (const grade::BenchRow& row : bench.rows) {
    if (!row.outcome) continue;
    if (row.outcome->verdict != grade::Verdict::skipped) return kNotPassed;
    status = kMachineLacks;
  }
  return status;
}

int bench_a_rung(const BenchOptions& options, const Progress& progress) {
  const course::Course course = course::load(clone_root());
  const auto rungs = course::find(course, options.names.front());
  if (rungs.size() != 1)
    throw UsageError(
        fmt::format("{} is a lab of {} rungs, and one is measured at a time; say which: ridge bench {}",
                    options.names.front(), rungs.size(), rungs.front()->path()));
  grade::BenchRequest request;
  request.rung = rungs.front();
  request.source = source_of(*request.rung, options.solution);
  request.engine = options.engine;
  request.cache = cache_folder(*request.rung);
  request.progress = progress;
  for (const std::string& size : options.sizes)
    request.sizes.push_back(size_from(size));
  try {
    return show(grade::bench(request), options);
  } catch (const std::invalid_argument& wrong) {  // sizes that the problem rejects
    throw UsageError(wrong.what());
  }
}

int bench_libraries(const BenchOptions& options, const Progress& progress) {
  // No student code runs here, and NCCL needs the loopback network, which a sandbox lacks.
  setenv("RIDGE_SANDBOX", "none", 0);
  const std::vector<std::string> names(options.names.begin() + 1, options.names.end());
  try {
    return show(grade::bench_library(names, clone_root() / ".ridge" / "cache", progress), options);
  } catch (const std::invalid_argument& unknown) {
    throw UsageError(unknown.what());
  }
}

int bench(const BenchOptions& options) {
  if (options.names.empty())
    throw UsageError("say what to measure: a rung (ridge bench 02/4), library, or virtual-gpu");
  ProgressLine line;
  const Progress progress = [&](std::string_view text) { line.show(std::string(text)); };
  say_when_interrupted("the table is printed when all of it is measured; name fewer sizes or libraries");
  if (options.names.front() == "library") return bench_libraries(options, progress);
  if (options.names.size() > 1) throw UsageError("one rung is measured at a time");
  return bench_a_rung(options, progress);
}

std::string baseline_list() {
  std::string text;
  for (const runner::BaselineKind& kind : runner::baselines())
    text += fmt::format("  {:<22} {}\n", kind.name, kind.what);
  return text;
}

}  // namespace

void add_bench(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = program.add_subcommand(
      "bench", "a rung over a range of sizes, the libraries alone, or the virtual GPU's own speed");
  command->add_option("WHAT", options->names,
                      "a rung: 01/1, vector-add, or its file; or: library [NAME...]; or: virtual-gpu");
  command->add_flag("--solution", options->solution, "the reference instead of your file");
  command
      ->add_option("--on", options->engine, "gpu (times), virtual (counts), or auto: a GPU when there is one")
      ->transform(engine_name(true))
      ->option_text("gpu|virtual|auto");
  add_device_option(*command);
  command
      ->add_option(
          "--sizes", options->sizes,
          "sizes, such as 1000,4096 or 256x512,512x512; default: the size that is timed, and smaller ones")
      ->delimiter(',')
      ->option_text("LIST");
  auto* csv = command->add_flag("--csv", options->csv, "print comma separated values");
  command->add_flag("--json", options->json, "print JSON")->excludes(csv);
  command->footer("Libraries:\n" + baseline_list() +
                  "Exit status: 0 measured, 1 a size gave a wrong answer, 3 a GPU or a library is missing.\n"
                  "Example:\n  ridge bench 02/4 --on virtual\n  ridge bench library cublasSgemm cub_sum\n"
                  "  ridge bench virtual-gpu --json");
  command->callback([options, &invocation] {
    if (!invocation.rest.empty()) {  // virtual-gpu, which is a program of its own
      become(program_folder() / "ridge-bench-virtual-gpu",
             {invocation.rest.begin() + 1, invocation.rest.end()},
             "./ridge bench virtual-gpu in the clone builds it");
    }
    invocation.exit_status = bench(*options);
  });
}

}  // namespace ridge::cli

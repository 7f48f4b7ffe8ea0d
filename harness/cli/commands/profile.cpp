// `ridge profile`: shows resources, occupancy, counts and a GPU's counters of one rung.
#include <fmt/format.h>

#include "harness/build/compiler.h"
#include "harness/build/instruction_mix.h"
#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/device_option.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/grade/engine_choice.h"
#include "harness/grade/gates/counted.h"
#include "harness/report/tables/counts_table.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/profile_text.h"
#include "text/layout.h"

namespace ridge::cli {
namespace {

constexpr size_t kMostOpcodes = 16;

void print_code(const build::Compiled& compiled, const report::Style& style) {
  fmt::print("{}\n", style.paint(report::Colour::bold, "the compiled file"));
  for (const build::KernelResources& kernel : compiled.kernels)
    fmt::print("{}", report::fitted(text::indented(report::resources_line(kernel), 2), style));
  for (const std::string& ptx : build::ptx_in(compiled.object))
    fmt::print("  PTX, in the code\n{}",
               text::indented(report::mix_text(build::ptx_mix(ptx), kMostOpcodes, style), 2));
  const build::Compiler compiler = build::choose_compiler();
  if (compiler.is_clang()) {
    fmt::print("  SASS, registers and spills: not known without nvcc (clang writes PTX)\n");
    return;
  }
  if (const auto listing = build::sass_listing(*compiler.toolkit, compiled.object))
    fmt::print("  SASS, in the code (cuobjdump)\n{}",
               text::indented(report::mix_text(build::sass_mix(*listing), kMostOpcodes, style), 2));
}

int profile(const std::string& name, bool solution) {
  const course::Course course = course::load(clone_root());
  const auto rungs = course::find(course, name);
  if (rungs.size() != 1)
    throw UsageError(fmt::format(
        "{} is a lab of {} rungs, and one is profiled at a time; say which: ridge profile {}", name,
        rungs.size(), rungs.front()->path()));
  const course::Rung& rung = *rungs.front();
  const report::Style style = report::style_of(1);
  ProgressLine line;
  grade::BenchRequest request;
  request.rung = &rung;
  request.source = source_of(rung, solution);
  request.engine = grade::Engine::virtual_gpu;
  request.sizes = {rung.virtual_size};
  request.cache = cache_folder(rung);
  request.progress = [&](std::string_view text) { line.show("counting " + std::string(text)); };
  const grade::Bench counted = grade::bench(request);
  line.clear();
  if (counted.outcome) {
    fmt::print("{}: {}\n{}", grade::to_string(counted.outcome->verdict), counted.outcome->summary,
               counted.outcome->detail);
    return kNotPassed;
  }
  const grade::EngineChoice choice =
      grade::choose_engine(grade::Engine::automatic, runner::find_installation());
  const build::Compiled compiled =
      build::compile(request.source, request.cache, choice.architecture, rung.include_folders());
  print_code(compiled, style);
  const grade::BenchRow& row = counted.rows.front();
  fmt::print("\n{}\n", style.paint(report::Colour::bold, "one call, " + row.size));
  if (row.outcome)
    fmt::print("{}", text::wrapped(fmt::format("{}: {} {}", grade::to_string(row.outcome->verdict),
                                               row.outcome->summary, "The counts are of what it did."),
                                   static_cast<size_t>(style.width), 2));
  for (const trace::LaunchReport& launch : row.launches)
    fmt::print("{}", report::fitted(report::launch_text(launch, style), style));
  if (!row.launches.empty())
    fmt::print("{}",
               text::indented(report::counts_table(grade::count_rows(row.launches), style), 2));
  fmt::print("\n");
  if (choice.engine == grade::Engine::gpu) {
    line.show("reading the counters");
    const grade::Counters counters =
        grade::read_counters(rung, compiled.object, choice.libraries, request.cache);
    line.clear();
    fmt::print("{}", report::counters_text(counters, style));
  } else {
    fmt::print("hardware counters: there is no GPU here to read them from\n");
  }
  return row.outcome ? kNotPassed : kPassed;
}

}  // namespace

void add_profile(CLI::App& program, Invocation& invocation) {
  struct Options {
    std::string name;
    bool solution = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "profile",
      "registers, occupancy, instructions, memory by level, and a GPU's counters where they may be read");
  command->add_option("RUNG", options->name, "a rung: 01/1, vector-add, or its file")->required();
  command->add_flag("--solution", options->solution, "the reference instead of your file");
  add_device_option(*command);
  command->footer(
      "On a GPU the counters are read by Nsight Compute (ncu), which runs your file with your rights.\n"
      "Exit status: 0 profiled, 1 it does not compile or answers wrong.\nExample:\n  ridge profile 02/4");
  command->callback([options, &invocation] {
    invocation.exit_status = profile(options->name, options->solution);
  });
}

}  // namespace ridge::cli

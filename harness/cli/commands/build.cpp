// `ridge build`: compiles without grading and shows nvcc's messages and the resources of each
// kernel.
#include <fmt/format.h>

#include "harness/build/compile.h"
#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/grade/engine_choice.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/profile_text.h"
#include "text/layout.h"

namespace ridge::cli {
namespace {

int build_rungs(const std::string& name, bool solution) {
  const course::Course course = course::load(clone_root());
  std::vector<const course::Rung*> rungs;
  if (name.empty()) {
    for (const course::Lab& lab : course.labs) {
      for (const course::Rung& rung : lab.rungs)
        rungs.push_back(&rung);
    }
  } else {
    rungs = course::find(course, name);
  }
  // Use the architecture of a grading, so that the grading finds the file compiled.
  const std::string architecture =
      grade::choose_engine(grade::Engine::automatic, runner::find_installation()).architecture;
  const report::Style style = report::style_of(1);
  ProgressLine line;
  int failed = 0;
  for (const course::Rung* rung : rungs) {
    line.show(fmt::format("compiling {}", rung->path()));
    const build::Compiled compiled = build::compile(source_of(*rung, solution), cache_folder(*rung),
                                                    architecture, rung->include_folders());
    line.clear();
    const std::string time = compiled.from_cache
                                 ? "compiled before"
                                 : fmt::format("sm_{}, {:.1f} s", architecture, compiled.seconds);
    fmt::print("{}", report::fitted(
                         fmt::format("{}  {}{}  {}\n",
                                     compiled.ok ? style.paint(report::Colour::green, "ok           ")
                                                 : style.paint(report::Colour::red, "COMPILE ERROR"),
                                     style.paint(report::Colour::bold, rung->path()),
                                     solution ? " (solution)" : "", style.paint(report::Colour::dim, time)),
                         style));
    if (!compiled.messages.empty())
      fmt::print("{}", report::fitted(text::indented(compiled.messages, 4), style));
    for (const build::KernelResources& kernel : compiled.kernels)
      fmt::print("{}", report::fitted(text::indented(report::resources_line(kernel), 4), style));
    failed += !compiled.ok;
  }
  if (rungs.size() > 1)
    fmt::print("{} of {} files compile\n", rungs.size() - static_cast<size_t>(failed), rungs.size());
  return failed == 0 ? kPassed : kNotPassed;
}

}  // namespace

void add_build(CLI::App& program, Invocation& invocation) {
  struct Options {
    std::string name;
    bool solution = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("build", "compile only: nvcc's messages, registers, shared memory and spills");
  command->add_option("LAB[/RUNG]", options->name,
                      "a lab or rung: 01, 01/1, vector-add, or a file; none: all")
      ->check(not_empty());
  command->add_flag("--solution", options->solution, "compile the reference instead of your file");
  command->footer("Exit status: 0 all compile, 1 some do not.\nExample:\n  ridge build 02/4");
  command->callback(
      [options, &invocation] { invocation.exit_status = build_rungs(options->name, options->solution); });
}

}  // namespace ridge::cli

#include <fmt/format.h>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/progress_line.h"
#include "harness/cli/rung_work.h"
#include "harness/report/text.h"

namespace ridge::cli {
namespace {

struct TraceOptions {
  std::string rung, output, blocks = "first,middle,last";
  bool solution = false;
};

// "first,middle,last" or linear indices, as trace/environment.h has them.
void check_blocks(const std::string& blocks) {
  std::istringstream list(blocks);
  bool any = false;
  for (std::string item; std::getline(list, item, ',');) {
    const bool index = !item.empty() && item.find_first_not_of("0123456789") == std::string::npos;
    if (!index && item != "first" && item != "middle" && item != "last") {
      throw UsageError(
          fmt::format("--blocks has \"{}\"; it is a list such as first,middle,last or 0,5,9", item));
    }
    any = true;
  }
  if (!any) throw UsageError("--blocks is empty; it is a list such as first,middle,last or 0,5,9");
}

int trace(const TraceOptions& options) {
  check_blocks(options.blocks);
  const auto root = clone_root();
  const course::Course course = course::load(root);
  const auto rungs = course::find(course, options.rung);
  if (rungs.size() != 1) {
    throw UsageError(
        fmt::format("{} is a lab of {} rungs, and one is traced at a time; say which: ridge trace {}",
                    options.rung, rungs.size(), rungs.front()->path()));
  }
  const std::filesystem::path file = options.output.empty()
                                         ? default_trace_file(root, *rungs.front(), options.solution)
                                         : std::filesystem::path(options.output);
  ProgressLine line;
  const Traced traced = trace_rung(*rungs.front(), options.solution, file, options.blocks,
                                   [&](std::string_view text) { line.show(text); });
  line.clear();
  fmt::print("{}", report::show(traced.graded, report::style_of(1)));
  if (traced.bytes == 0) {
    fmt::print("No trace was written: the kernel did not get as far as a launch.\n");
    return kNotPassed;
  }
  fmt::print("Trace: {} ({} bytes)\n", traced.file.string(), report::with_thousands(traced.bytes));
  return kPassed;
}

}  // namespace

void add_trace(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* command =
      program.add_subcommand("trace", "record what a rung's warps do to memory, on the virtual GPU");
  command->add_option("RUNG", options->rung, "a rung: 01/1, vector-add, or its file")->required();
  command
      ->add_option("-o,--output", options->output, "the trace file (default .ridge/traces/LAB-RUNG.rtrace)")
      ->option_text("FILE");
  command->add_flag("--solution", options->solution, "trace the reference instead of your file");
  command->add_option("--blocks", options->blocks, "which blocks: first,middle,last or indices such as 0,5,9")
      ->option_text("LIST");
  command->footer("Example:\n  ridge trace 02/4 -o transpose.rtrace");
  command->callback([options, &invocation] { invocation.exit_status = trace(*options); });
}

}  // namespace ridge::cli

// `ridge trace`: records the memory accesses of a rung's warps on the virtual GPU.
#include <fmt/format.h>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/cli/tracing/trace_choice.h"
#include "harness/cli/tracing/trace_text.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/text.h"
#include "text/numbers.h"
#include "trace/access_trace.h"

namespace ridge::cli {
namespace {

struct TraceOptions {
  std::string rung, output, print;
  RecordingOptions recording;
  double limit_mb = 0;
  uint64_t records = 40;
};

int print(const TraceOptions& options) {
  try {
    fmt::print("{}", trace_text(trace::read_access_trace(options.print), options.records));
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
  return kPassed;
}

int trace(const TraceOptions& options) {
  if (!options.print.empty()) return print(options);
  if (options.rung.empty())
    throw UsageError("which rung? such as ridge trace 02/4; or a trace to show: ridge trace --print FILE");
  check_blocks(options.recording.blocks);
  const auto root = clone_root();
  const course::Course course = course::load(root);
  const auto rungs = course::find(course, options.rung);
  if (rungs.size() != 1) {
    throw UsageError(
        fmt::format("{} is a lab of {} rungs, and one is traced at a time; say which: ridge trace {}",
                    options.rung, rungs.size(), rungs.front()->path()));
  }
  const std::filesystem::path file =
      options.output.empty() ? default_trace_file(root, *rungs.front(), options.recording.solution)
                             : std::filesystem::path(options.output);
  check_trace_file(file);
  RecordingOptions recording = options.recording;
  recording.limit_bytes = limit_bytes(options.limit_mb);
  ProgressLine line;
  const Traced traced =
      trace_rung(*rungs.front(), recording, file, [&](std::string_view text) { line.show(text); });
  line.clear();
  const report::Style style = report::style_of(1);
  fmt::print("{}", report::fitted(report::show(traced.graded, style), style));
  if (traced.bytes == 0) {
    fmt::print("No trace was written: the kernel did not get as far as a launch.\n");
    return kNotPassed;
  }
  fmt::print("Trace: {} ({} bytes: {})\n", traced.file.string(), text::with_thousands(traced.bytes),
             traced.contents);
  return kPassed;
}

}  // namespace

void add_trace(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* command =
      program.add_subcommand("trace", "record what a rung's warps do to memory, on the virtual GPU");
  command->add_option("RUNG", options->rung, "a rung: 01/1, vector-add, or its file");
  command
      ->add_option("-o,--output", options->output, "the trace file (default .ridge/traces/LAB-RUNG.rtrace)")
      ->option_text("FILE");
  command->add_flag("--solution", options->recording.solution,
                    "trace the reference instead of your file");
  command->add_option("--blocks", options->recording.blocks, kBlocksHelp)->option_text("LIST");
  command->add_option("--limit", options->limit_mb, kLimitHelp)->option_text("MB");
  command->add_option("--print", options->print, "show what a trace holds as text, and record nothing")
      ->option_text("FILE");
  command->add_option("--records", options->records, "with --print: records of each block (default 40)");
  command->footer(
      "Blocks: first, middle, last, edge, a linear index such as 17, blockIdx as 3:2:0; with | between them\n"
      "also 3,2,0|last. Without --blocks: the first, one in the middle, the last, an edge one, and the one "
      "of\n"
      "the rung's scene.\n"
      "Example:\n  ridge trace 02/4 -o transpose.rtrace\n  ridge trace --print transpose.rtrace");
  command->callback([options, &invocation] { invocation.exit_status = trace(*options); });
}

}  // namespace ridge::cli

// Opens the visualizer, a separate program, on a trace, a rung (recorded first when its file is
// newer than its trace), a lab, or without an argument on nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/cli/tracing/visualizer_start.h"
#include "harness/report/text/text.h"
#include "text/shell_word.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

struct ViewOptions {
  std::vector<std::string> what;
  bool solution = false, record = false;
};

// True for "a/b.rtrace" and for any file that is not a rung's own.
bool names_file(const std::string& word) {
  if (word.ends_with(".rtrace")) return true;
  std::error_code ignored;
  return fs::is_regular_file(word, ignored) && !word.ends_with(".cu");
}

// True when the trace is newer than the file and the headers that it can include.
bool is_current(const fs::path& trace, const fs::path& source, const course::Rung& rung) {
  std::error_code error;
  const fs::file_time_type traced = fs::last_write_time(trace, error);
  if (error) return false;
  if (fs::last_write_time(source, error) > traced) return false;
  std::vector<fs::path> folders = rung.include_folders();
  folders.push_back(source.parent_path());
  for (const fs::path& folder : folders)
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      if ((entry.path().extension() == ".h" || entry.path().extension() == ".cuh") &&
          entry.last_write_time(error) > traced)
        return false;
  return true;
}

fs::path trace_of(const fs::path& root, const course::Rung& rung, const ViewOptions& options) {
  const fs::path file = default_trace_file(root, rung, options.solution);
  const fs::path& source = options.solution ? rung.solution : rung.skeleton;
  if (!options.record && is_current(file, source, rung)) return file;
  RecordingOptions recording;
  recording.solution = options.solution;
  ProgressLine line;
  const Traced traced =
      trace_rung(rung, recording, file, [&](std::string_view text) { line.show(text); });
  line.clear();
  fmt::print("{}", report::show(traced.graded, report::style_of(1)));
  if (traced.bytes > 0) return file;
  fmt::print("There is nothing to view: the kernel did not get as far as a launch.\n");
  return {};
}

std::vector<std::string> arguments_for(const ViewOptions& options) {
  if (options.what.size() > 2)
    throw UsageError(fmt::format(
        "{} things were named; one is shown, or two are compared: ridge view NEW.rtrace OLD.rtrace",
        options.what.size()));
  std::vector<std::string> arguments;
  for (const std::string& word : options.what) {
    if (names_file(word)) {
      std::error_code ignored;
      if (!fs::exists(word, ignored))
        throw UsageError(
            fmt::format("there is no trace {}; record one with ridge trace LAB/RUNG -o {}", word,
                        text::shell_word(word)));
      arguments.push_back(fs::absolute(word).string());
      continue;
    }
    const fs::path root = clone_root();
    const course::Course course = course::load(root);
    const auto rungs = course::find(course, word);
    if (rungs.size() > 1) {  // a lab: its ladder and the results of its runs
      if (options.what.size() > 1)
        throw UsageError(
            fmt::format("{} is a lab of {} rungs; two of its rungs can be compared: ridge view "
                        "{} {}",
                        word, rungs.size(), rungs[1]->path(), rungs[0]->path()));
      return {"--clone", root.string(), "--lab", rungs.front()->lab};
    }
    const fs::path trace = trace_of(root, *rungs.front(), options);
    if (trace.empty()) return {};
    arguments.push_back(trace.string());
  }
  if (arguments.empty()) arguments = {"--clone", clone_root().string()};
  return arguments;
}

int view(const ViewOptions& options, const std::vector<std::string>& rest) {
  const fs::path program = find_visualizer();
  if (program.empty()) throw MachineError(kHowToBuildVisualizer);
  std::vector<std::string> words = arguments_for(options);
  if (words.empty()) return kNotPassed;
  words.insert(words.begin(), program.string());
  words.insert(words.end(), rest.begin(), rest.end());
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(stdout);
  execv(program.c_str(), arguments.data());
  throw MachineError(
      fmt::format("{} cannot be started: {}", program.string(), std::strerror(errno)));
}

}  // namespace

void add_view(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* command =
      program.add_subcommand("view", "open the visualizer: what your warps did, as pictures");
  command->add_option(
      "WHAT", options->what,
      "a rung (recorded first when its file is newer than its trace), a trace, or a lab: its "
      "ladder and roofline;\ntwo rungs or traces are compared; nothing: the runs of this "
      "clone");
  command->add_flag("--solution", options->solution, "the reference instead of your file");
  command->add_flag("--record", options->record, "record the rung again, even if its recording is current");
  command->footer(
      "Arguments after -- are passed to ridge-view (ridge-view --help): --view, --theme, --picture.\n"
      "Exit status: ridge-view's; 1 when there was nothing to record, 2 or 3 with a message when it was not "
      "started.\n"
      "Example:\n  ridge view 02/4\n  ridge view 02/4 --solution -- --view banks --theme light\n"
      "  ridge view new.rtrace old.rtrace");
  command->callback(
      [options, &invocation] { invocation.exit_status = view(*options, invocation.rest); });
}

}  // namespace ridge::cli

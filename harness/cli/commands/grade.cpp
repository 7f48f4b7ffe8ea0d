// `ridge grade`: grades a rung, a lab, the course, or files that were handed in.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/device_option.h"
#include "harness/cli/engine_option.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/grade/findings/finding.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/text.h"
#include "text/layout.h"
#include "text/shell_word.h"

namespace ridge::cli {
namespace {

struct GradeOptions {
  std::string name;
  grade::Engine engine = grade::Engine::automatic;
  bool solution = false, json = false;
  std::vector<std::string> files;  // files of other students
  std::optional<uint64_t> seed;    // of their hidden sizes and inputs
};

// 1 when any file was graded and did not pass; 3 when some could not be graded here and the others
// passed.
int status_of(const std::vector<report::Graded>& results) {
  int status = kPassed;
  for (const report::Graded& graded : results) {
    if (grade::passed(graded.result.verdict)) continue;
    if (graded.result.verdict != grade::Verdict::skipped) return kNotPassed;
    status = kMachineLacks;
  }
  return status;
}

// A link may lead to another student's file or to the solution: the grade would belong to somebody
// else.
void refuse_links(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code unreadable;
  for (const fs::path& path : {fs::path(file), fs::path(file).parent_path()})
    if (fs::is_symlink(fs::symlink_status(path, unreadable)))
      throw UsageError(fmt::format("{} is a link to {}; copy what was handed in without its links",
                                   text::one_line(path.string()),
                                   text::one_line(fs::read_symlink(path, unreadable).string())));
}

// A failure with one file must not end the grading of the others.
report::Graded grade_one(const course::Rung& rung, const std::string& file,
                         const GradeOptions& options, const Progress& progress) {
  try {
    return grade_file(rung, file, options.engine, options.seed, progress);
  } catch (const MachineError&) {
    throw;  // the error affects all files
  } catch (const std::exception& error) {
    report::Graded graded{&rung, false, {}, file};
    const grade::Finding finding{"skipped.not_graded", {{"why", error.what()}}};
    graded.result.verdict = finding.verdict();
    graded.result.finding = finding.id;
    graded.result.summary = finding.sentence();
    graded.result.next = finding.next();
    return graded;
  }
}

// Grades the files that a class handed in for one rung.
int grade_files(const GradeOptions& options, const std::vector<const course::Rung*>& rungs) {
  if (options.name.empty() || rungs.size() != 1)
    throw UsageError(
        "files that were handed in are graded as one rung's: ridge grade 01/1 --file FILE...");
  for (const std::string& file : options.files) {
    refuse_links(file);  // first, since a link may lead to itself
    const std::string shown = text::one_line(file);
    std::error_code unreadable;
    if (std::filesystem::is_directory(file, unreadable))
      throw UsageError(fmt::format("{0} is a folder; name the files in it: {1}/*.cu", shown,
                                   text::shell_word(file)));
    if (!std::filesystem::exists(file, unreadable))
      throw UsageError(fmt::format("there is no file {}", shown));
    if (!std::filesystem::is_regular_file(file, unreadable))
      throw UsageError(fmt::format("{} is a pipe or a device; name a file", shown));
    if (std::filesystem::path(file).extension() != ".cu")
      throw UsageError(
          fmt::format("{} is no .cu file, and nvcc goes by the ending: rename it", shown));
  }
  ProgressLine line;
  std::vector<report::Graded> results;
  for (const std::string& file : options.files) {
    const std::string where =
        fmt::format("[{}/{}] {}: ", results.size() + 1, options.files.size(), text::one_line(file));
    say_when_interrupted(
        fmt::format("graded {} of {} files{}", results.size(), options.files.size(),
                    options.json && !results.empty() ? "; the JSON is printed when all are" : ""));
    line.show(where);
    const Progress progress = [&](std::string_view text) { line.show(where + std::string(text)); };
    results.push_back(grade_one(*rungs.front(), file, options, progress));
    line.clear();
    if (options.json) continue;
    const report::Style style = report::style_of(1);
    fmt::print("{}", report::fitted(report::show(results.back(), style), style));
    std::fflush(stdout);
  }
  if (options.json) fmt::print("{}", report::results_json(results));
  if (!options.json && results.size() > 1)
    fmt::print("{}", report::show_summary(results, report::style_of(1)));
  return status_of(results);
}

std::string kept_so_far(size_t graded, size_t all) {
  if (graded == 0) return "nothing was graded";
  return fmt::format("graded {} of {} rungs; what was graded is kept (ridge history)", graded, all);
}

int grade_rungs(const GradeOptions& options) {
  const auto root = clone_root();
  const course::Course course = course::load(root);
  std::vector<const course::Rung*> rungs;
  if (!options.name.empty()) {
    rungs = course::find(course, options.name);
  } else {
    for (const course::Lab& lab : course.labs) {
      for (const course::Rung& rung : lab.rungs)
        rungs.push_back(&rung);
    }
  }
  if (!options.files.empty()) return grade_files(options, rungs);
  Records records(root);
  ProgressLine line;
  const report::Style style = report::style_of(1);
  std::vector<report::Graded> results;
  for (const course::Rung* rung : rungs) {
    const std::string where =
        fmt::format("[{}/{}] {}: ", results.size() + 1, rungs.size(), rung->path());
    say_when_interrupted(kept_so_far(results.size(), rungs.size()));
    line.show(where);
    const Progress progress = [&](std::string_view text) { line.show(where + std::string(text)); };
    results.push_back(grade_and_record(*rung, options.solution, options.engine, records, progress));
    line.clear();
    if (options.json) continue;
    fmt::print("{}", report::fitted(report::show(results.back(), style), style));
    std::fflush(stdout);
  }
  if (options.json) fmt::print("{}", report::results_json(results));
  if (!options.json && results.size() > 1) fmt::print("{}", report::show_summary(results, style));
  return status_of(results);
}

}  // namespace

void add_grade(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<GradeOptions>();
  CLI::App* command = program.add_subcommand("grade", "grade a rung, a lab, or the whole course");
  command
      ->add_option("LAB[/RUNG]", options->name,
                   "a lab or rung: 01, 01/1, vector-add, or a file; none: all")
      ->check(not_empty());
  CLI::Option* solution = command->add_flag("--solution", options->solution,
                                            "grade the reference instead of your file");
  CLI::Option* files = command
                           ->add_option("--file", options->files,
                                        "grade these files instead of yours; nothing of it is kept")
                           ->option_text("FILE...")
                           ->excludes(solution);
  command
      ->add_option("--seed", options->seed,
                   "of the hidden sizes and inputs of these files (default: drawn)")
      ->option_text("N")
      ->needs(files);
  command->add_option("--on", options->engine, "gpu, virtual, or auto: a GPU when there is one")
      ->transform(engine_name(true))
      ->option_text("gpu|virtual|auto");
  add_device_option(*command);
  command->add_flag("--json", options->json,
                    "print the results as JSON (fields: harness/report/store/json.h)");
  command->footer(
      "Exit status: 0 all pass, 1 some do not, 2 wrong usage, 3 the machine lacks something.\n"
      "Example:\n  ridge grade 01-kernel-basics --on virtual\n"
      "  ridge grade 01/1 --file handed-in/*/1-vector-add.cu --json     # an instructor");
  command->callback([options, &invocation] { invocation.exit_status = grade_rungs(*options); });
}

}  // namespace ridge::cli

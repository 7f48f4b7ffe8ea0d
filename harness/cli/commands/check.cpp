// `ridge check`: compares the course's own files with their expected verdicts, for authors of the
// course.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/course_checks/cheats.h"
#include "harness/cli/course_checks/course_check.h"
#include "harness/cli/course_checks/mutants/mutant_check.h"
#include "harness/cli/course_checks/mutants/record.h"
#include "harness/cli/course_checks/rows_json.h"
#include "harness/cli/device_option.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/cli/terminal/progress_line.h"
#include "harness/cli/whole_file.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/terminal.h"
#include "text/layout.h"
#include "text/whole_file.h"
#include "trace/environment.h"

namespace ridge::cli {
namespace {

void print_table(const std::vector<CheckRow>& rows, const report::Style& style) {
  size_t rung = 0, what = 0, expected = 0, got = 0;
  for (const CheckRow& row : rows) {
    rung = std::max(rung, text::columns_of(row.rung));
    what = std::max(what, text::columns_of(row.what));
    expected = std::max(expected, text::columns_of(row.expected));
    got = std::max(got, text::columns_of(row.got));
  }
  for (const CheckRow& row : rows) {
    const std::string mark =
        row.ok ? style.paint(report::Colour::green, "✓") : style.paint(report::Colour::red, "✗");
    const std::string time = row.seconds > 0 ? fmt::format("{:5.1f} s", row.seconds) : "";
    if (style.narrow && rung + what + expected + got + 17 > static_cast<size_t>(style.width))
      fmt::print("{} {}\n{}", mark, row.rung,
                 report::fitted(fmt::format("    {}: {}{}{}\n", row.what, row.got,
                                            row.ok ? "" : ", expected " + row.expected,
                                            row.seconds > 0 ? fmt::format(", {:.1f} s", row.seconds) : ""),
                                style));
    else
      fmt::print("{} {}  {}  {}  {}  {}\n", mark, text::padded(row.rung, rung), text::padded(row.what, what),
                 text::padded(row.expected, expected), text::padded(row.got, got), time);
    if (!row.ok) fmt::print("{}", report::fitted(text::indented(row.explanation, 6), style));
  }
}

// Prints one line per count: rung, file, verdict, count, value.
void print_counts(const std::vector<CheckRow>& rows) {
  for (const CheckRow& row : rows)
    for (const auto& [count, value] : row.counts)
      fmt::print("{}\t{}\t{}\t{}\t{:.6g}\n", row.rung, row.what, row.got, count, value);
}

constexpr char kNothingKept[] = "a check keeps nothing; name a lab or a rung for a shorter one";

void print_mutant(const Mutant& mutant) {
  fmt::print("{} {} line {}: {}{}\n    {}\n    {}\n", mutant.fate == Fate::survived ? "✗" : "-", mutant.rung,
             mutant.mutation.line, mutant.mutation.kind,
             mutant.fate == Fate::equivalent ? " (the same answers and no more work)" : "",
             mutant.mutation.before, mutant.mutation.after);
  if (!mutant.why.empty()) fmt::print("    {}\n", mutant.why);
}

// Prints the mutants that passed, and the number that did not.
int print_mutants(const std::vector<Mutant>& mutants) {
  std::map<Fate, size_t> counts;
  for (const Mutant& mutant : mutants) {
    ++counts[mutant.fate];
    const bool is_listed = mutant.fate == Fate::survived || mutant.fate == Fate::explained ||
                           mutant.fate == Fate::equivalent;
    if (is_listed) print_mutant(mutant);
  }
  const double part = part_caught(mutants);
  fmt::print(
      "\n{} mutants: {} caught, {} survived, {} explained, {} equivalent, {} with the same code, {} that nvcc "
      "refuses; {:.1f}% of the mistakes are caught, {:.0f}% is wanted\n",
      mutants.size(), counts[Fate::caught], counts[Fate::survived], counts[Fate::explained],
      counts[Fate::equivalent], counts[Fate::same_code], counts[Fate::stillborn], 100 * part,
      100 * kLeastCaught);
  return part >= kLeastCaught ? kPassed : kNotPassed;
}

// With `record` after every few mutants, so that an interruption loses little.
std::vector<Mutant> grade_mutants(const course::Course& course, const std::vector<const course::Rung*>& rungs,
                                  const MutantOptions& wanted, bool record) {
  constexpr size_t kRecordedAtOnce = 32;
  ProgressLine line;
  say_when_interrupted(record ? "the mutants graded before the last few are recorded; --continue grades the others"
                              : kNothingKept);
  std::vector<Mutant> waiting;
  return check_mutants(course, rungs, wanted, [&](const Mutant& mutant, size_t done, size_t all) {
    line.show(fmt::format("graded {} of {} mutants", done, all));
    if (!record) return;
    waiting.push_back(mutant);
    if (waiting.size() < kRecordedAtOnce && done < all) return;
    record_mutants(course, waiting);
    waiting.clear();
  });
}

int print_record(const course::Course& course) {
  const RecordCheck check = check_record(course);
  for (const std::string& complaint : check.complaints)
    fmt::print("✗ {}\n", complaint);
  for (const std::string& lab : check.labs_without)
    fmt::print("- {}: no mutants are recorded\n", lab);
  for (const Mutant& mutant : check.survivors)
    print_mutant(mutant);
  fmt::print("{} mutants are recorded; {:.1f}% of the mistakes are caught, {:.0f}% is wanted\n", check.mutants,
             100 * check.part_caught, 100 * kLeastCaught);
  return check.complaints.empty() ? kPassed : kNotPassed;
}

struct Options {
  std::string name;
  std::string output;  // "": the standard output
  bool cheats_only = false, continues = false, json = false, record_skeletons = false, counts = false, mutants = false;
  bool record = false, recorded = false;
  MutantOptions mutant_options;
  size_t most_wrong = kAllKnownWrong;
  bool grades_skeletons = true, grades_families = true, solutions_only = false;
  size_t sample = SIZE_MAX;  // maximum number of files or cheats, drawn anew on every run
  std::optional<uint64_t> seed;
  grade::Engine engine = grade::Engine::virtual_gpu;
};

int check(const Options& options) {
  const std::string& name = options.name;
  if (options.continues && !options.mutants && (!options.cheats_only || options.output.empty()))
    throw CLI::ValidationError("--continue", "needs --mutants, or --cheats and --output");
  const auto root = clone_root();
  const course::Course course = course::load(root);
  std::vector<const course::Rung*> rungs;
  if (!name.empty()) {
    rungs = course::find(course, name);
  } else {
    for (const course::Lab& lab : course.labs) {
      for (const course::Rung& rung : lab.rungs)
        rungs.push_back(&rung);
    }
  }
  if (options.record_skeletons) {
    for (const auto& file : record_skeletons(course, rungs))
      fmt::print("{} is written\n", file.lexically_relative(root).string());
    return kPassed;
  }
  if (options.recorded) return print_record(course);
  // One file per core is faster than all cores on one file after the other: most of the time is
  // nvcc's.
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  if (cores > 1 && options.engine != grade::Engine::gpu) setenv(trace::kThreadsVariable, "1", 0);
  if (options.mutants) {
    MutantOptions wanted = options.mutant_options;
    wanted.workers = cores;
    wanted.seed = options.seed.value_or(1);
    wanted.all_todos = options.record;
    if (options.continues) wanted.known = known_mutants(course);
    return print_mutants(grade_mutants(course, rungs, wanted, options.record));
  }
  std::vector<CheckRow> rows;
  const uint64_t drawing_seed = options.seed ? *options.seed : std::random_device()();
  if (options.cheats_only) {
    ProgressLine line;
    say_when_interrupted(kNothingKept);
    line.show("compiling ...");
    CheatChoice choice{options.sample, drawing_seed};
    if (choice.most < SIZE_MAX) fmt::print("{} cheats of --seed {}\n", choice.most, choice.seed);
    if (options.continues && std::filesystem::exists(options.output))
      choice.known = rows_from_json(text::read_file(options.output), options.output);
    rows = check_cheats(course, rungs, options.engine, cores, choice,
                        [&](const std::vector<CheckRow>& there, size_t all) {
                          const std::string so_far = fmt::format("graded {} of {} cheats", there.size(), all);
                          line.show(so_far);
                          if (options.output.empty()) return;
                          replace_file(options.output, rows_to_json(there));
                          say_when_interrupted(fmt::format("{}; they are in {}", so_far, options.output));
                        });
  } else {
    rows = check_files(course, rungs);
    ProgressLine line;
    say_when_interrupted(kNothingKept);
    line.show("grading ...");
    CheckChoice choice{options.most_wrong, options.grades_skeletons, options.grades_families};
    if (options.solutions_only) choice = {.most_wrong = 0, .skeletons = false, .families = false};
    choice.most_files = options.sample;
    choice.seed = drawing_seed;
    if (options.counts) choice.inputs = options.seed;
    if (options.sample < SIZE_MAX && !options.json && !options.counts)
      fmt::print("at most {} files are graded, drawn by --seed {}\n", options.sample, drawing_seed);
    // A grade waits for the processes that it starts and ends: with one per core, a quarter of the cores' time
    // is idle.
    const auto graded = check_by_grading(
        course, rungs, choice, cores + (cores + 1) / 2,
        [&](size_t done, size_t all) { line.show(fmt::format("graded {} of {} files", done, all)); });
    rows.insert(rows.end(), graded.begin(), graded.end());
  }
  if (!options.output.empty()) replace_file(options.output, rows_to_json(rows));
  if (options.json) {
    fmt::print("{}", rows_to_json(rows));
    return std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.ok; }) ? kPassed
                                                                                         : kNotPassed;
  }
  if (options.counts) {
    print_counts(rows);
    return kPassed;
  }
  const report::Style style = report::style_of(1);
  print_table(rows, style);
  const size_t failed =
      static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [](const auto& row) { return !row.ok; }));
  fmt::print("\n{}\n", failed == 0 ? fmt::format("all {} checks hold", rows.size())
                                   : fmt::format("{} of {} checks fail", failed, rows.size()));
  return failed == 0 ? kPassed : kNotPassed;
}

}  // namespace

void add_check(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "check",
      "for those who change the course: skeletons fail, solutions pass, known-wrong files get their verdict");
  command->add_option("LAB[/RUNG]", options->name, "a lab or rung; none: all")->check(not_empty());
  command->add_flag("--cheats", options->cheats_only, "the files of tests/cheats instead");
  command->add_option("--wrong", options->most_wrong,
                      "grade at most this many known-wrong files of each rung (default: all)");
  command->add_flag("!--no-skeletons", options->grades_skeletons,
                    "do not run skeletons (that they are NOT STARTED is still checked)");
  command->add_flag("!--no-families", options->grades_families, "do not grade the files of tests/family");
  command->add_flag("--solutions", options->solutions_only, "grade solutions only");
  command->add_option("--sample", options->sample,
                      "grade this many files, or cheats, drawn by --seed (default: all)");
  command->add_option("--seed", options->seed,
                      "the seed of --sample and of the inputs of --counts (default: a new one every time), or of --mutants (default: 1)");
  auto* engine = command->add_option_function<std::string>(
      "--on",
      [options](const std::string& word) {
        options->engine = word == "gpu" ? grade::Engine::gpu : grade::Engine::virtual_gpu;
      },
      "cheats: gpu or virtual (default)");
  engine->check(CLI::IsMember({"gpu", "virtual"}))->needs("--cheats");
  command->add_flag("--record-skeletons", options->record_skeletons,
                    "check nothing; write which code an untouched skeleton has (labs/LAB/skeletons.sha256)");
  command
      ->add_option_function<std::vector<size_t>>(
          "--mutants",
          [options](const std::vector<size_t>& count) {
            options->mutants = true;
            options->mutant_options.count = count.empty() ? 0 : count.front();
          },
          "instead: grade N solutions (default: all) that a program has changed in one place each; every one "
          "must fail")
      ->expected(0, 1)
      ->option_text("N");
  command->add_flag("--record", options->record,
                    "with --mutants: keep each mutant's verdict in tests/mutants/graded, also of mutants of every TODO part");
  command->add_flag("--recorded-mutants", options->recorded,
                    "instead: check that tests/mutants/graded has enough mutants of every rung's current solution, and that "
                    "enough of them were caught");
  command->add_flag("--counts", options->counts,
                    "every count of every file instead of the table, tab-separated: to choose a gate's limit");
  command->add_flag("--json", options->json, "the table as JSON");
  command
      ->add_option(
          "-o,--output", options->output,
          "also write the table to FILE as JSON; with --cheats after each file, so that an interruption loses nothing")
      ->option_text("FILE");
  command
      ->add_flag("--continue", options->continues,
                 "cheats: skip the files that FILE lists with a right verdict and that have not changed since; with "
                 "--mutants: skip those that are recorded for the current solutions");
  add_device_option(*command);
  command->footer(
      "Exit status: 0 all checks hold, 1 some fail.\nExample:\n  ridge check 02-coalescing\n  ridge check "
      "--cheats --on gpu");
  command->callback([options, &invocation] { invocation.exit_status = check(*options); });
}

}  // namespace ridge::cli

#include "harness/cli/rung_work.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "harness/build/shared_folder.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/terminal/interruption.h"
#include "harness/course/lessons.h"
#include "harness/grade/diagnosis/not_started.h"
#include "harness/report/store/progress.h"
#include "harness/report/text/terminal.h"
#include "harness/report/text/text.h"
#include "text/layout.h"
#include "text/numbers.h"
#include "text/whole_file.h"
#include "trace/access_trace.h"

namespace ridge::cli {

namespace fs = std::filesystem;

const fs::path& source_of(const course::Rung& rung, bool solution) {
  const fs::path& file = solution ? rung.solution : rung.skeleton;
  std::error_code error;
  if (fs::is_regular_file(file, error)) return file;
  throw MachineError(fmt::format("there is no file {}; {}", file.string(),
                                 solution
                                     ? "`git checkout` or a fresh clone brings it back"
                                     : fmt::format("`ridge reset {}` puts the skeleton there", rung.path())));
}

fs::path cache_folder(const course::Rung& rung) {
  const fs::path root = rung.skeleton.parent_path().parent_path().parent_path();  // labs/LAB/RUNG.cu
  const fs::path cache = root / ".ridge" / "cache";
  if (build::can_write_in(cache)) return cache;
  // The clone is not writable.
  if (const char* own = std::getenv("XDG_CACHE_HOME"); own && *own) return fs::path(own) / "ridge";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "ridge";
  return cache;  // the message that it cannot be written follows
}

std::set<std::string> untouched_rungs(const course::Course& course) {
  std::set<std::string> rungs;
  for (const course::Lab& lab : course.labs) {
    for (const course::Rung& rung : lab.rungs) {
      std::error_code gone;
      if (fs::is_regular_file(rung.skeleton, gone) &&
          grade::is_untouched(rung, text::read_file(rung.skeleton)))
        rungs.insert(rung.path());
    }
  }
  return rungs;
}

namespace {

std::vector<report::PastRun> past_runs(report::Store& store, const course::Rung& rung) {
  constexpr int64_t kNewest = 100;  // sufficient for one student
  std::vector<report::PastRun> past;
  for (const report::StoredRun& run : store.runs({.rung = rung.path(), .newest = kNewest}))
    past.push_back(report::past_run(run));
  return past;
}

// Adds how this run compares with the runs before it.
void add_progress(report::Graded& graded, Records& records) {
  const course::Rung& rung = *graded.rung;
  const course::Course course = course::load(rung.skeleton.parent_path().parent_path().parent_path());
  std::vector<report::PastRun> earlier, before;
  records.with([&](report::Store& store) {
    earlier = past_runs(store, rung);
    if (const course::Rung* other = course::rung_before(course, rung)) before = past_runs(store, *other);
  });
  grade::Result& result = graded.result;
  if (grade::passed(result.verdict)) result.next = report::next_after_pass(course, rung, result);
  if (!result.detail.empty() && result.detail.back() != '\n') result.detail += '\n';
  result.detail += report::show_progress(course, rung, result, earlier, before);
}

}  // namespace

report::Graded grade_and_record(const course::Rung& rung, bool solution, grade::Engine engine,
                                Records& records, const Progress& progress) {
  grade::Request request;
  request.rung = &rung;
  request.source = solution ? rung.solution : rung.skeleton;
  request.engine = engine;
  request.progress = progress;
  request.cache = cache_folder(rung);
  std::error_code gone;
  if (!solution && fs::is_regular_file(request.source, gone)) {
    const std::string seen = text::read_file(request.source);
    records.with([&](report::Store& store) { store.remember_skeleton(rung.path(), seen); });
  }
  report::Graded graded{&rung, solution, grade::grade(request)};
  if (!grade::graded(graded.result.verdict)) return graded;
  if (!solution) add_progress(graded, records);
  const report::Origin origin = solution ? report::Origin::solution : report::Origin::student;
  records.with([&](report::Store& store) {
    store.record({rung.path(), origin, graded.result.source, graded.result.seed}, graded.result);
  });
  return graded;
}

report::Graded grade_file(const course::Rung& rung, const fs::path& file, grade::Engine engine,
                          std::optional<uint64_t> seed, const Progress& progress) {
  grade::Request request;
  request.rung = &rung;
  request.source = file;
  request.seed = seed;
  request.engine = engine;
  request.progress = progress;
  request.cache = cache_folder(rung);
  return {&rung, false, grade::grade(request), file.string()};
}

fs::path default_trace_file(const fs::path& root, const course::Rung& rung, bool solution) {
  return root / ".ridge" / "traces" /
         fmt::format("{}-{}{}.rtrace", rung.lab, rung.name, solution ? "-solution" : "");
}

fs::path newest_trace(const fs::path& root, const course::Rung& rung) {
  fs::path newest;
  fs::file_time_type newest_time;
  for (const bool solution : {false, true}) {
    std::error_code error;
    const fs::path file = default_trace_file(root, rung, solution);
    const fs::file_time_type time = fs::last_write_time(file, error);
    if (error || (!newest.empty() && time <= newest_time)) continue;
    newest = file;
    newest_time = time;
  }
  return newest;
}

namespace {

std::string describe_trace(const fs::path& file, uint64_t limit_bytes) {
  const trace::AccessTrace trace = trace::read_access_trace(file);
  std::string text = fmt::format("{} block{}, {} records", trace.blocks.size(),
                                 trace.blocks.size() == 1 ? "" : "s", text::with_thousands(trace.records()));
  uint64_t without_values = 0;
  for (const trace::BlockRecords& block : trace.blocks)
    without_values += block.without_values();
  if (without_values > 0)
    text += fmt::format(", {} of them without their values because there was no room",
                        text::with_thousands(without_values));
  if (trace.records_dropped() > 0) {
    text += fmt::format(
        "; {} records more did not fit into {} MB and were left out: raise --limit, or name fewer --blocks",
        text::with_thousands(trace.records_dropped()), limit_bytes >> 20);
  }
  return text;
}

}  // namespace

Traced trace_rung(const course::Rung& rung, const RecordingOptions& recording, const fs::path& file,
                  const Progress& progress) {
  std::error_code error;
  const fs::path folder = fs::absolute(file).parent_path();
  build::make_folders(folder, error);
  if (error)
    throw MachineError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  if (!build::can_write_in(folder))
    throw MachineError(fmt::format("cannot write in {}; `ridge trace {} -o FILE` puts the trace elsewhere",
                                   folder.string(), rung.path()));
  // An old trace must not be mistaken for the new one. A program that has it open keeps it until
  // the rename.
  const UnfinishedFile fresh(fs::absolute(file).string() + fmt::format(".fresh-{}", getpid()));
  // Grade writes its own file with another suffix.
  const UnfinishedFile noted(fresh.path().string() +
                             fmt::format(".new-{}", getpid()));
  say_when_interrupted(fs::exists(file, error) ? "the trace is as it was" : "no trace was written");
  grade::Request request;
  request.rung = &rung;
  request.source = recording.solution ? rung.solution : rung.skeleton;
  request.engine = grade::Engine::virtual_gpu;
  request.progress = progress;
  request.cache = cache_folder(rung);
  request.trace_file = fresh.path();
  request.trace_blocks = recording.blocks;
  request.trace_limit_bytes = recording.limit_bytes;
  request.is_solution = recording.solution;
  Traced traced{{&rung, recording.solution, grade::grade(request)}, file, 0, {}};
  if (!fs::exists(fresh.path(), error)) {
    fs::remove(file, error);
    return traced;
  }
  fs::rename(fresh.path(), file);
  traced.bytes = fs::file_size(file);
  traced.contents = describe_trace(
      file, recording.limit_bytes == 0 ? trace::kDefaultTraceLimitBytes : recording.limit_bytes);
  return traced;
}

std::string next_hint(const course::Rung& rung, Records& records, size_t width) {
  int used = 0;
  records.with([&](report::Store& store) { used = store.hints_used(rung.path()); });
  const int count = static_cast<int>(rung.hints.size());
  const int number = std::min(used + 1, count);
  records.with([&](report::Store& store) { store.record_hint(rung.path(), number); });
  const char* last = used >= count ? " (you have seen them all; the solution is in solutions/)" : "";
  return fmt::format("Hint {} of {} for {}{}:\n{}", number, count, rung.path(), last,
                     text::wrapped(rung.hints[static_cast<size_t>(number - 1)], width, 2));
}

}  // namespace ridge::cli

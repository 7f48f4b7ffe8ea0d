#include "harness/cli/course_checks/cheats.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "harness/build/compile.h"
#include "harness/build/sha256.h"
#include "harness/cli/rung_work.h"
#include "harness/course/table_reader.h"
#include "harness/grade/engine_choice.h"
#include "text/whole_file.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

std::vector<grade::Verdict> verdicts_of(course::TableReader& reader, const std::string& key) {
  std::vector<grade::Verdict> verdicts;
  for (const std::string& word : reader.texts(key)) {
    try {
      verdicts.push_back(grade::verdict_from(word));
    } catch (const std::invalid_argument& error) {
      reader.fail(key, error.what(), "one of those");
    }
  }
  return verdicts;
}

std::string joined(const std::vector<grade::Verdict>& verdicts) {
  std::string text;
  for (grade::Verdict verdict : verdicts)
    text += (text.empty() ? "" : " or ") + std::string(grade::to_string(verdict));
  return text;
}

// Calls work(0), work(1), ... on several threads.
void for_each_index(size_t count, unsigned workers, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, workers); ++i) {
    threads.emplace_back([&] {
      for (size_t index = next++; index < count; index = next++)
        work(index);
    });
  }
}

struct CheatTask {
  const Cheat* cheat;
  const course::Rung* rung;
  CheckRow row;
  bool is_known = false;  // the row is that of an earlier run
};

std::string headers_text(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files)
    text += text::read_file(file);
  return text;
}

void take_over_known(std::vector<CheatTask>& tasks, const std::vector<CheckRow>& known) {
  for (CheatTask& task : tasks)
    for (const CheckRow& row : known) {
      if (!row.ok || row.sha256 != task.row.sha256 || row.rung != task.row.rung || row.what != task.row.what ||
          row.expected != task.row.expected)
        continue;
      task.row = row;
      task.is_known = true;
    }
}

// Why it is skipped here; "" when it is not.
std::string why_left_out(const Cheat& cheat, grade::Engine engine) {
  if (engine == grade::Engine::virtual_gpu && !cheat.virtual_skip.empty()) return cheat.virtual_skip;
  if (cheat.needs_sandboxed_compiler && !build::compiler_is_sandboxed())
    return "the compiler has no sandbox here: bubblewrap is missing or does not work";
  return "";
}

void carry_out(CheatTask& task, grade::Engine engine) {
  if (std::string why = why_left_out(*task.cheat, engine); !why.empty()) {
    task.row.got = grade::to_string(grade::Verdict::skipped);
    task.row.summary = std::move(why);
    task.row.ok = true;
    return;
  }
  grade::Request request;
  request.rung = task.rung;
  request.source = task.cheat->file;
  request.engine = engine;
  request.cache = cache_folder(*task.rung);
  request.headers = {task.cheat->headers};
  const auto& right = engine == grade::Engine::gpu ? task.cheat->on_gpu : task.cheat->on_virtual;
  try {
    const grade::Result result = grade::grade(request);
    task.row.got = grade::to_string(result.verdict);
    task.row.seconds = result.seconds;
    task.row.explanation = result.summary + "\n" + result.detail;
    task.row.summary = result.summary;
    task.row.ok = std::find(right.begin(), right.end(), result.verdict) != right.end();
    if (result.measured) task.row.percent = result.measured->percent;
  } catch (const std::exception& error) {
    task.row.got = "no verdict";
    task.row.explanation = error.what();
  }
}

std::vector<fs::path> include_folders_of(const CheatTask& task) {
  std::vector<fs::path> folders = task.rung->include_folders();
  folders.push_back(task.cheat->headers);
  return folders;
}

// Compiles all files first, in parallel, since compiling takes longer than grading. A file that
// does not compile gets its verdict when it is graded.
void compile_all(const std::vector<CheatTask>& tasks, grade::Engine engine, unsigned workers) {
  const std::string architecture = grade::choose_engine(engine, runner::find_installation()).architecture;
  for_each_index(tasks.size(), workers, [&](size_t i) {
    const CheatTask& task = tasks[i];
    if (task.is_known || !why_left_out(*task.cheat, engine).empty()) return;
    try {
      build::compile(task.cheat->file, cache_folder(*task.rung), architecture,
                     include_folders_of(task));
    } catch (const std::exception&) {
    }
  });
}

// On a GPU, parallel gradings disturb each other's times. Files with wrong answers and refused
// files can run in parallel, since their verdict does not depend on times.
bool is_decided_without_times(const Cheat& cheat) {
  using grade::Verdict;
  return std::all_of(cheat.on_gpu.begin(), cheat.on_gpu.end(), [](Verdict verdict) {
    return verdict == Verdict::wrong || verdict == Verdict::out_of_bounds ||
           verdict == Verdict::compile_error || verdict == Verdict::launch_error ||
           verdict == Verdict::timeout;
  });
}

constexpr unsigned kMostOnOneGpu = 4;

// Percent points by which a passing cheat may exceed its twin: the noise of two measurements.
constexpr double kRoomPercent = 3;

void compare_with_twins(std::vector<CheatTask>& tasks) {
  std::map<std::string, double> percents;
  for (const CheatTask& task : tasks)
    if (task.row.percent) percents[task.cheat->file.filename().string()] = *task.row.percent;
  for (CheatTask& task : tasks) {
    auto twin = percents.find(task.cheat->twin);
    if (!task.cheat->gains_nothing || !task.row.percent || twin == percents.end()) continue;
    if (*task.row.percent <= twin->second + kRoomPercent) continue;
    task.row.ok = false;
    task.row.explanation = fmt::format("it reaches {:.1f}%, and its honest twin {} reaches {:.1f}%",
                                       *task.row.percent, task.cheat->twin, twin->second);
  }
}

}  // namespace

std::vector<Cheat> load_cheats(const fs::path& root) {
  const fs::path folder = root / "tests" / "cheats";
  const fs::path table = folder / "cheats.toml";
  if (!fs::exists(table)) return {};
  const std::string shown = table.lexically_relative(root).string();
  toml::table document;
  try {
    document = toml::parse_file(table.string());
  } catch (const toml::parse_error& error) {
    course::fail_at(shown, error.source().begin.line, std::string(error.description()) + ", expected TOML");
  }
  std::vector<Cheat> cheats;
  course::TableReader top(document, shown, "the file");
  for (const char* kind : {"honest", "cheat"}) {
    for (course::TableReader& reader : top.tables(kind)) {
      Cheat cheat;
      cheat.honest = kind == std::string("honest");
      cheat.file = folder / reader.text("file");
      cheat.headers = folder / "headers";
      cheat.rung = reader.text("rung");
      cheat.on_virtual = verdicts_of(reader, "virtual");
      cheat.on_gpu = verdicts_of(reader, "gpu");
      if (!cheat.honest) {
        cheat.twin = reader.text("twin");
        cheat.stopped_by = reader.text("stopped_by");
        cheat.virtual_skip = reader.text_if_there("virtual_skip");
        const std::string needs = reader.text_if_there("needs");
        if (!needs.empty() && needs != "fenced compiler")
          reader.fail("needs", "\"" + needs + "\" is nothing that can be missing", "\"fenced compiler\"");
        cheat.needs_sandboxed_compiler = !needs.empty();
        cheat.gains_nothing = reader.text_if_there("gains") == "nothing";
        // The reason why a cheat may pass there.
        for (const char* note : {"virtual_note", "gpu_note"})
          (void)reader.text_if_there(note);
        const bool twin_is_honest = std::any_of(cheats.begin(), cheats.end(), [&](const Cheat& other) {
          return other.honest && other.file.filename() == cheat.twin;
        });
        if (!twin_is_honest)
          reader.fail("twin", fmt::format("\"{}\" is not an [[honest]] file", cheat.twin), "one of those");
      }
      reader.no_other_keys();
      if (!fs::exists(cheat.file)) reader.fail("file", cheat.file.string() + " is missing", "that file");
      cheats.push_back(std::move(cheat));
    }
  }
  top.no_other_keys();
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cu") continue;
    const bool listed = std::any_of(cheats.begin(), cheats.end(),
                                    [&](const Cheat& cheat) { return cheat.file == entry.path(); });
    if (!listed)
      course::fail_at(
          shown, 1,
          fmt::format("{} is not listed, expected a table for every file", entry.path().filename().string()));
  }
  return cheats;
}

std::vector<CheckRow> check_cheats(const course::Course& course,
                                   const std::vector<const course::Rung*>& rungs, grade::Engine engine,
                                   unsigned workers, const CheatChoice& choice, const CheatsDone& done) {
  const std::vector<Cheat> cheats = load_cheats(course.root);
  const std::string headers = cheats.empty() ? "" : headers_text(cheats.front().headers);
  std::vector<CheatTask> tasks;
  for (const Cheat& cheat : cheats) {
    const auto rung =
        std::find_if(rungs.begin(), rungs.end(), [&](const auto* one) { return one->path() == cheat.rung; });
    if (rung == rungs.end()) continue;
    const auto& right = engine == grade::Engine::gpu ? cheat.on_gpu : cheat.on_virtual;
    CheckRow row{cheat.rung,
                 (cheat.honest ? "honest: " : "cheat: ") + cheat.file.stem().string(),
                 joined(right),
                 "",
                 false,
                 "",
                 0,
                 ""};
    row.sha256 = build::sha256(text::read_file(cheat.file) + headers);
    tasks.push_back({&cheat, *rung, row});
  }
  if (choice.most < tasks.size()) {
    std::mt19937_64 random(choice.seed);
    std::shuffle(tasks.begin(), tasks.end(), random);
    tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(choice.most), tasks.end());
  }
  const bool on_gpu = engine == grade::Engine::gpu;
  take_over_known(tasks, choice.known);
  if (on_gpu) compile_all(tasks, engine, workers);
  const auto side_by_side = std::stable_partition(tasks.begin(), tasks.end(), [&](const CheatTask& task) {
    return on_gpu && !is_decided_without_times(*task.cheat);
  });
  std::vector<CheckRow> rows;
  std::mutex finishing;
  const auto carry_out_at = [&](size_t i) {
    if (!tasks[i].is_known) carry_out(tasks[i], engine);
    const std::lock_guard lock(finishing);
    rows.push_back(tasks[i].row);
    done(rows, tasks.size());
  };
  const auto timed = static_cast<size_t>(side_by_side - tasks.begin());
  for_each_index(tasks.size() - timed, on_gpu ? std::min(workers, kMostOnOneGpu) : workers,
                 [&](size_t i) { carry_out_at(timed + i); });
  for_each_index(timed, 1, carry_out_at);
  if (on_gpu) compare_with_twins(tasks);
  rows.clear();
  std::stable_sort(tasks.begin(), tasks.end(), [](const CheatTask& a, const CheatTask& b) {
    return a.cheat < b.cheat;
  });  // in the order of the table
  for (CheatTask& task : tasks)
    rows.push_back(std::move(task.row));
  return rows;
}

}  // namespace ridge::cli

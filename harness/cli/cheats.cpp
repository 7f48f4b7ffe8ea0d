#include "harness/cli/cheats.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "harness/cli/rung_work.h"
#include "harness/course/table_reader.h"

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

struct CheatTask {
  const Cheat* cheat;
  const course::Rung* rung;
  CheckRow row;
  std::optional<double> percent;  // of the baseline, on a GPU
};

void carry_out(CheatTask& task, grade::Engine engine) {
  if (engine == grade::Engine::virtual_gpu && !task.cheat->virtual_skip.empty()) {
    task.row.got = grade::to_string(grade::Verdict::skipped);
    task.row.summary = task.cheat->virtual_skip;
    task.row.ok = true;
    return;
  }
  grade::Request request;
  request.rung = task.rung;
  request.source = task.cheat->file;
  request.engine = engine;
  request.cache = cache_folder(*task.rung);
  const auto& right = engine == grade::Engine::gpu ? task.cheat->on_gpu : task.cheat->on_virtual;
  try {
    const grade::Result result = grade::grade(request);
    task.row.got = grade::to_string(result.verdict);
    task.row.seconds = result.seconds;
    task.row.explanation = result.summary + "\n" + result.detail;
    task.row.summary = result.summary;
    task.row.ok = std::find(right.begin(), right.end(), result.verdict) != right.end();
    if (result.measured) task.percent = result.measured->percent;
  } catch (const std::exception& error) {
    task.row.got = "no verdict";
    task.row.explanation = error.what();
  }
}

// What a cheat that may pass is allowed above its twin: the noise of two measurements.
constexpr double kRoomPercent = 3;

void compare_with_twins(std::vector<CheatTask>& tasks) {
  std::map<std::string, double> percents;
  for (const CheatTask& task : tasks)
    if (task.percent) percents[task.cheat->file.filename().string()] = *task.percent;
  for (CheatTask& task : tasks) {
    auto twin = percents.find(task.cheat->twin);
    if (!task.cheat->gains_nothing || !task.percent || twin == percents.end()) continue;
    if (*task.percent <= twin->second + kRoomPercent) continue;
    task.row.ok = false;
    task.row.explanation = fmt::format("it reaches {:.1f}%, and its honest twin {} reaches {:.1f}%",
                                       *task.percent, task.cheat->twin, twin->second);
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
      cheat.rung = reader.text("rung");
      cheat.on_virtual = verdicts_of(reader, "virtual");
      cheat.on_gpu = verdicts_of(reader, "gpu");
      if (!cheat.honest) {
        cheat.twin = reader.text("twin");
        cheat.stopped_by = reader.text("stopped_by");
        cheat.virtual_skip = reader.text_if_there("virtual_skip");
        cheat.gains_nothing = reader.text_if_there("gains") == "nothing";
        // Why it is right that a cheat passes there.
        for (const char* note : {"virtual_note", "gpu_note"})
          (void)reader.text_if_there(note);
        const bool twin_is_honest = std::any_of(cheats.begin(), cheats.end(), [&](const Cheat& other) {
          return other.honest && other.file.filename() == cheat.twin;
        });
        if (!twin_is_honest)
          reader.fail("twin", fmt::format("\"{}\" is no [[honest]] file", cheat.twin), "one of those");
      }
      reader.no_other_keys();
      if (!fs::exists(cheat.file)) reader.fail("file", cheat.file.string() + " is missing", "that file");
      cheats.push_back(std::move(cheat));
    }
  }
  top.no_other_keys();
  for (const auto& entry : fs::directory_iterator(folder)) {
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
                                   unsigned workers,
                                   const std::function<void(size_t done, size_t all)>& done) {
  const std::vector<Cheat> cheats = load_cheats(course.root);
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
    tasks.push_back({&cheat, *rung, row, {}});
  }
  std::atomic<size_t> next = 0;
  size_t finished = 0;
  std::mutex finishing;
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, workers); ++i) {
      threads.emplace_back([&] {
        for (size_t task = next++; task < tasks.size(); task = next++) {
          carry_out(tasks[task], engine);
          const std::lock_guard lock(finishing);
          done(++finished, tasks.size());
        }
      });
    }
  }
  if (engine == grade::Engine::gpu) compare_with_twins(tasks);
  std::vector<CheckRow> rows;
  for (CheatTask& task : tasks)
    rows.push_back(std::move(task.row));
  return rows;
}

}  // namespace ridge::cli

#include "harness/report/store.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "harness/build/sha256.h"
#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"
#include "tests/harness/report/stored_run.h"

using namespace ridge;
using grade::Verdict;
using tests::kRung;
using tests::result_with;
using tests::ScratchFolder;

namespace {

report::Run run_of(const std::string& source, uint64_t seed = 0) {
  return {kRung, report::Origin::student, source, seed};
}

void put_version(const ScratchFolder& scratch, int version) {
  std::ostringstream sql;
  sql << std::ifstream(RIDGE_SOURCE_DIR "/tests/harness/report/stores/version-" + std::to_string(version) +
                       ".sql")
             .rdbuf();
  scratch.write(".ridge/traces/none", "");
  report::Database(report::Store::file_under(scratch.path), 1000).run(sql.str());
}

int64_t version_in(const ScratchFolder& scratch) {
  report::Database database(report::Store::file_under(scratch.path), 1000);
  report::Statement version = database.prepare("PRAGMA user_version");
  version.step();
  return version.number(0);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const report::StoreError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("what was recorded is there after the store is opened again") {
  const ScratchFolder scratch;
  {
    report::Store store = report::Store::open(scratch.path);
    CHECK(store.records().empty());
    store.record(run_of("v1"), result_with(Verdict::wrong));
    store.record(run_of("v2"), result_with(Verdict::gold, 83.5));
    store.record(run_of("v3"), result_with(Verdict::pass, 71));
    store.record(run_of("v4"), result_with(Verdict::out_of_bounds));
    store.record({"02/9-other", report::Origin::solution, "", 0}, result_with(Verdict::gold, 99));
  }
  report::Store store = report::Store::open(scratch.path);
  const auto records = store.records();
  REQUIRE(records.size() == 1);  // the solution's grade is not the student's
  const report::RungRecord& record = records.at(kRung);
  CHECK(record.last == Verdict::out_of_bounds);
  CHECK(record.passed);
  CHECK(record.gold);
  CHECK(record.best_percent == 83.5);
  CHECK(record.passed_on_gpu);
  CHECK(record.runs == 4);
}

TEST_CASE("the best percentage is kept for each device, and a virtual pass is known as one") {
  const ScratchFolder scratch;
  report::Store store = report::Store::open(scratch.path);
  store.record(run_of(""), result_with(Verdict::pass));
  CHECK(store.records().at(kRung).passed);
  CHECK_FALSE(store.records().at(kRung).passed_on_gpu);
  const std::pair<const char*, double> measured[] = {
      {"NVIDIA H200", 71}, {"NVIDIA A100", 78.5}, {"NVIDIA H200", 76}, {"NVIDIA H200", 75}};
  for (const auto& [device, percent] : measured) {
    grade::Result result = result_with(Verdict::pass, percent);
    result.device = device;
    store.record(run_of(""), result);
  }
  const report::RungRecord record = store.records().at(kRung);
  CHECK(record.best_by_device == std::map<std::string, double>{{"NVIDIA A100", 78.5}, {"NVIDIA H200", 76}});
  CHECK(record.best_percent == 78.5);
  CHECK(record.passed_on_gpu);
}

TEST_CASE("a run comes back with everything that a replay needs") {
  const ScratchFolder scratch;
  report::Store store = report::Store::open(scratch.path);
  grade::Result result = result_with(Verdict::gold, 97.25);
  result.device = "NVIDIA H200";
  result.seconds = 1.5;
  result.conditions = {"13.0", {"-O3", "-lineinfo"}, "abcd", "A100", {{17, 3}, {1000, 77}}};
  const std::string source = std::string("// caf\xe9\0", 9) + "\nint x;\n";  // Latin-1, and a zero byte
  const int64_t number = store.record({kRung, report::Origin::solution, source, ~0ull}, result);
  const auto run = store.run(number);
  REQUIRE(run);
  CHECK(run->number == number);
  CHECK(run->rung == kRung);
  CHECK(run->origin == report::Origin::solution);
  CHECK(run->source == source);
  CHECK(run->seed == ~0ull);
  CHECK(run->verdict == Verdict::gold);
  CHECK(run->engine == grade::Engine::gpu);
  CHECK(run->device == "NVIDIA H200");
  CHECK(run->percent == 97.25);
  CHECK(run->seconds == 1.5);
  CHECK(run->at_ms > 1'600'000'000'000);
  const auto conditions = nlohmann::json::parse(run->conditions);
  CHECK(conditions.at("toolkit") == "13.0");
  CHECK(conditions.at("flags") == nlohmann::json({"-O3", "-lineinfo"}));
  CHECK(conditions.at("headers_sha256") == "abcd");
  CHECK(conditions.at("device_asked") == "A100");
  CHECK(conditions.at("hidden_sizes") == nlohmann::json({{17, 3}, {1000, 77}}));
  CHECK_FALSE(conditions.at("ridge").get<std::string>().empty());
  CHECK_FALSE(store.run(number + 1));
}

TEST_CASE("runs are found by rung, by lab, newest first counted and oldest first told") {
  const ScratchFolder scratch;
  report::Store store = report::Store::open(scratch.path);
  const char* rungs[] = {"01-a/1-x", "01-a/10-x", "01-a/1-x", "01-ab/1-x", "01-a/1-x"};
  for (const char* rung : rungs)
    store.record({rung, report::Origin::student, "", 0}, result_with(Verdict::wrong));
  store.record({"01-a/1-x", report::Origin::solution, "", 0}, result_with(Verdict::pass));
  store.record({"01-a/1-x", report::Origin::student, "", 0}, result_with(Verdict::skipped));
  const auto numbers = [&](const report::RunFilter& filter) {
    std::vector<int64_t> found;
    for (const report::StoredRun& run : store.runs(filter))
      found.push_back(run.number);
    return found;
  };
  using Numbers = std::vector<int64_t>;
  CHECK(numbers({}) == Numbers{1, 2, 3, 4, 5});
  CHECK(numbers({.rung = "01-a/1-x"}) == Numbers{1, 3, 5});
  CHECK(numbers({.rung = "01-a/1-x", .solutions = true}) == Numbers{1, 3, 5, 6});
  CHECK(numbers({.lab = "01-a"}) == Numbers{1, 2, 3, 5});
  CHECK(numbers({.lab = "01-a", .newest = 2}) == Numbers{3, 5});
  CHECK(numbers({.rung = "02"}).empty());
  CHECK(store.numbers().first == 1);
  CHECK(store.numbers().last == 7);
}

TEST_CASE("a percentage of a version that did not pass is no best") {
  const ScratchFolder scratch;
  report::Store store = report::Store::open(scratch.path);
  store.record(run_of(""), result_with(Verdict::suspect, 400));
  CHECK_FALSE(store.records().at(kRung).best_percent);
  CHECK_FALSE(store.records().at(kRung).passed);
}

TEST_CASE("a row holds source, hash, seed and figures") {
  const ScratchFolder scratch;
  report::Store::open(scratch.path)
      .record(run_of("abc", 0xfedcba9876543210), result_with(Verdict::pass, 71.25));
  report::Database database(report::Store::file_under(scratch.path), 1000);
  report::Statement row = database.prepare(
      "SELECT source, source_sha256, seed, figures, verdict, engine, origin, at_ms FROM runs");
  REQUIRE(row.step());
  CHECK(row.text(0) == "abc");
  CHECK(row.text(1) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(row.text(2) == "fedcba9876543210");
  CHECK(nlohmann::json::parse(row.text(3)).at("measured").at("percent") == 71.25);
  CHECK(row.text(4) == "PASS");
  CHECK(row.text(5) == "gpu");
  CHECK(row.text(6) == "student");
  CHECK(row.number(7) > 1'600'000'000'000);
}

TEST_CASE("hints and skeletons are remembered, the first of each") {
  const ScratchFolder scratch;
  report::Store store = report::Store::open(scratch.path);
  CHECK(store.hints_used(kRung) == 0);
  store.record_hint(kRung, 1);
  store.record_hint(kRung, 2);
  store.record_hint(kRung, 2);
  CHECK(store.hints_used(kRung) == 2);
  CHECK(store.hints_used("other") == 0);
  CHECK_FALSE(store.remembered_skeleton(kRung));
  store.remember_skeleton(kRung, "first");
  store.remember_skeleton(kRung, "second");
  CHECK(store.remembered_skeleton(kRung) == "first");
}

TEST_CASE("a store of a newer version is refused in plain words and left as it is") {
  const ScratchFolder scratch;
  report::Store::open(scratch.path).record(run_of(""), result_with(Verdict::pass));
  const auto file = report::Store::file_under(scratch.path);
  report::Database(file, 1000).run("PRAGMA user_version = 7");
  const std::string message = error_of([&] { report::Store::open(scratch.path); });
  CHECK_THAT(message,
             Catch::Contains("was written by a newer ridge (its tables are version 7, this ridge knows 3)"));
  CHECK_THAT(message, Catch::Contains("git pull"));
  report::Database database(file, 1000);
  report::Statement rows = database.prepare("SELECT count(*) FROM runs");
  rows.step();
  CHECK(rows.number(0) == 1);
}

TEST_CASE("a store of version 1 is brought up to date, and nothing of it is lost") {
  const ScratchFolder scratch;
  put_version(scratch, 1);
  {
    report::Store store = report::Store::open(scratch.path);
    const auto runs = store.runs({.solutions = true});
    REQUIRE(runs.size() == 4);
    CHECK(runs[0].verdict == Verdict::wrong);
    CHECK(runs[1].verdict == Verdict::out_of_bounds);
    CHECK(runs[3].origin == report::Origin::solution);
    CHECK_THAT(runs[2].source, Catch::Contains("if (i < n) c[i] = a[i] + b[i];"));
    CHECK(build::sha256(runs[2].source) == runs[2].source_sha256);
    CHECK(runs[2].conditions == "{}");
    CHECK(store.records().at(kRung).passed);
    CHECK(store.hints_used("01-kernel-basics/2-grid-stride-saxpy") == 1);
    CHECK(store.record(run_of("new"), result_with(Verdict::pass)) == 6);
  }
  CHECK(version_in(scratch) == 3);
  CHECK(report::Store::open(scratch.path).runs({}).size() == 4);
}

TEST_CASE("a store of version 2 is brought up to date, and then remembers tunings too") {
  const ScratchFolder scratch;
  put_version(scratch, 2);
  report::Store store = report::Store::open(scratch.path);
  CHECK(version_in(scratch) == 3);
  CHECK(store.runs({}).size() == 2);
  CHECK(store.hints_used(kRung) == 1);
  CHECK_FALSE(store.best_tuning(kRung, "file", ""));
  store.record_tuning({kRung, "NVIDIA H200", "file", {{"kTile", 64}}, 80.5, 16, 96, 0});
  CHECK(store.best_tuning(kRung, "file", "")->percent == 80.5);
}

TEST_CASE("the best tuning of one file on one device is remembered, not another file's or device's") {
  const ScratchFolder scratch;
  report::Store store = report::Store::open(scratch.path);
  store.record_tuning({kRung, "NVIDIA H200", "file", {{"kTile", 64}, {"kPadded", 1}}, 80, 16, 96, 0});
  store.record_tuning({kRung, "NVIDIA H200", "file", {{"kTile", 128}, {"kPadded", 0}}, 87.5, 12, 96, 0});
  store.record_tuning({kRung, "NVIDIA H200", "file", {{"kTile", 32}, {"kPadded", 0}}, 81, 16, 96, 0});
  store.record_tuning({kRung, "NVIDIA H100", "file", {{"kTile", 16}, {"kPadded", 0}}, 95, 16, 96, 0});
  const auto best = store.best_tuning(kRung, "file", "NVIDIA H200");
  REQUIRE(best);
  CHECK(best->setting == std::map<std::string, int64_t>{{"kTile", 128}, {"kPadded", 0}});
  CHECK(best->percent == 87.5);
  CHECK(best->tries == 12);
  CHECK(best->candidates == 96);
  CHECK(best->at_ms > 1'700'000'000'000);
  CHECK(store.best_tuning(kRung, "file", "")->device == "NVIDIA H100");
  CHECK_FALSE(store.best_tuning(kRung, "other file", "NVIDIA H200"));
  CHECK_FALSE(store.best_tuning("02/1-other", "file", "NVIDIA H200"));
}

TEST_CASE("many programs that bring one old store up to date at once do it once") {
  const ScratchFolder scratch;
  put_version(scratch, 1);
  std::vector<std::string> errors(6);
  {
    std::vector<std::jthread> programs;
    for (std::string& error : errors) {
      programs.emplace_back([&] {
        error = error_of(
            [&] { report::Store::open(scratch.path).record(run_of("new"), result_with(Verdict::wrong)); });
      });
    }
  }
  for (const std::string& error : errors)
    CHECK(error == "no error");
  CHECK(report::Store::open(scratch.path).runs({.solutions = true}).size() == 4 + errors.size());
}

TEST_CASE("a store that another program keeps locked is said to be, and is whole when it lets go") {
  const ScratchFolder scratch;
  report::Store::open(scratch.path).record(run_of("1"), result_with(Verdict::wrong));
  report::Database other(report::Store::file_under(scratch.path), 50),
      ours(report::Store::file_under(scratch.path), 50);
  other.run("BEGIN IMMEDIATE");
  CHECK_THAT(
      error_of([&] { const report::Transaction transaction(ours); }),
      Catch::Contains(
          "database is locked; another program has been writing to it for seconds: end it, or try again"));
  CHECK(report::Store::open_to_read(scratch.path)->runs({}).size() == 1);  // looking needs no lock
  other.run("ROLLBACK");
  CHECK(report::Store::open(scratch.path).record(run_of("2"), result_with(Verdict::wrong)) == 2);
}

TEST_CASE("the store of a clone that a group may write to can be written by the group, and no other's") {
  struct Case {
    unsigned root, folder, file;
  };
  for (const Case& c : {Case{0755, 0755, 0644}, {02775, 02775, 0664}}) {
    const mode_t before = umask(022);
    const ScratchFolder scratch;
    chmod(scratch.path.c_str(), c.root);
    report::Store store = report::Store::open(scratch.path);
    umask(before);
    const auto bits = [](const std::filesystem::path& path) {
      struct stat status {};
      return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0u;
    };
    CHECK(bits(scratch.path / ".ridge") == c.folder);
    CHECK(bits(scratch.path / ".ridge/ridge.db") == c.file);
    CHECK(bits(scratch.path / ".ridge/ridge.db-wal") == c.file);
  }
}

TEST_CASE("a clone in which nothing can be written is still read, whatever the version of its store") {
  if (geteuid() == 0) {
    WARN("tried by the program's tests, as another user: root may write anywhere");
    return;
  }
  const int version = GENERATE(1, 2, 3);
  const ScratchFolder scratch;
  if (version < 3) {
    put_version(scratch, version);
  } else {
    report::Store::open(scratch.path).record(run_of(""), result_with(Verdict::pass));
  }
  std::filesystem::permissions(report::Store::file_under(scratch.path), std::filesystem::perms::owner_read);
  std::filesystem::permissions(scratch.path / ".ridge", std::filesystem::perms(0500));
  CHECK(report::Store::open_to_read(scratch.path)->records().at(kRung).passed);
  CHECK_FALSE(report::Store::open_to_read(scratch.path)->best_tuning(kRung, "file", ""));
  CHECK_THAT(
      error_of([&] { report::Store::open(scratch.path).record(run_of(""), result_with(Verdict::pass)); }),
      Catch::Contains("must be writable for you"));
  std::filesystem::permissions(scratch.path / ".ridge", std::filesystem::perms(0700));
}

TEST_CASE("where nothing was kept yet there is nothing to read, and looking makes no file") {
  const ScratchFolder scratch;
  CHECK_FALSE(report::Store::open_to_read(scratch.path));
  CHECK(std::filesystem::is_empty(scratch.path));
}

TEST_CASE("many graders that open and write at once lose no row") {
  const ScratchFolder scratch;
  constexpr int kWriters = 6, kRows = 20;
  std::vector<std::string> errors(kWriters);
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        errors[i] = error_of([&] {
          for (int row = 0; row < kRows; ++row) {
            report::Store::open(scratch.path).record(run_of(""), result_with(Verdict::wrong));
          }
        });
      });
    }
  }
  for (const std::string& error : errors)
    CHECK(error == "no error");
  CHECK(report::Store::open(scratch.path).records().at(kRung).runs == kWriters * kRows);
}

TEST_CASE("a file that is no database, a folder that is a file and a full disk are told apart") {
  SECTION("no database") {
    const ScratchFolder scratch;
    scratch.write(".ridge/ridge.db", "this is not a database, and long enough to be looked at as one\n");
    CHECK_THAT(error_of([&] { report::Store::open(scratch.path); }),
               Catch::Contains("the file is damaged: move it"));
  }
  SECTION("a file where the folder should be") {
    const ScratchFolder scratch;
    scratch.write(".ridge", "");
    CHECK_THAT(error_of([&] { report::Store::open(scratch.path); }), Catch::Contains(".ridge"));
  }
  SECTION("a full disk, and then room again") {
    const ScratchFolder scratch;
    if (mount("none", scratch.path.c_str(), "tmpfs", 0, "size=256k") != 0) {
      WARN("not tried: mounting a small file system needs the right to");
      return;
    }
    const std::string message = error_of([&] {
      report::Store store = report::Store::open(scratch.path);
      for (int i = 0; i < 100; ++i) {
        store.record(run_of(std::string(20000, 'x')), result_with(Verdict::pass));
      }
    });
    CHECK_THAT(message, Catch::Contains("the disk is full"));
    // Not a byte left for a lock file: what is there can still be looked at.
    std::ofstream(scratch.path / "fill") << std::string(256 * 1024, 'x');
    CHECK(report::Store::open_to_read(scratch.path)->records().at(kRung).runs > 0);
    std::filesystem::remove(scratch.path / "fill");
    mount("none", scratch.path.c_str(), "tmpfs", MS_REMOUNT, "size=4m");
    report::Store store = report::Store::open(scratch.path);
    const int64_t before = store.records().at(kRung).runs;
    CHECK(before > 0);
    store.record(run_of(""), result_with(Verdict::pass));
    CHECK(store.records().at(kRung).runs == before + 1);
    umount2(scratch.path.c_str(), MNT_DETACH);
  }
}

#include "harness/report/store/store.h"

#include <nlohmann/json.hpp>

#include "harness/build/sha256.h"
#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"
#include "tests/harness/report/stored_run.h"

using namespace ridge;
using grade::Verdict;
using tests::kRung;
using tests::result_with;
using tests::run_of;
using tests::ScratchFolder;

TEST_CASE("recorded data exists after the store is opened again") {
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

TEST_CASE("the best percentage is stored for each device, and a virtual pass is marked as one") {
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

TEST_CASE("runs are found by rung and by lab; limits count from the newest, results are oldest "
          "first") {
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

TEST_CASE("a percentage of a version that did not pass is not a best") {
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

TEST_CASE("hints and skeletons are remembered, each the first time") {
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

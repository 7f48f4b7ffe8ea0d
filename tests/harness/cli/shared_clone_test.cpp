// Two people in one clone, and one person's run in another's.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/harness/cli/gradable_clone.h"

using namespace ridge;
using tests::GradableClone;
using tests::ridge_in;

namespace {

constexpr unsigned kGroup = 65534;

build::Finished grade_as(std::vector<std::string> command, const GradableClone& clone, bool solution) {
  command.insert(command.end(), {RIDGE_PROGRAM, "grade", "01/1", "--on", "virtual"});
  if (solution) command.push_back("--solution");
  return build::run(command, {{"RIDGE_ROOT", clone.path.string()}, {"HOME", "/nonexistent"}});
}

}  // namespace

TEST_CASE("two processes that compile the same new file at the same time both succeed") {
  const GradableClone clone;
  clone.write_students(GradableClone::source(true));
  std::vector<build::Finished> all(3);
  {
    std::vector<std::jthread> threads;
    for (build::Finished& finished : all)
      threads.emplace_back([&] { finished = grade_as({}, clone, false); });
  }
  for (const build::Finished& finished : all) {
    INFO(finished.output);
    CHECK(finished.status == 0);
  }
}

TEST_CASE("two people who grade in one clone at once both get their own correct results") {
  const GradableClone clone;
  clone.write_students(GradableClone::source(true, "true"));
  // Where we may, two users of one group and a clone that the group may write to; otherwise ourselves twice.
  const auto owner = tests::as_user(65533, kGroup), colleague = tests::as_user(65532, kGroup);
  if (!owner.empty()) {
    chmod(clone.path.c_str(), 02775);
    REQUIRE(chown(clone.path.c_str(), 65533, kGroup) == 0);
  }
  constexpr int kTurns = 3;
  std::vector<build::Finished> one(kTurns), other(kTurns);
  {
    const std::jthread first([&] {
      for (build::Finished& finished : one)
        finished = grade_as(owner, clone, true);
    });
    const std::jthread second([&] {
      for (build::Finished& finished : other)
        finished = grade_as(colleague, clone, false);
    });
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    INFO(one[turn].output << other[turn].output);
    CHECK(one[turn].status == 0);
    CHECK_THAT(one[turn].output, Catch::StartsWith("PASS "));
    CHECK(other[turn].status == 1);
    CHECK_THAT(other[turn].output, Catch::StartsWith("OUT OF BOUNDS "));
  }
  std::map<std::pair<report::Origin, grade::Verdict>, int> kept;
  for (const report::StoredRun& run : report::Store::open(clone.path).runs({.solutions = true}))
    ++kept[{run.origin, run.verdict}];
  CHECK(kept.size() == 2);
  CHECK(kept[{report::Origin::solution, grade::Verdict::pass}] == kTurns);
  CHECK(kept[{report::Origin::student, grade::Verdict::out_of_bounds}] == kTurns);
}

TEST_CASE(
    "a run is replayed exactly, in its own clone and in another, and a false verdict is not confirmed") {
  const GradableClone student, instructor;
  student.write_students(GradableClone::source(true, "i < n - 1"));
  CHECK(ridge_in(student.path, {"grade", "01/1", "--on", "virtual"}).status == 1);
  student.write_students("// since overwritten\n");
  const build::Finished own = ridge_in(student.path, {"replay", "1"});
  INFO(own.output);
  CHECK(own.status == 0);
  CHECK_THAT(own.output, Catch::Contains("Run 1 is confirmed.\n"));
  CHECK_THAT(own.output, Catch::Contains("hidden sizes") && !Catch::Contains("not kept"));
  CHECK(report::Store::open(student.path).runs({}).size() == 1);  // nothing of a replay is kept

  auto exported = nlohmann::json::parse(ridge_in(student.path, {"history", "--json"}).output);
  CHECK(exported["runs"][0]["verdict"] == "WRONG");
  exported["runs"][0]["verdict"] = "PASS";
  instructor.write("run.json", exported.dump());
  const build::Finished forged =
      ridge_in(instructor.path, {"replay", "--from", (instructor.path / "run.json").string()});
  INFO(forged.output);
  CHECK(forged.status == 1);
  CHECK_THAT(forged.output, Catch::Contains("Run 1 is not confirmed.\n") && Catch::Contains("Now: "));
}

// `ridge history`, `diff` and `replay` over stores that were filled without grading.
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/harness/cli/program_under_test.h"
#include "tests/harness/report/stored_run.h"

using namespace ridge;
using grade::Verdict;
using tests::result_with;
using tests::ridge_in;
using tests::ScratchCourse;

namespace {

const std::string kAdd = "01-kernel-basics/1-vector-add", kSaxpy = "01-kernel-basics/2-saxpy";

struct Graded : ScratchCourse {
  report::Store store = report::Store::open(path);
  int64_t add(const std::string& rung, const std::string& source, const grade::Result& result,
              report::Origin origin = report::Origin::student) {
    return store.record({rung, origin, source, 7}, result);
  }
  // 1 WRONG, 2 PASS 71 %, 3 SLOW 66 %, 4 saxpy WRONG, 5 the solution
  Graded() {
    store.remember_skeleton(kAdd, "a\nb\n");
    add(kAdd, "a\nb\nc\n", result_with(Verdict::wrong));
    add(kAdd, "a\nx\nc\n", result_with(Verdict::pass, 71));
    add(kAdd, "a\nx\nc\n", result_with(Verdict::slow, 66));
    add(kSaxpy, "s\n", result_with(Verdict::wrong));
    add(kAdd, "sol\n", result_with(Verdict::gold, 99), report::Origin::solution);
  }
};

}  // namespace

TEST_CASE("history shows one line per run: number, verdict, result, device, changed lines") {
  const Graded graded;
  const build::Finished one = ridge_in(graded.path, {"history", "01/1"});
  CHECK(one.status == 0);
  CHECK_THAT(one.output,
             Catch::StartsWith(kAdd + "\nrun  when              verdict  result  device          lines\n"));
  CHECK_THAT(one.output, Catch::Contains("  WRONG            H200 (virtual)  +1 -0\n"));
  CHECK_THAT(one.output, Catch::Contains("  PASS      71.0%  NVIDIA H200     +1 -1\n"));
  CHECK_THAT(one.output, Catch::Contains("  SLOW      66.0%  NVIDIA H200     =\n"));
  CHECK_THAT(one.output, !Catch::Contains("99.0%"));
  const build::Finished all = ridge_in(graded.path, {"history", "--solutions"});
  CHECK_THAT(all.output, Catch::Contains(kSaxpy + "       student   WRONG"));
  CHECK_THAT(all.output, Catch::Contains(kAdd + "  solution  GOLD      99.0%"));
  const build::Finished newest = ridge_in(graded.path, {"history", "-n", "2"});
  CHECK_THAT(newest.output, Catch::Contains("the newest 2 of 4 runs; --all shows the rest"));
  CHECK_THAT(newest.output, !Catch::Contains("PASS"));
}

TEST_CASE("history without runs says how to begin and creates no store") {
  const ScratchCourse scratch;
  const build::Finished finished = ridge_in(scratch.path, {"history"});
  CHECK(finished.status == 0);
  CHECK(finished.output == "No version has been graded yet; begin with: ridge grade 01/1\n");
  CHECK_FALSE(std::filesystem::exists(scratch.path / ".ridge"));
  CHECK(ridge_in(scratch.path, {"history", "--json"}).output == "{\n \"schema\": 1,\n \"runs\": []\n}\n");
}

TEST_CASE("the JSON has every run with its source, and can be restricted to one run") {
  const Graded graded;
  const auto all = nlohmann::json::parse(ridge_in(graded.path, {"history", "--json"}).output).at("runs");
  REQUIRE(all.size() == 4);
  CHECK(all[1].at("source") == "a\nx\nc\n");
  CHECK(all[1].at("changed").at("removed") == 1);
  const auto best =
      nlohmann::json::parse(ridge_in(graded.path, {"history", "--run", "01/1:best", "--json"}).output)
          .at("runs");
  REQUIRE(best.size() == 1);
  CHECK(best[0].at("run") == 2);
}

TEST_CASE("runs are named by number, last, -1 and best, with or without their rung") {
  const Graded graded;
  struct Case {
    std::vector<std::string> names;
    std::vector<int64_t> runs;
  };
  const Case cases[] = {{{"3"}, {3}},
                        {{"last"}, {4}},  // the newest run's rung
                        {{"01/1:last"}, {3}},
                        {{"01/1:-1"}, {2}},
                        {{"01/1:best"}, {2}},
                        {{"vector-add:-2"}, {1}},
                        {{"1", "last"}, {1, 3}},  // the other run's rung
                        {{"best", "1"}, {2, 1}},
                        {{"5"}, {5}}};
  for (const Case& c : cases) {
    std::vector<std::string> arguments = {"history", "--json"};
    for (const std::string& name : c.names)
      arguments.push_back("--run=" + name);
    INFO(c.names.front());
    const build::Finished finished = ridge_in(graded.path, arguments);
    REQUIRE(finished.status == 0);
    std::vector<int64_t> found;
    const auto document = nlohmann::json::parse(finished.output);
    for (const auto& run : document.at("runs"))
      found.push_back(run.at("run"));
    CHECK(found == c.runs);
  }
}

TEST_CASE("an unknown run is reported with the list of runs") {
  const Graded graded;
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"diff", "9", "1"}, "there is no run 9; there are runs 1 to 5, and `ridge history` lists them"},
      {{"replay", "9"}, "there is no run 9"},
      {{"diff", "-3", "1"}, kAdd + " has 3 runs, so -3 reaches too far back; its first is 1"},
      {{"diff", "best", "last"},
       "no run of " + kSaxpy + " has passed yet, so none is the best; its last is 4"},
      {{"diff", "first", "1"}, "\"first\" names no run; a run is its number, last, -1"},
      {{"diff", "01:last", "1"}, "01 is a lab of 2 rungs; say of which: " + kAdd + ":last"},
      {{"diff", "1", "2", "3"}, "see ridge diff --help"},
      {{"history", "01/7"}, "there is no rung \"7\" in 01-kernel-basics"},
      {{"replay", "--from", "/nowhere.json"}, "/nowhere.json"},
  };
  for (const auto& [arguments, message] : cases) {
    INFO(message);
    const build::Finished finished = ridge_in(graded.path, arguments);
    CHECK(finished.status == 2);
    CHECK_THAT(finished.output, Catch::StartsWith("ridge: ") && Catch::Contains(message));
  }
}

TEST_CASE("diff shows the changed lines and both versions' figures") {
  const Graded graded;
  const build::Finished two = ridge_in(graded.path, {"diff", "1", "best"});
  CHECK(two.status == 0);
  CHECK_THAT(two.output, Catch::StartsWith("--- run 1  "));
  CHECK_THAT(two.output, Catch::Contains("\n+++ run 2  ") && Catch::Contains("\n-b\n+x\n"));
  CHECK_THAT(two.output, Catch::Contains("verdict             WRONG         PASS\n"));
  CHECK_THAT(two.output, Catch::Contains("measured\n"));
  const build::Finished same = ridge_in(graded.path, {"diff", "-1", "3"});
  CHECK_THAT(same.output,
             Catch::StartsWith("The source is the same.\n") && Catch::Contains("PASS         SLOW\n"));
}

TEST_CASE("diff of one run compares it with the current file") {
  const Graded graded;
  const build::Finished now = ridge_in(graded.path, {"diff", "1"});
  CHECK_THAT(now.output, Catch::Contains("+++ labs/01-kernel-basics/1-vector-add.cu as it is now\n"));
  CHECK_THAT(now.output, Catch::Contains("+// TODO\n"));
}

TEST_CASE("a run of a rung that the course no longer has is shown but cannot be replayed") {
  Graded graded;
  const std::string number = std::to_string(graded.add("09-gone/1-x", "x\n", result_with(Verdict::wrong)));
  CHECK_THAT(ridge_in(graded.path, {"history"}).output, Catch::Contains("09-gone/1-x"));
  CHECK(ridge_in(graded.path, {"diff", "1", number}).status == 0);
  for (const char* command : {"replay", "diff"}) {
    const build::Finished finished = ridge_in(graded.path, {command, number});
    CHECK(finished.status == 2);
    CHECK_THAT(finished.output, Catch::Contains("this course has no rung 09-gone/1-x: run " + number));
  }
}

TEST_CASE("a damaged store ends commands that need it, with the command that moves it away") {
  const ScratchCourse scratch;
  scratch.write(".ridge/ridge.db", std::string(4096, 'x'));
  for (const char* command : {"history", "diff", "replay", "worklog", "card"}) {
    INFO(command);
    std::vector<std::string> arguments = {command};
    if (command == std::string("worklog")) arguments.push_back("01");
    const build::Finished finished = ridge_in(scratch.path, arguments);
    CHECK(finished.status == 3);
    CHECK_THAT(finished.output, Catch::Contains("the file is damaged: move it away (mkdir ") &&
                                    Catch::Contains("ridge.db* ") && Catch::Contains("/damaged/)"));
  }
}

TEST_CASE("a read-only clone can be inspected") {
  const auto nobody = tests::as_user(65534, 65534);
  if (nobody.empty()) {
    WARN("not tried: we cannot become another user; store_test tries it as this one");
    return;
  }
  const Graded graded;
  { const report::Store moved = std::move(const_cast<Graded&>(graded).store); }  // closed: no log is left
  std::filesystem::permissions(graded.path, std::filesystem::perms(0755));
  const auto as_nobody = [&](std::vector<std::string> arguments) {
    std::vector<std::string> command = nobody;
    command.push_back(RIDGE_PROGRAM);
    command.insert(command.end(), arguments.begin(), arguments.end());
    return build::run(command, {{"RIDGE_ROOT", graded.path.string()}});
  };
  CHECK_THAT(as_nobody({"history", "01/1"}).output, Catch::Contains("71.0%"));
  CHECK_THAT(as_nobody({"list"}).output, Catch::Contains("PASS            71.0%"));
  CHECK(as_nobody({"diff", "1", "2"}).status == 0);
}

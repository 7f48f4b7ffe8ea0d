// Two runs beside each other, a run and its replay, and the table of many.
#include <nlohmann/json.hpp>

#include "harness/report/store/json.h"
#include "harness/report/store/replay.h"
#include "harness/report/tables/compared_figures.h"
#include "harness/report/tables/history_table.h"
#include "harness/report/tables/table.h"
#include "tests/catch.h"
#include "tests/harness/report/plain_style.h"
#include "tests/harness/report/stored_run.h"
#include "text/source_difference.h"

using namespace ridge;
using grade::Verdict;
using tests::stored_run;

namespace {

grade::Result counted_result(double sectors, Verdict verdict) {
  grade::Result result;
  result.verdict = verdict;
  result.device = "H200 (virtual)";
  result.registers = 16;
  result.gates = {{{"sectors_per_request", 4.5, {}, "why"}, sectors, verdict == Verdict::pass}};
  result.counts = {{7, "global load", 1000, uint64_t(1000 * sectors), 4000, 0, 0},
                   {9, "global load", 1000, uint64_t(1000 * sectors), 4000, 0, 0}};
  result.conditions = {"13.0", {"-O3"}, "ab", "", {{17, 3}, {1000, 77}}};
  return result;
}

report::StoredRun kept(int64_t number, const grade::Result& result) {
  report::StoredRun run = stored_run(number, "x", result.verdict);
  run.device = result.device;
  run.engine = result.engine;
  if (result.measured) run.percent = result.measured->percent;
  run.figures = report::figures_json(result);
  run.conditions = report::conditions_json(result);
  return run;
}

}  // namespace

TEST_CASE("a table's columns are as wide as necessary, and no line ends in spaces") {
  CHECK(report::table_of({{{"a"}, {"bb", report::Colour::none, true}, {"c"}},
                          {{"aaa"}, {"1", report::Colour::none, true}}},
                         tests::kPlain) == "a    bb  c\naaa   1\n");
}

TEST_CASE("two runs are compared by kind of access, with the change") {
  const std::string text =
      report::compared_figures(kept(1, counted_result(32, Verdict::slow)),
                               kept(2, counted_result(4, Verdict::pass)), "run 1", "run 2", tests::kPlain);
  CHECK(text ==
        "                                             run 1           run 2\n"
        "verdict                                       SLOW            PASS\n"
        "device                              H200 (virtual)  H200 (virtual)\n"
        "registers per thread                            16              16\n"
        "modelled\n"
        "  sectors_per_request                           32               4  / 8\n"
        "  global load: requests                      2,000           2,000\n"
        "  global load: sectors per request              32               4  / 8\n");
}

TEST_CASE("measured figures form a group, also those of a later version") {
  report::StoredRun before = stored_run(1, "x"), after = stored_run(2, "y");
  before.figures =
      R"({"measured": {"percent": 40, "time_ms": 0.5, "clocks": {"sm_mhz": 1980}, "baseline": "copy"}})";
  after.figures =
      R"({"measured": {"percent": 44, "time_ms": 0.2, "clocks": {"sm_mhz": 1980}, "baseline": "copy"}})";
  const std::string text = report::compared_figures(before, after, "a", "b", tests::kPlain);
  CHECK_THAT(text,
             Catch::Contains("measured\n  percent                     40              44  +4.0 points\n"));
  CHECK_THAT(text, Catch::Contains("\n  time ms                    0.5             0.2  / 2.5\n"));
  CHECK_THAT(text, Catch::Contains("\n  clocks: sm mhz           1,980           1,980\n"));
  CHECK_THAT(text, !Catch::Contains("modelled"));
}

TEST_CASE("every stored figure is compared, also one without a group of its own") {
  report::StoredRun before = stored_run(1, "x"), after = stored_run(2, "y");
  before.figures = R"({"cases": 19, "traffic": {"l2_bytes": 4096}, "later": 3, "error_map": {"rows": 5}})";
  after.figures = R"({"cases": 20, "traffic": {"l2_bytes": 1024}, "later": 3})";
  const std::string text = report::compared_figures(before, after, "a", "b", tests::kPlain);
  for (const char* name : {"\nother\n", "\n  cases ", "\n  traffic: l2 bytes ", "\n  later "})
    CHECK_THAT(text, Catch::Contains(name));
  CHECK_THAT(text, Catch::Contains("4,096") && Catch::Contains("1,024") && Catch::Contains("/ 4\n"));
  CHECK_THAT(text, !Catch::Contains("rows"));
}

TEST_CASE("an equal replay confirms the run") {
  const grade::Result result = counted_result(4, Verdict::pass);
  const report::StoredRun then = kept(12, result);
  const report::Replay replay = report::compare_replay(then, result);
  CHECK(replay.agrees());
  CHECK(replay.differences.empty());
  const std::string text = report::show_replay(then, result, replay, tests::kPlain);
  CHECK_THAT(text, Catch::Contains("hidden sizes  17 x 3, 1000 x 77  17 x 3, 1000 x 77  ✓\n"));
  CHECK_THAT(text, Catch::Contains("Run 12 is confirmed.\n"));
}

TEST_CASE("a replay does not confirm another verdict, other hidden sizes or other counts") {
  const grade::Result was = counted_result(4, Verdict::pass);
  const report::StoredRun then = kept(12, was);
  grade::Result verdict = was, sizes = was, counts = was;
  verdict.verdict = Verdict::wrong;
  verdict.summary = "3 of 17 elements are wrong.";
  sizes.conditions.hidden_sizes[1][0] = 1001;
  counts.counts[0].sectors += 1;
  for (const grade::Result& now : {verdict, sizes, counts}) {
    const report::Replay replay = report::compare_replay(then, now);
    CHECK_FALSE(replay.agrees());
    CHECK_THAT(report::show_replay(then, now, replay, tests::kPlain),
               Catch::Contains("Run 12 is not confirmed.\n"));
  }
  CHECK_THAT(report::show_replay(then, verdict, report::compare_replay(then, verdict), tests::kPlain),
             Catch::Contains("Now: 3 of 17 elements are wrong."));
}

TEST_CASE("changed conditions are listed and alone do not refute a run") {
  grade::Result was = counted_result(4, Verdict::pass);
  grade::Result now = was;
  now.conditions.toolkit = "13.1";
  now.conditions.headers_sha256 = "cd";
  now.conditions.flags = {"-O2"};
  was.sandbox = "bubblewrap";
  now.sandbox = "none";
  const report::Replay replay = report::compare_replay(kept(12, was), now);
  CHECK(replay.agrees());
  CHECK(replay.differences ==
        std::vector<std::string>{"CUDA Toolkit: 13.0 then, 13.1 now", "nvcc's flags: -O3 then, -O2 now",
                                 "sandbox: bubblewrap then, none now",
                                 "the lab's headers are not those that the run was compiled with"});
}

TEST_CASE("on another engine only correctness is compared, and times never decide") {
  grade::Result gpu = tests::result_with(Verdict::gold, 97.5);
  grade::Result again = tests::result_with(Verdict::gold, 96.25);
  const report::StoredRun then = kept(3, gpu);
  CHECK(report::compare_replay(then, again).percent_difference == -1.25);
  CHECK(report::compare_replay(then, again).agrees());
  CHECK(report::compare_replay(then, counted_result(4, Verdict::pass)).same_verdict);
  CHECK(report::compare_replay(then, counted_result(32, Verdict::slow)).same_verdict);
  CHECK_FALSE(report::compare_replay(then, counted_result(4, Verdict::race)).same_verdict);
}

TEST_CASE("a run of an older ridge without stored hidden sizes can still be confirmed") {
  const grade::Result result = counted_result(4, Verdict::pass);
  report::StoredRun then = kept(1, result);
  then.conditions = "{}";
  const report::Replay replay = report::compare_replay(then, result);
  CHECK(replay.agrees());
  CHECK_THAT(report::show_replay(then, result, replay, tests::kPlain), Catch::Contains("not kept"));
}

TEST_CASE("changed lines are counted against the rung's own previous run") {
  std::vector<report::StoredRun> all = {stored_run(1, "a\n"), stored_run(2, "z\n"), stored_run(3, "a\nb\n"),
                                        stored_run(4, "a\nb\n")};
  all[1].rung = "other";
  const auto changes = report::changes_of(all, all, nullptr);
  using Change = std::optional<text::LineChange>;
  CHECK(changes == std::vector<Change>{Change{}, Change{}, Change{{1, 0}}, Change{{0, 0}}});
  const std::vector<report::StoredRun> last = {all[2]};
  CHECK(report::changes_of(last, all, nullptr) == std::vector<Change>{Change{{1, 0}}});
}

// What a grading is worth beside those before it: the trend, what was won, and which rung comes next.
#include "harness/report/store/progress.h"

#include "harness/course/lessons.h"
#include "harness/report/tables/trend.h"
#include "tests/catch.h"
#include "tests/harness/report/plain_style.h"

using namespace ridge;
using grade::Verdict;
using report::PastRun;

namespace {

PastRun run_of(Verdict verdict, double sectors_per_request = 0) {
  PastRun run;
  run.verdict = verdict;
  run.device = "H200 (virtual)";
  if (sectors_per_request > 0) run.gates = {{"sectors_per_request", 4.5, {}, sectors_per_request}};
  return run;
}
PastRun measured(Verdict verdict, double percent, const char* device = "NVIDIA H200") {
  PastRun run;
  run.verdict = verdict;
  run.device = device;
  run.percent = percent;
  run.time_ms = 100 / percent;
  return run;
}

course::Course course_of_three() {
  course::Course course;
  course::Lab lab;
  lab.name = "02-coalescing";
  const auto rung = [&](const char* name, std::vector<std::string> counts) {
    course::Rung made;
    made.lab = lab.name;
    made.name = name;
    made.title = std::string("Title of ") + name;
    made.idea = "Its idea.";
    made.problem = "transpose";
    for (const std::string& count : counts)
      made.gates.push_back({count, 4.5, {}, ""});
    lab.rungs.push_back(made);
  };
  rung("1-naive", {"load_sectors_per_request"});
  rung("2-tiled", {"load_sectors_per_request", "store_sectors_per_request"});
  rung("3-padded", {"bank_conflicts", "store_sectors_per_request"});
  course.labs.push_back(lab);
  return course;
}

grade::Result passed_with(uint64_t store_sectors, uint64_t passes) {
  grade::Result result;
  result.verdict = Verdict::pass;
  result.device = "H200 (virtual)";
  result.size = "n = 1";
  result.counts = {{7, "global store", 100, store_sectors, 100, 0, 0},
                   {8, "shared load", 100, 0, 0, passes, 100}};
  return result;
}

}  // namespace

TEST_CASE(
    "the trend has a mark for every verdict, and bars of measurements or of the furthest "
          "gate") {
  struct Row {
    std::vector<PastRun> runs;
    const char* line;
  };
  const Row rows[] = {
      {{}, ""},
      {{run_of(Verdict::wrong)}, "last run  ✗"},
      {{run_of(Verdict::compile_error), run_of(Verdict::suspect), run_of(Verdict::pass),
        run_of(Verdict::gold)},
       "last 4 runs  ✗ ? ✓ ★"},
      {{run_of(Verdict::wrong, 32), run_of(Verdict::slow, 32), run_of(Verdict::slow, 10),
        run_of(Verdict::pass, 4)},
       "last 4 runs  ✗ ~ ~ ✓  ▂▅█  sectors_per_request 32 → 4"},
      {{run_of(Verdict::slow, 32)}, "last run  ~  ▂  sectors_per_request 32"},
      {{measured(Verdict::slow, 20), measured(Verdict::slow, 60), measured(Verdict::gold, 80)},
       "last 3 runs  ~ ~ ★  ▃▆█  20.0 → 80.0%"},
      // Percentages of different devices cannot be compared.
      {{measured(Verdict::pass, 99, "NVIDIA A10"), measured(Verdict::slow, 40)},
       "last 2 runs  ✓ ~  █  40.0%"},
  };
  for (const Row& row : rows)
    CHECK(report::trend_line(row.runs, tests::kPlain) == row.line);
  const std::vector<PastRun> many(25, run_of(Verdict::wrong));
  CHECK(report::trend_line(many, tests::kPlain) == "last 10 runs  ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✗ ✗");
}

TEST_CASE("the rung that teaches a count is the first whose main idea it is") {
  const course::Course course = course_of_three();
  CHECK(course::lesson_on(course, "load_sectors_per_request")->name == "1-naive");
  CHECK(course::lesson_on(course, "bank_conflicts")->name == "3-padded");
  CHECK(course::lesson_on(course, "store_sectors_per_request")->name == "2-tiled");
  CHECK(course::lesson_on(course, "registers") == nullptr);
  CHECK(course::rung_before(course, course.labs[0].rungs[0]) == nullptr);
  CHECK(course::rung_before(course, course.labs[0].rungs[1])->name == "1-naive");
  CHECK(course::rung_after(course, course.labs[0].rungs[1])->name == "3-padded");
  CHECK(course::rung_after(course, course.labs[0].rungs[2]) == nullptr);
}

TEST_CASE("SLOW names the rung that teaches the remedy") {
  const course::Course course = course_of_three();
  grade::Result slow;
  slow.verdict = Verdict::slow;
  slow.gates = {{{"bank_conflicts", 0, {}, ""}, 31, false},
                {{"load_sectors_per_request", 4.5, {}, ""}, 32, false}};
  CHECK(report::show_progress(course, course.labs[0].rungs[2], slow, {}, {}) ==
        "bank_conflicts is what this rung is about; for a hint: ridge hint 02-coalescing/3-padded\n"
        "load_sectors_per_request is what 02-coalescing/1-naive is about (Title of 1-naive).\n");
  // Nobody is sent ahead: a rung that asks for a count before the rung whose main idea it is has hints on it.
  slow.gates.pop_back();
  CHECK(report::show_progress(course, course.labs[0].rungs[1], slow, {}, {}) ==
        "bank_conflicts is what this rung is about; for a hint: ridge hint 02-coalescing/2-tiled\n");
  // Nor back for the rung's own main idea, though a rung before has the same.
  slow.gates = {{{"load_sectors_per_request", 4.5, {}, ""}, 32, false}};
  CHECK(
      report::show_progress(course, course.labs[0].rungs[1], slow, {}, {}) ==
      "load_sectors_per_request is what this rung is about; for a hint: ridge hint 02-coalescing/2-tiled\n");
  slow.gates = {{{"bank_conflicts", 0, {}, ""}, 31, false}};
  // What no gate of this rung asks for has a rung too, and is named once.
  slow.far_from_ideal = {"bank_conflicts", "store_sectors_per_request", "registers"};
  CHECK(report::show_progress(course, course.labs[0].rungs[2], slow, {}, {}) ==
        "bank_conflicts is what this rung is about; for a hint: ridge hint 02-coalescing/3-padded\n"
        "store_sectors_per_request is what 02-coalescing/2-tiled is about (Title of 2-tiled).\n");
  // One that comes later is named as that.
  slow.gates.clear();
  slow.far_from_ideal = {"bank_conflicts"};
  CHECK(report::show_progress(course, course.labs[0].rungs[0], slow, {}, {}) ==
        "bank_conflicts is what 02-coalescing/3-padded, further on, is about (Title of 3-padded).\n");
  slow.verdict = Verdict::wrong;
  CHECK(report::show_progress(course, course.labs[0].rungs[2], slow, {}, {}).empty());
}

TEST_CASE("a pass reports the gain over the first correct version and the previous rung, and why") {
  const course::Course course = course_of_three();
  const course::Rung& tiled = course.labs[0].rungs[1];
  auto slow = passed_with(32000, 0), wrong = passed_with(99000, 0);
  slow.verdict = Verdict::slow;
  wrong.verdict = Verdict::wrong;
  std::vector<PastRun> earlier = {report::past_run(wrong), report::past_run(slow)};
  earlier[1].number = 12;
  const std::vector<PastRun> before = {report::past_run(passed_with(16000, 0))};
  CHECK(report::show_progress(course, tiled, passed_with(4000, 3200), earlier, before) ==
        "It passes at try 3.\n"
        "Won: against your run 12, sectors that stores touch fell from 32,000 to 4,000, 8 times fewer "
        "(modelled).\n"
        "Won: against the rung before, sectors that stores touch fell from 16,000 to 4,000, 4 times fewer "
        "(modelled).\n");
  // Nothing is claimed where nothing fell, or sizes differ.
  CHECK(report::show_progress(course, tiled, passed_with(32000, 0), earlier, {}) == "It passes at try 3.\n");
  auto other_size = passed_with(4000, 0);
  other_size.size = "n = 2";
  CHECK(report::show_progress(course, tiled, other_size, earlier, before) == "It passes at try 3.\n");
  CHECK(report::next_after_pass(course, tiled, slow) ==
        "02-coalescing/3-padded, Title of 3-padded. Its idea.");
  CHECK(report::next_after_pass(course, course.labs[0].rungs[2], slow) ==
        "That was the last rung of the course.");
}

TEST_CASE("measured runs are compared by their times, and the distance to gold is reported") {
  const course::Course course = course_of_three();
  const course::Rung& tiled = course.labs[0].rungs[1];
  grade::Result result;
  result.verdict = Verdict::pass;
  result.device = "NVIDIA H200";
  result.measured = grade::Measured{};
  result.measured->percent = 80;
  result.measured->target = {70, 90};
  result.measured->time_ms = 1.25;
  std::vector<PastRun> earlier = {measured(Verdict::slow, 40), measured(Verdict::slow, 50)};
  earlier[0].number = 3;
  CHECK(report::show_progress(course, tiled, result, earlier, {}) ==
        "It passes at try 3.\nWon: 80.0% after 40.0% your run 3, 2.00 times as fast (measured).\n");
  // With roofs and counts of the same size, also how near the roof it came, and why.
  result.measured->place.percent = 78;
  result.counted_size = earlier[0].counted_size = "n = 8";
  result.counts = {{7, "global store", 100, 400, 400, 0, 0}};
  earlier[0].roof_percent = 39;
  earlier[0].bound = "memory";
  earlier[0].store_sectors = 3200;
  const std::string won =
      "It passes at try 3.\nWon: 80.0% after 40.0% your run 3, 2.00 times as fast, 78% of the roof after "
      "39%, bound "
      "by memory (measured).\n";
  CHECK(report::show_progress(course, tiled, result, earlier, {}) ==
        won + "Why: sectors that stores touch fell from 3,200 to 400, 8 times fewer (modelled).\n");
  earlier[0].counted_size = "n = 9";
  CHECK(report::show_progress(course, tiled, result, earlier, {}) == won);
  CHECK(report::next_after_pass(course, tiled, result) ==
        "Gold starts at 90%, 10.0 points from here. 02-coalescing/3-padded, Title of 3-padded. Its idea.");
}

TEST_CASE("stored runs are read back, and damaged rows are left out") {
  report::StoredRun stored;
  stored.verdict = Verdict::slow;
  stored.figures =
      R"({"size": "n = 8", "measured": null, "gates": [{"count": "blocks", "at_most": null, "at_least": 132,
    "value": 66, "passed": false}], "counts": [{"line": 1, "what": "global load", "requests": 10, "sectors": 40,
    "wavefronts": 0}, {"line": 2, "what": "shared store", "requests": 5, "sectors": 0, "wavefronts": 9}]})";
  const PastRun run = report::past_run(stored);
  CHECK(run.size == "n = 8");
  CHECK_FALSE(run.percent);
  REQUIRE(run.gates.size() == 1);
  CHECK(report::nearness(run.gates[0]) == Approx(67.0 / 133));
  CHECK(run.load_sectors == 40);
  CHECK(run.shared_wavefronts == 9);
  CHECK(run.requests == 10);
  stored.figures = R"({"counted_size": "n = 4", "measured": {"percent": 50, "time_ms": 2,
    "roof": {"percent": 41.5, "bound": "compute"}}})";
  CHECK(report::past_run(stored).counted_size == "n = 4");
  CHECK(report::past_run(stored).roof_percent == 41.5);
  CHECK(report::past_run(stored).bound == "compute");
  stored.figures = "{damaged";
  CHECK(report::past_run(stored).gates.empty());
  CHECK(report::past_run(stored).verdict == Verdict::slow);
}

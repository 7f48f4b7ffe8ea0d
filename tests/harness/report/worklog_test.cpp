#include "harness/report/worklog/worklog.h"

#include "tests/catch.h"
#include "tests/harness/report/stored_run.h"

using namespace ridge;
using grade::Verdict;
using tests::stored_run;

namespace {

course::Lab lab_of_two() {
  course::Lab lab;
  lab.name = "01-kernel-basics";
  lab.number = 1;
  lab.title = "Kernel basics";
  for (const char* name : {"1-vector-add", "2-saxpy"}) {
    course::Rung rung;
    rung.lab = lab.name;
    rung.name = name;
    rung.title = std::string("Title of ") + name;
    rung.idea = "An idea.";
    lab.rungs.push_back(rung);
  }
  return lab;
}

std::vector<report::StoredRun> three_versions() {
  std::vector<report::StoredRun> runs = {stored_run(1, "a\n"), stored_run(2, "a\nb\n", Verdict::slow),
                                         stored_run(3, "a\nb\n", Verdict::gold), stored_run(4, "c\n")};
  runs[1].figures = R"({"gates": [{"count": "sectors_per_request", "value": 32, "passed": false}]})";
  runs[2].engine = grade::Engine::gpu;
  runs[2].percent = 83.25;
  runs[2].figures =
      R"({"summary": "Right everywhere.", "measured": {"time_ms": 0.25, "roof": {"bound": "memory", "percent": 91.4}}})";
  return runs;
}

std::optional<std::string> skeleton(const std::string&) {
  return "";
}

}  // namespace

TEST_CASE("a worklog has one row per version: gradings of one text count once, on both engines") {
  const course::Lab lab = lab_of_two();
  const auto runs = three_versions();
  const auto work = report::work_on(lab, runs, skeleton);
  REQUIRE(work.size() == 1);  // nothing was done on the second rung
  REQUIRE(work[0].versions.size() == 3);
  CHECK(work[0].versions[1].runs.size() == 2);
  const std::string text = report::worklog(lab, work, "");
  CHECK_THAT(text, Catch::Contains("# Worklog of lab 1: Kernel basics\n"));
  CHECK_THAT(text, Catch::Contains(" | +1 -0 | WRONG | – | – | – | WRONG |\n"));
  CHECK_THAT(text, Catch::Contains("| [2–3](#run-2) | "));
  CHECK_THAT(text, Catch::Contains(" | +1 -0 | GOLD | 0.25 ms | 83.2% | memory, at 91% of the roof | SLOW, "
                                   "sectors_per_request 32 |\n"));
  CHECK_THAT(text, Catch::Contains("### Run 2–3: GOLD, 83.2% of the library\n\nRight everywhere.\n"));
  CHECK_THAT(text, Catch::Contains("~~~~~~diff\n@@ -1 +1,2 @@\n a\n+b\n~~~~~~\n"));
}

TEST_CASE("the student's text is kept when versions are added") {
  const course::Lab lab = lab_of_two();
  auto runs = three_versions();
  std::string text = report::worklog(lab, report::work_on(lab, runs, skeleton), "");
  const std::string field = "**Concluded:** ";
  const size_t last = text.rfind(field);
  REQUIRE(last != std::string::npos);
  text.insert(last + field.size(), "too many sectors | and more\n\n- a list");
  runs.push_back(stored_run(9, "d\n", Verdict::pass));
  const std::string after = report::worklog(lab, report::work_on(lab, runs, skeleton), text);
  CHECK_THAT(after, Catch::Contains("**Concluded:** too many sectors | and more\n\n- a list\n"));
  CHECK(after.find("- a list") < after.find("### Run 9: PASS"));
  CHECK(report::worklog(lab, report::work_on(lab, runs, skeleton), after) == after);
}

TEST_CASE("a store that restarts at run 1 does not take the text of the old run 1") {
  const course::Lab lab = lab_of_two();
  const std::vector<report::StoredRun> first = {stored_run(1, "a\n")}, second = {stored_run(1, "other\n")};
  std::string text = report::worklog(lab, report::work_on(lab, first, skeleton), "");
  text.insert(text.find("**Next:** ") + 10, "of the first");
  const std::string after = report::worklog(lab, report::work_on(lab, second, skeleton), text);
  CHECK(after.find("of the first") > after.find("ridge: run 1 " + first[0].source_sha256.substr(0, 8)));
  CHECK_THAT(after, Catch::Contains("ridge: run 1 " + second[0].source_sha256.substr(0, 8)));
}

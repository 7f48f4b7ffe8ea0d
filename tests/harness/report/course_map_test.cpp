#include "harness/report/tables/course_map.h"

#include <sstream>

#include "tests/catch.h"
#include "tests/harness/report/plain_style.h"
#include "text/layout.h"

using namespace ridge;
using grade::Verdict;

namespace {

course::Rung rung_named(const std::string& name, const std::string& title) {
  course::Rung rung;
  rung.lab = "01-kernel-basics";
  rung.name = name;
  rung.title = title;
  return rung;
}

const course::Course kCourse = {{},
                                {{"01-kernel-basics",
                                  1,
                                  "Kernel basics",
                                  "Threads.",
                                  {},
                                  {rung_named("1-vector-add", "Vector add"), rung_named("2-saxpy", "Saxpy"),
                                   rung_named("3-2d", "2-D")}}}};

const std::string kFirst = "01-kernel-basics/1-vector-add", kSecond = "01-kernel-basics/2-saxpy";

}  // namespace

TEST_CASE("the course map shows verdicts, the best percentage with its device, and the bar") {
  const report::RungRecord record{.last = Verdict::wrong,
                                  .passed = true,
                                  .best_percent = 75.3,
                                  .runs = 3,
                                  .passed_on_gpu = true,
                                  .best_by_device = {{"NVIDIA H200", 75.3}}};
  const report::RungRecord failing{.last = Verdict::race, .runs = 1};
  CHECK(report::show_course(kCourse, {{kFirst, record}, {kSecond, failing}}, tests::kPlain) ==
        "01-kernel-basics  Threads.\n"
        "  1-vector-add  PASS            75.3%  Vector add\n"
        "  2-saxpy       RACE                   Saxpy\n"
        "  3-2d          -                      2-D\n"
        "\n"
        "██████░░░░░░░░░░░░░░ 1/3 rungs pass\n"
        "Next: edit labs/01-kernel-basics/2-saxpy.cu; ./ridge grades it at every save.\n"
        "%: of the library, measured on NVIDIA H200; the best version that passed\n");
}

TEST_CASE("a virtual pass is labelled as such, and several devices are distinguished") {
  const report::RungRecord virtual_pass{.last = Verdict::pass, .passed = true, .runs = 1};
  const report::RungRecord both{.last = Verdict::gold,
                                .passed = true,
                                .gold = true,
                                .best_percent = 101.5,
                                .runs = 3,
                                .passed_on_gpu = true,
                                .best_by_device = {{"NVIDIA A100", 88}, {"NVIDIA H200", 101.5}}};
  const std::string text =
      report::show_course(kCourse, {{kFirst, virtual_pass}, {kSecond, both}}, tests::kPlain);
  CHECK_THAT(text, Catch::Contains("  1-vector-add  PASS          virtual  Vector add\n"));
  CHECK_THAT(text,
             Catch::Contains(
                 "  2-saxpy       GOLD           101.5%  Saxpy  88.0% NVIDIA A100, 101.5% NVIDIA H200\n"));
  CHECK_THAT(text, Catch::Contains(
                       "2/3 rungs pass\nNext: edit labs/01-kernel-basics/3-2d.cu; ./ridge grades it at every "
                       "save.\n%: of the library, measured; the best version that passed\n"
                       "virtual: passed on the virtual GPU, not timed on a real one yet\n"));
}

TEST_CASE("a map in which every rung passes names no next one") {
  const report::RungRecord pass{.last = Verdict::pass, .passed = true, .runs = 1};
  const std::string third = "01-kernel-basics/3-2d";
  const std::string text =
      report::show_course(kCourse, {{kFirst, pass}, {kSecond, pass}, {third, pass}}, tests::kPlain);
  CHECK_THAT(text, Catch::Contains("3/3 rungs pass\n") && !Catch::Contains("Next:"));
}

TEST_CASE("the bar is full only when everything is done") {
  CHECK(report::progress_bar(1, 4, 8) == "██░░░░░░ 1/4");
  CHECK(report::progress_bar(39, 40, 8) == "███████░ 39/40");
  CHECK(report::progress_bar(0, 0, 4) == "░░░░ 0/0");
}

TEST_CASE("on a narrow terminal no line of the map is too wide, and verdict and percentage are "
          "kept") {
  std::map<std::string, report::RungRecord> records;
  records[kFirst].passed = records[kFirst].passed_on_gpu = true;
  records[kFirst].best_percent = 97.3;
  course::Course course = kCourse;
  course.labs.front().summary = "Threads, blocks and grids: which thread does what, and where the end is.";
  for (const int width : {40, 48, 60}) {
    report::Style narrow = tests::kPlain;
    narrow.narrow = true;
    narrow.width = width;
    std::istringstream lines(report::show_course(course, records, narrow));
    bool shown = false;
    for (std::string line; std::getline(lines, line);) {
      INFO(width << ": " << line);
      CHECK(text::columns_of(line) <= static_cast<size_t>(width));
      CHECK((line.empty() || line.back() != ' '));
      shown |= line.find("1-vector-add  PASS") != line.npos && line.find("97.3%") != line.npos;
    }
    CHECK(shown);
  }
}

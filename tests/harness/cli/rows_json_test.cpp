// The table of a check as JSON, and back.
#include "harness/cli/course_checks/rows_json.h"

#include "tests/catch.h"

using namespace ridge::cli;

TEST_CASE("a table of a check is read back as it was written, to a tenth") {
  CheckRow timed{
      "01-kernel-basics/1-vector-add", "honest: graph", "PASS or GOLD", "PASS", true, "", 3.26};
  timed.summary = "It passes.";
  timed.percent = 98.04;
  timed.sha256 = "ab12";
  const CheckRow plain{"02-coalescing/2-soa", "cheat: idle", "SLOW", "PASS", false, "why", 0};
  const auto rows = rows_from_json(rows_to_json({timed, plain}), "cheats.json");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].rung == timed.rung);
  CHECK(rows[0].what == timed.what);
  CHECK(rows[0].expected == timed.expected);
  CHECK(rows[0].got == timed.got);
  CHECK(rows[0].ok);
  CHECK(rows[0].summary == timed.summary);
  CHECK(rows[0].seconds == 3.3);
  CHECK(rows[0].percent == 98.0);
  CHECK(rows[0].sha256 == timed.sha256);
  CHECK_FALSE(rows[1].ok);
  CHECK_FALSE(rows[1].percent);
  CHECK(rows[1].sha256.empty());
}

TEST_CASE("what is no table of a check is refused with the file's name") {
  for (const char* text : {"", "[", "{}x", "[{}]", "[{\"rung\": 3}]", "[1]"}) {
    INFO(text);
    try {
      rows_from_json(text, "some.json");
      FAIL("no exception");
    } catch (const ridge::course::CourseError& error) {
      CHECK(std::string(error.what()).find("some.json") != std::string::npos);
    }
  }
}

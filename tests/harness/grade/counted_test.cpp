// The table of counts by line.
#include "harness/grade/gates/counted.h"

#include "tests/catch.h"

using namespace ridge;

TEST_CASE("a line of a header is distinguished from a line of the student's file") {
  trace::InstructionCounts own, other;
  own.file = "/clone/labs/03-reductions/5-online-softmax.cu";
  own.line = 23;
  own.space = "global";
  own.kind = "load";
  own.requests = 4;
  other = own;
  other.file = "/clone/labs/03-reductions/row_float4.h";
  trace::LaunchReport launch;
  launch.instructions = {own, other};
  const auto rows = grade::count_rows(std::vector{launch});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].what == "global load");
  CHECK(rows[1].what == "global load in row_float4.h");
}

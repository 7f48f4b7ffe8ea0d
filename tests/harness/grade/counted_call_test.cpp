// The report of a counted call is held against itself: launches that are missing or stand in it twice.
#include "harness/grade/gates/counted_call.h"

#include <set>

#include "harness/grade/correctness.h"
#include "tests/catch.h"
#include "tests/scratch_folder.h"

using namespace ridge;

namespace {

std::string launch(uint64_t number, uint32_t range) {
  trace::LaunchReport report;
  report.number = number;
  report.range = range;
  return trace::to_json_line(report);
}

std::string summary(uint32_t range, uint64_t launches, uint64_t last_number) {
  trace::RangeSummary made;
  made.range = range;
  made.launches = launches;
  made.last_number = last_number;
  made.copied_bytes = 24;
  made.filled_bytes = 8;
  return trace::to_json_line(made);
}

grade::CountedCall read(const std::string& text, uint32_t range) {
  const tests::ScratchFolder folder;
  folder.write("report.jsonl", text);
  const auto file = folder.path / "report.jsonl";
  return grade::counted_call(file, grade::reports_so_far(file), range,
                             problems::make_case(problems::find_problem("vector_add"), {1000}, problems::Draw::uniform, 1));
}

}  // namespace

TEST_CASE("a report with missing or repeated launches is damaged") {
  struct Row {
    const char* what;
    std::string text;
    bool is_damaged;
  };
  const Row rows[] = {
      {"as it was written", launch(1, 0) + launch(2, 1) + summary(1, 1, 2), false},
      {"in another order", launch(2, 1) + launch(1, 0) + summary(1, 1, 2), false},
      {"without the launch of the range", launch(1, 0) + summary(1, 1, 2), true},
      {"without one before it", launch(2, 1) + summary(1, 1, 2), true},
      {"with one twice", launch(1, 0) + launch(2, 1) + launch(2, 1) + summary(1, 2, 2), true},
      {"with one that was made up", launch(1, 0) + launch(2, 1) + launch(3, 1) + summary(1, 1, 2), true},
      {"without the summary", launch(1, 0) + launch(2, 1), true},
      {"with two summaries", launch(1, 0) + launch(2, 1) + summary(1, 1, 2) + summary(1, 1, 2), true},
      {"no launch at all", summary(1, 0, 0), false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const grade::CountedCall call = read(row.text, 1);
    CHECK(call.damage.has_value() == row.is_damaged);
    if (call.damage) CHECK(call.damage->verdict == grade::Verdict::suspect);
  }
}

TEST_CASE("a second call has its own launches, and the copies inside it count as its work") {
  const std::string text = launch(1, 1) + summary(1, 1, 1) + launch(2, 2) + launch(3, 2) + summary(2, 2, 3);
  const grade::CountedCall call = read(text, 2);
  CHECK_FALSE(call.damage);
  CHECK(call.launches.size() == 2);
  CHECK(call.work.copied_bytes == 32);
  CHECK(call.work.input_bytes == 8000);
  CHECK(call.work.output_bytes == 4000);
  CHECK(call.work.elements == 1000);
}

TEST_CASE("the hidden size is drawn from the seed, is smaller, and differs by whole steps") {
  course::Rung rung;
  rung.virtual_size = {1024, 64};
  CHECK(grade::hidden_virtual_size(rung, 1).empty());
  rung.virtual_step = {128, 64};
  std::vector<int64_t> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const problems::Sizes sizes = grade::hidden_virtual_size(rung, seed);
    REQUIRE(sizes.size() == 2);
    CHECK(sizes[1] == 64);  // not below a step
    CHECK((sizes[0] == 896 || sizes[0] == 768));
    seen.push_back(sizes[0]);
  }
  CHECK(std::set<int64_t>(seen.begin(), seen.end()).size() == 2);
  rung.virtual_step = {1024, 64};  // nowhere to go
  CHECK(grade::hidden_virtual_size(rung, 1).empty());
}

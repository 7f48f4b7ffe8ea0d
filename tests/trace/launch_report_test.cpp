#include "trace/launch_report.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/trace/scratch_folder.h"

using namespace ridge::trace;
using Catch::Matchers::Contains;

namespace {

LaunchReport example() {
  LaunchReport report;
  report.kernel = "transpose_naive(float*, const float*, int)";
  report.device = "H200 (virtual)";
  report.range = 3;
  report.grid = {32, 16, 1};
  report.block = {32, 8, 2};
  report.registers_per_thread = 24;
  report.static_shared_bytes = 4224;
  report.dynamic_shared_bytes = 99;
  report.local_bytes_per_thread = 8;
  report.occupancy = 0.75;
  report.occupancy_limiter = "registers";
  report.warp_instructions = (1ull << 53) + 1;  // more than a double can hold
  report.thread_instructions = ~0ull;
  report.barriers = 5;
  report.divergent_branches = 6;
  report.host_seconds = 0.125;
  report.host_threads = 2;
  report.checks = false;
  report.instructions.push_back({"labs/\"02\"/t.cu", 12, 80, "ld.global.f32 %f1, [%rd4];", "ld.global.f32", "global", "load",
                                 1, 2, 3, 4, 5, 6, 7, 8, 9});
  report.findings.push_back(
      {"out_of_bounds", "line one\nline \xc3\xbc two", "t.cu", 13, 90, {1, 2, 3}, {4, 5, 6}, "own.cu:7",
       "index", "look at i", {{"index", "7"}, {"extent", "6"}}});
  report.on_default_stream = true;
  return report;
}

}  // namespace

TEST_CASE("a report that is written and read is the same, one line per launch") {
  const ScratchFolder folder;
  const std::string line = to_json_line(example());
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(line.back() == '\n');
  LaunchReport second;
  second.kernel = "empty";
  write_text(folder.path / "r", line + to_json_line(second));

  const std::vector<LaunchReport> got = read_reports(folder.path / "r");
  REQUIRE(got.size() == 2);
  CHECK(to_json_line(got[0]) == line);
  CHECK(to_json_line(got[1]) == to_json_line(second));
  CHECK(got[0].warp_instructions == (1ull << 53) + 1);
  CHECK(got[0].thread_instructions == ~0ull);
  REQUIRE(got[0].instructions.size() == 1);
  CHECK(got[0].instructions[0].ideal_wavefronts == 8);
  CHECK(got[0].instructions[0].bytes == 9);
  CHECK(got[0].instructions[0].file == "labs/\"02\"/t.cu");
  REQUIRE(got[0].findings.size() == 1);
  CHECK(got[0].findings[0].message == "line one\nline \xc3\xbc two");
  CHECK(got[0].findings[0].thread == std::array<uint32_t, 3>{4, 5, 6});
  CHECK(got[0].findings[0].cause == "index");
  CHECK(got[0].findings[0].advice == "look at i");
  REQUIRE(got[0].findings[0].values.size() == 2);
  CHECK(got[0].findings[0].values[1].name == "extent");
  CHECK(got[0].findings[0].values[1].text == "6");
  CHECK(got[0].on_default_stream);
  CHECK_FALSE(got[0].checks);
}

TEST_CASE("bytes that are no UTF-8 become replacement characters, not an exception") {
  LaunchReport report;
  report.kernel = "k\xff";
  CHECK_THAT(to_json_line(report), Contains("k\xef\xbf\xbd"));
}

TEST_CASE("unknown fields are skipped and missing ones keep their defaults") {
  const ScratchFolder folder;
  write_text(folder.path / "r",
             R"({"version":1,"kernel":"k","colour":"red","occupancy":null,"instructions":[{"line":7}]})"
             "\n\n");
  const std::vector<LaunchReport> got = read_reports(folder.path / "r");
  REQUIRE(got.size() == 1);
  CHECK(got[0].kernel == "k");
  CHECK(got[0].checks);
  CHECK(got[0].instructions.at(0).line == 7);
}

TEST_CASE("a last line that is still being written is left out") {
  const ScratchFolder folder;
  const std::string line = to_json_line(example());
  for (size_t cut : {size_t{1}, line.size() / 2, line.size() - 2}) {
    write_text(folder.path / "r", line + line.substr(0, cut));
    CAPTURE(cut);
    CHECK(read_reports(folder.path / "r").size() == 1);
  }
  write_text(folder.path / "r", line + line.substr(0, line.size() - 1));  // only the newline is missing
  CHECK(read_reports(folder.path / "r").size() == 2);
}

TEST_CASE("damage is named with file and line") {
  struct Row {
    std::string line, says;
  };
  const Row row = GENERATE(values<Row>({
      {"{\"version\":1,\"kern", "damaged"},
      {"[1,2]", "not a report"},
      {"{\"kernel\":\"k\"}", "no version"},
      {"{\"version\":2}", "newer Ridgepoint"},
      {"{\"version\":1,\"kernel\":5}", "\"kernel\" should be a text but is 5"},
      {"{\"version\":1,\"range\":-1}", "\"range\" should be a whole number"},
      {"{\"version\":1,\"range\":4294967296}", "not too large"},
      {"{\"version\":1,\"grid\":[1,2]}", "three whole numbers"},
      {"{\"version\":1,\"occupancy\":\"much\"}", "\"occupancy\" should be a number"},
      {"{\"version\":1,\"checks\":1}", "true or false"},
      {"{\"version\":1,\"instructions\":{}}", "\"instructions\" should be a list"},
      {"{\"version\":1,\"findings\":[3]}", "list of objects"},
  }));
  const ScratchFolder folder;
  write_text(folder.path / "r", to_json_line(example()) + row.line + "\n" + to_json_line(example()));
  const std::string complaint = complaint_of([&] { read_reports(folder.path / "r"); });
  CHECK_THAT(complaint, Contains("r:2: "));
  CHECK_THAT(complaint, Contains(row.says));
}

TEST_CASE("a file that is not there says so, and an empty one has no launches") {
  const ScratchFolder folder;
  CHECK_THAT(complaint_of([&] { read_reports(folder.path / "none"); }), Contains("there is no such report"));
  write_text(folder.path / "r", "");
  CHECK(read_reports(folder.path / "r").empty());
}

TEST_CASE("the L1 data path takes one cycle per request at least, and one per wavefront") {
  struct Case {
    const char* space;
    uint64_t requests, sectors, wavefronts, sass_instructions, sass_wavefronts;
    double bytes;
  };
  for (const Case& c : {Case{"global", 10, 40, 0, 0, 0, 1280},  // unit stride
                        {"global", 10, 10, 0, 0, 0, 1280},      // one word for all lanes
                        {"local", 10, 320, 0, 0, 0, 10240},     // one sector per lane
                        {"shared", 10, 0, 20, 0, 0, 2560},
                        {"shared", 12, 0, 12, 50, 3, 384},  // four loads that ptxas made one of
                        {"constant", 10, 0, 0, 0, 0, 0}}) {
    LaunchReport report;
    InstructionCounts one;
    one.space = c.space;
    one.requests = c.requests;
    one.sectors = c.sectors;
    report.instructions = {one};
    report.shared_wavefronts = c.wavefronts;
    report.sass_instructions = c.sass_instructions;
    report.sass_shared_wavefronts = c.sass_wavefronts;
    INFO(c.space << ", " << c.sectors << " sectors");
    CHECK(l1_path_bytes(report) == c.bytes);
  }
}

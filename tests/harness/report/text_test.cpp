#include "harness/report/text/text.h"

#include <unistd.h>

#include "harness/report/tables/counts_table.h"
#include "harness/report/tables/table.h"
#include "harness/report/text/error_map_text.h"
#include "harness/report/text/fold.h"
#include "tests/catch.h"
#include "tests/harness/report/plain_style.h"
#include "text/layout.h"

using namespace ridge;
using grade::Verdict;

namespace {

course::Rung vector_add() {
  course::Rung rung;
  rung.lab = "01-kernel-basics";
  rung.name = "1-vector-add";
  rung.title = "Vector add";
  rung.target = {70, 82};
  return rung;
}

}  // namespace

TEST_CASE("a graded rung is a line with the verdict and details below it") {
  const course::Rung rung = vector_add();
  report::Graded graded{&rung, false, {}};
  graded.result.verdict = Verdict::slow;
  graded.result.summary = "Every warp asks for 32 sectors where 4 would do.";
  graded.result.next = "Let neighbouring threads read neighbouring elements.";
  graded.result.detail = "first detail\n  second, indented";
  graded.result.device = "H200 (virtual)";
  graded.result.size = "n = 1048576";
  graded.result.seconds = 1.25;
  graded.result.registers = 16;
  graded.result.gates = {{{"sectors_per_request", 4.5, {}, "Neighbours read neighbours."}, 32, false},
                         {{"requests", {}, 10, "Some."}, 12, true}};
  graded.result.counts = {{7, "global load", 1000, 32000, 4000, 0, 0}, {9, "shared store", 10, 0, 0, 20, 10}};
  CHECK(report::show(graded, tests::kPlain) ==
        "SLOW           01-kernel-basics/1-vector-add  H200 (virtual), n = 1048576, 1.2 s\n"
        "    Every warp asks for 32 sectors where 4 would do.\n"
        "    Next: Let neighbouring threads read neighbouring elements.\n"
        "    first detail\n"
        "      second, indented\n"
        "    ✗ sectors_per_request = 32 (at most 4.5)\n"
        "      Neighbours read neighbours.\n"
        "    ✓ requests = 12 (at least 10)\n"
        "    modelled, for one warp's request, by line of your file:\n"
        "    line  what          requests  sectors/request (ideal)  wavefronts (ideal)\n"
        "       7  global load      1,000               32.0 (4.0)                   -\n"
        "       9  shared store        10                        -           2.0 (1.0)\n"
        "    16 registers per thread\n");
}

TEST_CASE("a grade on several devices shows what crossed their links, beside the least") {
  const course::Rung rung = vector_add();
  report::Graded graded{&rung, false, {}};
  graded.result.links = grade::LinkUse{
      {{1, 0, "store", 98304, 768, 0, {0, 0, 0, 768}}, {0, 1, "load", 147456, 1536, 0, {384, 0, 0, 1152}}},
      98304,
      "2 (N - 1) / N of the array"};
  CHECK_THAT(report::show(graded, tests::kPlain),
             Catch::Contains("    modelled: traffic between devices:\n"
                             "      from -> to  by             bytes    requests   32 B   64 B   96 B  128 B\n"
                             "         0 -> 1   load         147,456       1,536    25%     0%     0%    75%\n"
                             "         1 -> 0   store         98,304         768     0%     0%     0%   100%\n"
                             "      device 0 sends 147,456 bytes (1.5 times the least) and receives 98,304\n"
                             "      device 1 sends 98,304 bytes (1 times the least) and receives 147,456\n"
                             "      the least that each must send: 98,304 bytes, 2 (N - 1) / N of the array\n"));
}

TEST_CASE("a measured grade shows percentage, quartiles and targets, labelled measured") {
  const course::Rung rung = vector_add();
  report::Graded graded{&rung, true, {}};
  graded.result.verdict = Verdict::gold;
  graded.result.measured = grade::Measured{.time_ms = 0.2,
                                           .baseline_ms = 0.19,
                                           .percent = 95.04,
                                           .percent_low = 94.9,
                                           .percent_high = 95.2,
                                           .gigabytes_per_second = 4060,
                                           .gigaflops = 0,
                                           .rounds = 9,
                                           .baseline = "device copy, 4265 GB/s"};
  graded.result.measured->target = {70, 82, "NVIDIA H200"};
  graded.result.device = "NVIDIA H200";
  const std::string text = report::show(graded, tests::kPlain);
  CHECK_THAT(text, Catch::StartsWith("GOLD           01-kernel-basics/1-vector-add (solution)"));
  CHECK_THAT(text,
             Catch::Contains("measured: 95.0% of device copy, 4265 GB/s (quartiles 94.9 to 95.2, 9 rounds); "
                             "pass at 70%, gold at 82%"));
  CHECK_THAT(text, !Catch::Contains("targets measured on"));
  graded.result.device = "NVIDIA A100-SXM4-80GB";
  CHECK_THAT(report::show(graded, tests::kPlain),
             Catch::Contains("pass at 70%, gold at 82% (targets measured on NVIDIA H200)\n"));
  CHECK_THAT(text, Catch::Contains("0.2000 ms per call, the baseline 0.1900 ms; 4.06 TB/s"));
  CHECK_THAT(text, !Catch::Contains("modelled"));
  CHECK_THAT(text, !Catch::Contains("times as fast"));
  graded.result.measured->second = grade::SecondMeasured{"unfused kernels", 0.6, 3, 2.98, 3.01, 2.8};
  CHECK_THAT(report::show(graded, tests::kPlain),
             Catch::Contains("3.00 times as fast as unfused kernels (quartiles 2.98 to 3.01), 0.6000 ms; pass at 2.8"));
  CHECK(report::measured_json(*graded.result.measured).at("second").at("times") == 3);
  // Counts from a separate run are marked as such.
  graded.result.gates = {{{"blocks", {}, 132, ""}, 200, true}};
  graded.result.counts = {{7, "global load", 1000, 4000, 4000, 0, 0}};
  graded.result.counted_size = "n = 65536";
  const std::string counted = report::show(graded, tests::kPlain);
  CHECK_THAT(counted, Catch::Contains("    modelled on the virtual GPU at n = 65536:\n    ✓ blocks = 200"));
  CHECK_THAT(counted,
             Catch::Contains("modelled at n = 65536, for one warp's request, by line of your file:"));
}

TEST_CASE("colours appear only on request, and long sentences are broken at the width") {
  const course::Rung rung = vector_add();
  report::Graded graded{&rung, false, {}};
  graded.result.verdict = Verdict::pass;
  graded.result.summary = std::string(60, 'a') + " " + std::string(60, 'b');
  CHECK_THAT(report::show(graded, tests::kPlain), !Catch::Contains("\x1b"));
  CHECK_THAT(report::show(graded, tests::kPlain),
             Catch::Contains("    " + std::string(60, 'a') + "\n    bbb"));
  CHECK_THAT(report::show(graded, {.colour = true, .width = 80}), Catch::StartsWith("\x1b[32;1mPASS"));
}

TEST_CASE("a pipe has no colours, and NO_COLOR is respected") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK_FALSE(report::style_of(ends[1]).colour);
  CHECK(report::style_of(ends[1]).width >= 40);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a map of wrong elements is laid out for the terminal's width") {
  struct Row {
    grade::ErrorMap map;
    size_t width;
    std::vector<std::string> lines;
  };
  const std::vector<std::string> rows_by_columns = {"....####....", "....#.......", "????????????",
                                                    "##??##??...."},
                                 in_order = {"....####....", "++++"};
  const Row rows[] = {
      // Rows by columns: cells join, and say when they were not alike.
      {{"out", 4, 12, 0, rows_by_columns}, 8, {"  ..##..", "  ..+...", "  ??????", "  #?#?.."}},
      {{"out", 1, 12, 0, {"....####...."}}, 80, {"  ....####...."}},
      // In order: what does not fit goes on in the next line.
      {{"c", 1, 32, 2, in_order}, 8, {"  ....##", "  ##....", "  ++++"}},
      {{"c", 1, 32, 2, in_order}, 10, {"  ....####", "  ....++++"}},
      {{"c", 1, 32, 2, in_order}, 80, {"  ....####....", "  ++++"}},
  };
  for (const Row& row : rows) {
    const std::string text = report::error_map_text(row.map, row.width);
    std::vector<std::string_view> lines = text::lines_of(text);
    REQUIRE(lines.size() > row.lines.size());
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(row.lines.size()));
    CHECK(std::vector<std::string>(lines.begin(), lines.end()) == row.lines);
  }
  CHECK(report::error_map_text({"c", 1, 32, 1, {"."}}, 100) ==
        "map of c, 1 element per character, in order (. right, + some wrong, # wrong, ? never written):\n"
        "  .\n");
}

TEST_CASE("a map of wrong elements survives JSON, and is shown below the detail") {
  const course::Rung rung = vector_add();
  report::Graded graded{&rung, false, {}};
  graded.result.verdict = Verdict::wrong;
  graded.result.finding = "wrong.scattered";
  graded.result.detail = "c[0] expected 1, got 2\n";
  graded.result.error_map = {"c", 1, 8, 1, {"#......."}};
  CHECK_THAT(report::show(graded, tests::kPlain),
             Catch::Contains("    c[0] expected 1, got 2\n    map of c, 1 element per character, in order"));
  const auto json = nlohmann::json::parse(report::results_json({&graded, 1})).at("results").at(0);
  CHECK(json.at("finding") == "wrong.scattered");
  const grade::ErrorMap back = report::error_map_from(json.at("error_map"));
  CHECK(back.array == "c");
  CHECK(back.rows == 1);
  CHECK(back.columns == 8);
  CHECK(back.elements_per_cell == 1);
  CHECK(back.lines == std::vector<std::string>{"#......."});
}

TEST_CASE("the JSON has the documented fields, and invalid UTF-8 does no harm") {
  const course::Rung rung = vector_add();
  report::Graded graded{&rung, false, {}};
  graded.result.verdict = Verdict::out_of_bounds;
  graded.result.detail = "bad \xff byte";
  graded.result.gates = {{{"sectors_per_request", 4.5, {}, "why"}, 4, true}};
  graded.result.counts = {{7, "global load", 1, 4, 4, 0, 0}};
  graded.result.all_counts = {{"blocks", 3}, {"load_traffic", 1.5}};
  const auto json = nlohmann::json::parse(report::results_json({&graded, 1}));
  CHECK(json.at("schema") == 1);
  const auto& first = json.at("results").at(0);
  CHECK(first.at("rung") == "01-kernel-basics/1-vector-add");
  CHECK(first.at("verdict") == "OUT OF BOUNDS");
  CHECK(first.at("passed") == false);
  CHECK(first.at("source") == "student");
  CHECK(first.at("engine") == "virtual");
  CHECK(first.at("measured").is_null());
  CHECK(first.at("gates").at(0).at("at_most") == 4.5);
  CHECK(first.at("gates").at(0).at("at_least").is_null());
  CHECK(first.at("all_counts").at("blocks") == 3);
  CHECK(first.at("all_counts").at("load_traffic") == 1.5);
  CHECK(first.at("counts").at(0).at("line") == 7);
  graded.result.measured.emplace().percent = 71;
  graded.result.measured->target = {70, 82, "NVIDIA H200"};
  const auto measured = nlohmann::json::parse(report::results_json({&graded, 1}))["results"][0]["measured"];
  CHECK(measured.at("percent") == 71);
  CHECK(measured.at("pass_percent") == 70);
  CHECK(measured.at("gold_percent") == 82);
  CHECK(measured.at("target_device") == "NVIDIA H200");
}

TEST_CASE("a table that is too wide for the terminal flows, with titles before its numbers") {
  const std::vector<std::vector<report::Cell>> rows = {
      {{"run", report::Colour::dim, true}, {"rung"}, {"result", report::Colour::dim, true}},
      {{"7", report::Colour::none, true},
       {"01-kernel-basics/1-vector-add"},
       {"80.1%", report::Colour::none, true}}};
  report::Style style = tests::kPlain;
  style.width = 40;
  CHECK(report::table_of(rows, style) ==
        "run  rung                           result\n"
        "  7  01-kernel-basics/1-vector-add   80.1%\n");
  style.narrow = true;
  CHECK(report::table_of(rows, style) ==
        "7  01-kernel-basics/1-vector-add\n"
        "    result 80.1%\n");
}

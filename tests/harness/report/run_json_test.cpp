#include "harness/report/store/run_json.h"

#include "tests/catch.h"
#include "tests/harness/report/stored_run.h"
#include "text/source_difference.h"

using namespace ridge;
using tests::stored_run;

namespace {

const std::vector<std::optional<text::LineChange>> kNoChange = {std::nullopt};

std::string error_of(const std::string& text) {
  try {
    (void)report::runs_from_json(text, "run.json");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a run that was written as JSON is read back unchanged, whatever bytes its source has") {
  for (const std::string& source : {std::string("int x;\n"), std::string("// \xc3\xa9 \xe2\x82\xac\n"),
                                    std::string("// caf\xe9\n\0end", 12), std::string()}) {
    report::StoredRun run = stored_run(12, source, grade::Verdict::gold);
    run.engine = grade::Engine::gpu;
    run.origin = report::Origin::solution;
    run.percent = 97.123456789;
    run.seed = 0xfedcba9876543210;
    run.seconds = 1.25;
    run.figures = R"({"size":"n = 5"})";
    run.conditions = R"({"hidden_sizes":[[17],[3]]})";
    const std::string text = report::runs_json({&run, 1}, kNoChange);
    const auto back = report::runs_from_json(text, "run.json");
    REQUIRE(back.size() == 1);
    CHECK(back[0].number == 12);
    CHECK(back[0].rung == run.rung);
    CHECK(back[0].source == source);
    CHECK(back[0].engine == grade::Engine::gpu);
    CHECK(back[0].origin == report::Origin::solution);
    CHECK(back[0].percent == run.percent);
    CHECK(back[0].seed == run.seed);
    CHECK(back[0].seconds == 1.25);
    CHECK(back[0].at_ms == run.at_ms);
    CHECK(back[0].verdict == grade::Verdict::gold);
    CHECK(report::object_in(back[0].figures) == report::object_in(run.figures));
    CHECK(report::object_in(back[0].conditions) == report::object_in(run.conditions));
  }
}

TEST_CASE("the document says when in UTC and what changed") {
  report::StoredRun run = stored_run(1, "x");
  run.at_ms = 1795251997618;
  const std::vector<std::optional<text::LineChange>> changed = {text::LineChange{6, 1}};
  const auto json = nlohmann::json::parse(report::runs_json({&run, 1}, changed));
  CHECK(json.at("schema") == 1);
  CHECK(json.at("runs").at(0).at("at") == "2026-11-21T09:06:37Z");
  CHECK(json.at("runs").at(0).at("changed").at("added") == 6);
  CHECK(json.at("runs").at(0).at("percent").is_null());
}

TEST_CASE("an invalid or changed file is refused with the reason") {
  const report::StoredRun run = stored_run(7, "int x;\n");
  const std::string good = report::runs_json({&run, 1}, kNoChange);
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    text.replace(text.find(what), what.size(), instead);
    return text;
  };
  CHECK(error_of(good) == "no error");
  CHECK_THAT(error_of(""), Catch::StartsWith("run.json: it is no JSON of runs"));
  CHECK_THAT(error_of("[1]"), Catch::Contains("`ridge history --json` writes such a file"));
  CHECK_THAT(error_of(R"({"schema": 1})"), Catch::Contains("runs"));
  CHECK_THAT(error_of(with("int x;", "int y;")),
             Catch::Contains("the source of run 7 is not the one it was written"));
  CHECK_THAT(error_of(with("\"schema\": 1", "\"schema\": 9")),
             Catch::Contains("written by a newer ridge (schema 9"));
  CHECK_THAT(error_of(with("WRONG", "WRNOG")), Catch::Contains("\"WRNOG\" is not a verdict"));
  CHECK_THAT(error_of(with("0000000000000000", "what")),
             Catch::StartsWith("run.json: ") && Catch::Contains("hexadecimal digits"));
  CHECK_THAT(error_of(R"({"schema": 1})"), !Catch::Contains("exception"));
}

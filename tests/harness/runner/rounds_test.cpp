// Rounds: every set of buffers is used once, and is as it should be before each.
#include "harness/problems/compare.h"
#include "harness/runner/session.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

const std::filesystem::path kModules = std::filesystem::path(RIDGE_BINARY_DIR) / "lib" / "tests";

runner::Session started() {
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = options.installation.virtual_libraries;
  options.guard_bytes = 512;
  options.readable = {kModules};
  return runner::Session(options);
}

}  // namespace

TEST_CASE("both sides of a round answer one time for every set, and the sets hold their own data") {
  runner::Session session = started();
  REQUIRE_FALSE(
      session.load(kModules / "hostile_entries.so", "does_nothing", problems::find_problem("saxpy")));
  std::vector<problems::Case> sets;
  for (uint64_t seed : {1, 2, 3})
    sets.push_back(
        problems::make_case(problems::find_problem("saxpy"), {3000}, problems::Draw::uniform, seed));
  REQUIRE_FALSE(session.prepare(sets, "device_copy"));
  for (int round = 0; round < 3; ++round)
    for (bool student : {true, false}) {
      auto answer = session.round(student);
      REQUIRE(std::holds_alternative<runner::RoundRun>(answer));
      const auto& run = std::get<runner::RoundRun>(answer);
      CHECK(run.device_ms.size() == 3);
      REQUIRE(run.host_ms.size() == 3);
      for (double ms : run.host_ms)
        CHECK(ms > 0);
    }
  for (size_t set = 0; set < sets.size(); ++set) {
    auto answer = session.collect(set);
    REQUIRE(std::holds_alternative<std::vector<runner::Returned>>(answer));
    const auto& buffers = std::get<std::vector<runner::Returned>>(answer);
    REQUIRE(buffers.size() == 2);
    for (size_t i = 0; i < 2; ++i)
      CHECK(std::equal(sets[set].initial[i].begin(), sets[set].initial[i].end(), buffers[i].data.begin(),
                       buffers[i].data.end()));
  }
}

TEST_CASE("a baseline that is not known is named") {
  runner::Session session = started();
  REQUIRE_FALSE(
      session.load(kModules / "hostile_entries.so", "does_nothing", problems::find_problem("scale")));
  auto failure = session.prepare(
      {problems::make_case(problems::find_problem("scale"), {10}, problems::Draw::uniform, 1)},
      "cublas_dreams");
  REQUIRE(failure);
  CHECK(failure->text.find("cublas_dreams") != std::string::npos);
  CHECK(failure->text.find("device_copy") != std::string::npos);
}

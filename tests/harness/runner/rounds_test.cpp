// Passes: every slot is used once and holds, before each call, the data of the set it is to hold.
#include "harness/problems/compare.h"
#include "harness/runner/session.h"
#include "tests/catch.h"
#include "tests/harness/runner/modules.h"

using namespace ridge;

namespace {

runner::Session started() {
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = options.installation.virtual_libraries;
  options.guard_bytes = 512;
  options.readable = {tests::kModules};
  return runner::Session(options);
}

}  // namespace

TEST_CASE("a pass returns one time per slot, and the slots hold the sets in the requested order") {
  runner::Session session = started();
  const problems::Problem& saxpy = problems::find_problem("saxpy");
  REQUIRE_FALSE(session.load(tests::kModules / "hostile_entries.so", "does_nothing", saxpy));
  std::vector<problems::Case> sets;
  for (uint64_t seed : {1, 2, 3})
    sets.push_back(problems::make_case(saxpy, {3000}, problems::Draw::uniform, seed));
  auto prepared = session.prepare({sets, "device_copy", {}, {}});
  REQUIRE(std::holds_alternative<runner::BaselineReport>(prepared));
  for (const std::vector<size_t>& order : std::vector<std::vector<size_t>>{{0, 1, 2}, {2, 0, 1}, {1, 0, 2}}) {
    for (bool student : {false, true}) {
      auto answer = session.pass(student ? runner::Side::student : runner::Side::baseline, order, true);
      REQUIRE(std::holds_alternative<runner::PassRun>(answer));
      const auto& run = std::get<runner::PassRun>(answer);
      CHECK(run.device_ms.size() == 3);
      REQUIRE(run.host_ms.size() == 3);
      for (double ms : run.host_ms)
        CHECK(ms > 0);
    }
    for (size_t slot = 0; slot < sets.size(); ++slot) {
      auto answer = session.collect(slot, 0);
      REQUIRE(std::holds_alternative<std::vector<runner::Returned>>(answer));
      const auto& buffers = std::get<std::vector<runner::Returned>>(answer);
      REQUIRE(buffers.size() == 2);
      const auto& initial = sets[order[slot]].initial;
      for (size_t i = 0; i < 2; ++i) {
        CHECK(
            std::equal(initial[i].begin(), initial[i].end(), buffers[i].data.begin(), buffers[i].data.end()));
        for (std::byte guard : buffers[i].after)
          REQUIRE(guard == std::byte{runner::kGuardByte});
      }
    }
  }
}

TEST_CASE("of a large input a window is returned, of written buffers everything") {
  runner::Session session = started();
  const problems::Problem& saxpy = problems::find_problem("saxpy");
  REQUIRE_FALSE(session.load(tests::kModules / "hostile_entries.so", "does_nothing", saxpy));
  const int64_t bytes = 4 * (1 << 20);
  const std::vector<problems::Case> sets = {
      problems::make_case(saxpy, {bytes / 4}, problems::Draw::uniform, 1)};
  REQUIRE(std::holds_alternative<runner::BaselineReport>(session.prepare({sets, "device_copy", {}, {}})));
  REQUIRE(std::holds_alternative<runner::PassRun>(session.pass(runner::Side::student, {0}, true)));
  for (const double first : {0.0, 0.4, 0.999999}) {
    INFO(first);
    auto answer = session.collect(0, first);
    REQUIRE(std::holds_alternative<std::vector<runner::Returned>>(answer));
    const auto& buffers = std::get<std::vector<runner::Returned>>(answer);
    const runner::Returned& x = buffers[0];
    REQUIRE(static_cast<int64_t>(x.data.size()) == runner::kInputWindowBytes);
    CHECK(x.first % 256 == 0);
    CHECK(std::abs(static_cast<double>(x.first) -
                   first * static_cast<double>(bytes - runner::kInputWindowBytes)) < 256);
    CHECK(std::equal(x.data.begin(), x.data.end(), sets[0].initial[0].begin() + x.first));
    CHECK(static_cast<int64_t>(buffers[1].data.size()) == bytes);
    CHECK(std::equal(buffers[1].data.begin(), buffers[1].data.end(), sets[0].initial[1].begin()));
    for (const runner::Returned& buffer : buffers)
      for (const auto guard : {buffer.before, buffer.after})
        CHECK(std::all_of(guard.begin(), guard.end(),
                          [](std::byte b) { return b == std::byte{runner::kGuardByte}; }));
  }
}

TEST_CASE("replaced inputs are in the slots of the next pass") {
  runner::Session session = started();
  const problems::Problem& saxpy = problems::find_problem("saxpy");
  REQUIRE_FALSE(session.load(tests::kModules / "hostile_entries.so", "does_nothing", saxpy));
  std::vector<problems::Case> sets;
  for (uint64_t seed : {1, 2})
    sets.push_back(problems::make_case(saxpy, {3000}, problems::Draw::uniform, seed));
  REQUIRE(std::holds_alternative<runner::BaselineReport>(session.prepare({sets, "device_copy", {}, {}})));
  REQUIRE(std::holds_alternative<runner::PassRun>(session.pass(runner::Side::student, {0, 1}, true)));
  std::vector<problems::Case> others;
  for (uint64_t seed : {3, 4})
    others.push_back(problems::make_case(saxpy, {3000}, problems::Draw::uniform, seed));
  REQUIRE_FALSE(session.renew(others, {0, 1}));
  REQUIRE(std::holds_alternative<runner::PassRun>(session.pass(runner::Side::student, {1, 0}, true)));
  for (size_t slot : {0, 1}) {
    auto answer = session.collect(slot, 0);
    REQUIRE(std::holds_alternative<std::vector<runner::Returned>>(answer));
    const auto& buffers = std::get<std::vector<runner::Returned>>(answer);
    for (size_t i = 0; i < 2; ++i) {
      const auto& initial = others[1 - slot].initial[i];
      CHECK(std::equal(initial.begin(), initial.end(), buffers[i].data.begin(), buffers[i].data.end()));
    }
  }
}

TEST_CASE("an unknown baseline is reported with the known ones") {
  runner::Session session = started();
  const std::vector<problems::Case> sets = {
      problems::make_case(problems::find_problem("scale"), {10}, problems::Draw::uniform, 1)};
  auto prepared = session.prepare({sets, "cublas_dreams", {}, {}});
  auto* failure = std::get_if<runner::Failure>(&prepared);
  REQUIRE(failure);
  CHECK(failure->text.find("cublas_dreams") != std::string::npos);
  CHECK(failure->text.find("device_copy") != std::string::npos);
}

TEST_CASE("a pass without preparation is refused with a message") {
  runner::Session session = started();
  auto answer = session.pass(runner::Side::baseline, {0}, false);
  auto* failure = std::get_if<runner::Failure>(&answer);
  REQUIRE(failure);
  CHECK(failure->text.find("prepared") != std::string::npos);
}

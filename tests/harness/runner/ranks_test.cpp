// Problems on several devices, on virtual ones: buffers of each device, and their baselines.
#include "harness/problems/collectives/ranks.h"

#include <algorithm>
#include <cstddef>

#include "harness/problems/compare.h"
#include "harness/runner/session.h"
#include "labs/11-collectives/ranks.h"
#include "tests/catch.h"
#include "tests/harness/runner/modules.h"

using namespace ridge;

namespace {

runner::Session with_devices(const char* count) {
  runner::SessionOptions options;
  options.installation = runner::find_installation();
  options.library_folder = options.installation.virtual_libraries;
  options.guard_bytes = 512;
  options.readable = {tests::kModules};
  options.environment = {{"RIDGE_DEVICES", count}};
  return runner::Session(options);
}

std::vector<problems::Case> sets_of(const char* problem, const problems::Sizes& sizes) {
  std::vector<problems::Case> sets;
  for (const uint64_t seed : {5, 6, 7})
    sets.push_back(
        problems::make_case(problems::find_problem(problem), sizes, problems::Draw::uniform, seed));
  return sets;
}

// The answers of the baseline's pass, compared with the reference.
void check_answers(runner::Session& session, const std::vector<problems::Case>& sets,
                   const std::vector<size_t>& order) {
  for (size_t slot = 0; slot < order.size(); ++slot) {
    auto answer = session.collect(slot, 0);
    REQUIRE(std::holds_alternative<std::vector<runner::Returned>>(answer));
    const auto& buffers = std::get<std::vector<runner::Returned>>(answer);
    const problems::Case& given = sets[order[slot]];
    for (const problems::Expected& expected : given.problem->reference(given))
      CHECK(
          problems::compare(given.buffers[expected.buffer], expected, buffers[expected.buffer].data)
              .right());
    for (size_t i = 0; i < buffers.size(); ++i) {
      for (const std::byte guard : buffers[i].after)
        REQUIRE(guard == std::byte{runner::kGuardByte});
      if (given.buffers[i].role == problems::Role::signals)
        CHECK(std::all_of(buffers[i].data.begin(), buffers[i].data.end(),
                          [](std::byte b) { return b == std::byte{0}; }));
    }
  }
}

}  // namespace

TEST_CASE("students and the harness declare the same structure of ranks") {
  using Own = problems::Ranks;
  STATIC_REQUIRE(sizeof(Own) == sizeof(::Ranks));
  STATIC_REQUIRE(offsetof(Own, inputs) == offsetof(::Ranks, inputs));
  STATIC_REQUIRE(offsetof(Own, outputs) == offsetof(::Ranks, outputs));
  STATIC_REQUIRE(offsetof(Own, signals) == offsetof(::Ranks, signals));
  STATIC_REQUIRE(offsetof(Own, streams) == offsetof(::Ranks, streams));
  STATIC_REQUIRE(problems::kSignals == ::kSignals);
}

TEST_CASE("cudaMemcpyPeerAsync as a baseline passes each input on to the next device") {
  for (const int64_t ranks : {2, 4}) {
    runner::Session session = with_devices("4");
    const auto sets = sets_of("peer_copy", {ranks, 3001});
    auto prepared = session.prepare({sets, "peer_copy", {}, {}});
    if (auto* failure = std::get_if<runner::Failure>(&prepared)) FAIL(failure->text);
    const std::vector<size_t> order = {2, 0, 1};
    auto answer = session.pass(runner::Side::baseline, order, false);
    if (auto* failure = std::get_if<runner::Failure>(&answer)) FAIL(failure->text);
    CHECK(std::get<runner::PassRun>(answer).device_ms.size() == 3);
    check_answers(session, sets, order);
  }
}

TEST_CASE("a call of a function on several devices returns the outputs of all of them") {
  runner::Session session = with_devices("2");
  const problems::Problem& problem = problems::find_problem("peer_copy");
  REQUIRE_FALSE(session.load(tests::kModules / "hostile_entries.so", "does_nothing", problem));
  const problems::Case given = problems::make_case(problem, {2, 100}, problems::Draw::uniform, 3);
  auto answer = session.run_case(given, false);
  if (auto* failure = std::get_if<runner::Failure>(&answer)) FAIL(failure->text);
  const auto& buffers = std::get<runner::CaseRun>(answer).buffers;
  REQUIRE(buffers.size() == 6);
  for (size_t rank = 0; rank < 2; ++rank) {
    CHECK(std::equal(given.initial[rank].begin(), given.initial[rank].end(),
                     buffers[rank].data.begin()));
    for (size_t i = 0; i < buffers[2 + rank].data.size(); ++i)
      REQUIRE(buffers[2 + rank].data[i] == problems::poison_at(i));
  }
  // More ranks than devices.
  answer =
      session.run_case(problems::make_case(problem, {4, 100}, problems::Draw::uniform, 3), false);
  const auto* failure = std::get_if<runner::Failure>(&answer);
  REQUIRE(failure);
  CHECK(failure->stage == runner::Failure::Stage::setup);
  CHECK(failure->text.find("device 2") != std::string::npos);
}

TEST_CASE("without NCCL its baselines say what is missing") {
  runner::Session session = with_devices("2");
  for (const auto& [problem, baseline] :
       {std::pair{"all_reduce", "nccl_all_reduce"},
        std::pair{"all_gather_reduce_scatter", "nccl_all_gather_reduce_scatter"}}) {
    auto prepared = session.prepare({sets_of(problem, {2, 100}), baseline, {}, {}});
    const auto* failure = std::get_if<runner::Failure>(&prepared);
    // With NCCL installed, the virtual GPU has none of the driver's functions that it needs.
    REQUIRE(failure);
    if (failure->stage != runner::Failure::Stage::missing) continue;
    CHECK(failure->name == "NCCL");
    CHECK(failure->text.find("apt-get install libnccl2") != std::string::npos);
  }
}

TEST_CASE("in rows a pass returns one time per row, and the right answers in every slot") {
  for (const bool capture : {true, false}) {
    runner::Session session = with_devices("2");
    std::vector<problems::Case> sets = sets_of("peer_copy", {2, 3001});
    sets.push_back(problems::make_case(problems::find_problem("peer_copy"), {2, 3001}, problems::Draw::uniform, 8));
    runner::Preparation wanted{sets, "peer_copy", {}, {}};
    wanted.in_a_row = 2;
    wanted.capture = capture;
    auto prepared = session.prepare(wanted);
    if (auto* failure = std::get_if<runner::Failure>(&prepared)) FAIL(failure->text);
    const std::vector<size_t> order = {2, 0, 1, 3};
    auto answer = session.pass(runner::Side::baseline, order, false);
    if (auto* failure = std::get_if<runner::Failure>(&answer)) FAIL(failure->text);
    const auto& run = std::get<runner::PassRun>(answer);
    CHECK(run.device_ms.size() == 2);
    CHECK(run.not_captured.empty());
    check_answers(session, sets, order);
  }
}

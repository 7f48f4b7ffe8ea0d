// A whole tuning with made-up measurements: what is tried, what is left out, what is said when all was
// measured.
#include "harness/tune/tuning.h"

#include <atomic>

#include "tests/catch.h"
#include "tests/harness/tune/made_up_machine.h"

using namespace ridge;
using tune::Candidate;
using tune::Measurement;
using tune::Pruned;
using tune::Tuning;

namespace {

Tuning tuning_of_tiles() {
  Tuning tuning;
  tuning.candidates = tests::tiled_settings();
  // One in ten is out before anything is measured.
  for (size_t i = 0; i < tuning.candidates.size(); ++i) {
    if (i % 10 == 3)
      tuning.candidates[i].pruned = Pruned::spills;
    else
      tuning.measurable.push_back(i);
  }
  return tuning;
}

tune::TuningOptions options_for(const Tuning& tuning) {
  tune::TuningOptions options;
  options.current = tuning.candidates[tuning.measurable.front()].values;
  return options;
}

Measurement measured(double percent) {
  Measurement measurement;
  measurement.percent = percent;
  return measurement;
}

}  // namespace

TEST_CASE("a tuning measures at most as many settings as asked for, none that was pruned and none twice") {
  Tuning tuning = tuning_of_tiles();
  const tests::MadeUpMachine machine;
  tune::carry_out(tuning, options_for(tuning),
                  [&](const Candidate& one) { return measured(machine.percent(one)); });
  CHECK(tuning.tried.size() == tune::kMostTries);
  CHECK(tuning.tried.front().candidate == tuning.measurable.front());  // the file's own values
  std::vector<size_t> seen;
  for (const tune::Tried& tried : tuning.tried) {
    CHECK(tuning.candidates[tried.candidate].pruned == Pruned::no);
    CHECK(std::find(seen.begin(), seen.end(), tried.candidate) == seen.end());
    seen.push_back(tried.candidate);
  }
  CHECK_FALSE(tuning.gap);
  CHECK(tuning.ranked().size() == tune::kMostTries);
  CHECK(tuning.ranked().front()->measurement.percent >= tuning.ranked().back()->measurement.percent);
}

TEST_CASE("settings with wrong answers are never chosen") {
  Tuning tuning = tuning_of_tiles();
  const tests::MadeUpMachine machine;
  const auto wrong = [](const Candidate& one) { return one.values[5] == 2; };
  tune::carry_out(tuning, options_for(tuning), [&](const Candidate& one) {
    Measurement measurement = measured(machine.percent(one));
    if (wrong(one)) measurement = {200, 200, 200, 0.1, "WRONG: 3 of 4 elements", false};
    return measurement;
  });
  CHECK(tuning.ranked().size() == tune::kMostTries);
  CHECK(tuning.tried.size() > tune::kMostTries);
  for (const tune::Tried* tried : tuning.ranked())
    CHECK_FALSE(wrong(tuning.candidates[tried->candidate]));
}

TEST_CASE("when all are measured, the distance of the first tries from the best is reported") {
  Tuning tuning = tuning_of_tiles();
  const tests::MadeUpMachine machine;
  tune::TuningOptions options = options_for(tuning);
  options.exhaustive = true;
  tune::carry_out(tuning, options, [&](const Candidate& one) { return measured(machine.percent(one)); });
  CHECK(tuning.tried.size() == tuning.measurable.size());
  REQUIRE(tuning.gap);
  double best = 0, found = 0;
  for (size_t i = 0; i < tuning.tried.size(); ++i) {
    best = std::max(best, tuning.tried[i].measurement.percent);
    if (i < tune::kMostTries) found = std::max(found, tuning.tried[i].measurement.percent);
  }
  CHECK(machine.percent(tuning.candidates[tuning.gap->best]) == best);
  CHECK(tuning.gap->percent == Approx(100 * (1 - found / best)).margin(1e-9));
  CHECK(tuning.gap->tries == tune::kMostTries);
}

TEST_CASE("a grid is measured from the first setting on, spread evenly, each setting once") {
  struct Case {
    size_t count, first, tries;
    std::vector<size_t> order;
  };
  const Case cases[] = {{8, 3, 3, {3, 2, 6, 0, 1, 4, 5, 7}},
                        {4, 9, 2, {1, 3, 0, 2}},  // the file's own values were pruned
                        {4, 0, 1, {0, 1, 2, 3}},
                        {3, 1, 100, {1, 0, 2}},
                        {1, 0, 5, {0}},
                        {0, 0, 5, {}}};
  for (const Case& c : cases)
    CHECK(tune::grid_order(c.count, c.first, c.tries) == c.order);
  // No gap between neighbours is much wider than an even share.
  std::vector<size_t> order = tune::grid_order(1000, 500, 48);
  order.resize(48);
  std::sort(order.begin(), order.end());
  for (size_t i = 1; i < order.size(); ++i)
    CHECK(order[i] - order[i - 1] <= 2 * 1000 / 48);
}

TEST_CASE("an interruption keeps finished measurements and discards the current one") {
  Tuning tuning = tuning_of_tiles();
  std::atomic<bool> stop{false};
  tune::TuningOptions options = options_for(tuning);
  options.exhaustive = true;
  options.stop = &stop;
  int calls = 0;
  tune::carry_out(tuning, options, [&](const Candidate&) {
    Measurement measurement = measured(50);
    if (++calls == 6) {
      stop = true;
      measurement.broken_off = true;
    }
    return measurement;
  });
  CHECK(calls == 6);
  CHECK(tuning.tried.size() == 5);
  CHECK(tuning.interrupted);
  CHECK_FALSE(tuning.gap);
}

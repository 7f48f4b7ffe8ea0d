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

tune::TuningWish wish_for(const Tuning& tuning) {
  tune::TuningWish wish;
  wish.current = tuning.candidates[tuning.measurable.front()].values;
  return wish;
}

Measurement measured(double percent) {
  Measurement measurement;
  measurement.percent = percent;
  return measurement;
}

}  // namespace

TEST_CASE("a tuning measures at most sixteen settings, none that was pruned and none twice") {
  Tuning tuning = tuning_of_tiles();
  const tests::MadeUpMachine machine;
  tune::carry_out(tuning, wish_for(tuning),
                  [&](const Candidate& one) { return measured(machine.percent(one)); });
  CHECK(tuning.tried.size() == 16);
  CHECK(tuning.tried.front().candidate == tuning.measurable.front());  // the file's own values
  std::vector<size_t> seen;
  for (const tune::Tried& tried : tuning.tried) {
    CHECK(tuning.candidates[tried.candidate].pruned == Pruned::no);
    CHECK(std::find(seen.begin(), seen.end(), tried.candidate) == seen.end());
    seen.push_back(tried.candidate);
  }
  CHECK_FALSE(tuning.proof);
  CHECK(tuning.ranked().size() == 16);
  CHECK(tuning.ranked().front()->measurement.percent >= tuning.ranked().back()->measurement.percent);
}

TEST_CASE("settings with wrong answers are never chosen") {
  Tuning tuning = tuning_of_tiles();
  const tests::MadeUpMachine machine;
  const auto wrong = [](const Candidate& one) { return one.values[5] == 2; };
  tune::carry_out(tuning, wish_for(tuning), [&](const Candidate& one) {
    Measurement measurement = measured(machine.percent(one));
    if (wrong(one)) measurement = {200, 200, 200, 0.1, "WRONG: 3 of 4 elements", false};
    return measurement;
  });
  CHECK(tuning.ranked().size() == 16);
  CHECK(tuning.tried.size() > 16);
  for (const tune::Tried* tried : tuning.ranked())
    CHECK_FALSE(wrong(tuning.candidates[tried->candidate]));
}

TEST_CASE(
    "when all are measured the distance of the search from the best is told, and of all other searches") {
  Tuning tuning = tuning_of_tiles();
  const tests::MadeUpMachine machine;
  tune::TuningWish wish = wish_for(tuning);
  wish.exhaustive = true;
  tune::carry_out(tuning, wish, [&](const Candidate& one) { return measured(machine.percent(one)); });
  CHECK(tuning.tried.size() == tuning.measurable.size());
  REQUIRE(tuning.proof);
  double best = 0, found = 0;
  for (const tune::Tried& tried : tuning.tried) {
    best = std::max(best, tried.measurement.percent);
    if (tried.by_search) found = std::max(found, tried.measurement.percent);
  }
  CHECK(machine.percent(tuning.candidates[tuning.proof->best]) == best);
  CHECK(tuning.proof->gap_percent == Approx(100 * (1 - found / best)).margin(1e-9));
  CHECK(tuning.proof->starts == tuning.measurable.size());
  CHECK(tuning.proof->within_2_percent >= 0.95 * static_cast<double>(tuning.proof->starts));
  CHECK(tuning.proof->worst_gap_percent >= tuning.proof->median_gap_percent);
}

TEST_CASE("a proof over figures in which one setting stands alone says that searches miss it") {
  const std::vector<Candidate> settings = tests::tiled_settings();
  std::vector<size_t> right;
  std::vector<double> percents;
  for (size_t i = 0; i < settings.size(); ++i) {
    right.push_back(i);
    percents.push_back(i == 117 ? 100 : 50);  // nothing leads there
  }
  const tune::Proof proof = tune::prove(settings, right, percents, 50, 16);
  CHECK(proof.best == 117);
  CHECK(proof.gap_percent == Approx(50));
  CHECK(proof.within_2_percent < proof.starts / 2);
  CHECK(proof.worst_gap_percent == Approx(50));
}

TEST_CASE("an interruption keeps finished measurements and discards the current one") {
  Tuning tuning = tuning_of_tiles();
  std::atomic<bool> stop{false};
  tune::TuningWish wish = wish_for(tuning);
  wish.exhaustive = true;
  wish.stop = &stop;
  int calls = 0;
  tune::carry_out(tuning, wish, [&](const Candidate&) {
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
  CHECK_FALSE(tuning.proof);
}

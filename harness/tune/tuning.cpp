#include "harness/tune/tuning.h"

#include <algorithm>

namespace ridge::tune {

namespace {

size_t place_of(const Tuning& tuning, const Values& values) {
  const auto found = std::find_if(tuning.measurable.begin(), tuning.measurable.end(),
                                  [&](size_t i) { return tuning.candidates[i].values == values; });
  return static_cast<size_t>(found - tuning.measurable.begin());  // one past the end: it was pruned
}

class Run {
 public:
  Run(Tuning& tuning, const TuningWish& wish, const Measure& measure)
      : tuning_(tuning), wish_(wish), measure_(measure) {}

  void search() {
    Search search(features_of(tuning_.candidates, tuning_.measurable), place_of(tuning_, wish_.current),
                  wish_.most_tries);
    for (std::optional<size_t> next; !stopped() && (next = search.next());) {
      const Tried* tried = measure(tuning_.measurable[*next], true);
      if (!tried) return;
      if (tried->right())
        search.tell(*next, tried->measurement.percent);
      else
        search.give_up(*next);
    }
  }

  void rest() {
    for (const size_t i : tuning_.measurable) {
      if (stopped()) return;
      const bool done = std::any_of(tuning_.tried.begin(), tuning_.tried.end(),
                                    [&](const Tried& tried) { return tried.candidate == i; });
      if (!done && !measure(i, false)) return;
    }
  }

  bool stopped() {
    tuning_.interrupted |= wish_.stop && *wish_.stop;
    return tuning_.interrupted;
  }

 private:
  // Nothing when the person broke it off in between: half a measurement is none.
  const Tried* measure(size_t candidate, bool by_search) {
    Measurement measurement = measure_(tuning_.candidates[candidate]);
    if (measurement.broken_off || stopped()) {
      tuning_.interrupted = true;
      return nullptr;
    }
    return &tuning_.tried.emplace_back(Tried{candidate, std::move(measurement), by_search});
  }

  Tuning& tuning_;
  const TuningWish& wish_;
  const Measure& measure_;
};

double gap(double found, double best) {
  return best > 0 ? 100 * (1 - found / best) : 0;
}

}  // namespace

std::vector<const Tried*> Tuning::ranked() const {
  std::vector<const Tried*> ranked;
  for (const Tried& one : tried)
    if (one.right()) ranked.push_back(&one);
  std::stable_sort(ranked.begin(), ranked.end(), [](const Tried* a, const Tried* b) {
    return a->measurement.percent > b->measurement.percent;
  });
  return ranked;
}

size_t Tuning::count(Pruned pruned) const {
  return static_cast<size_t>(std::count_if(candidates.begin(), candidates.end(),
                                           [&](const Candidate& one) { return one.pruned == pruned; }));
}

std::vector<size_t> first_choices(const Tuning& tuning, const Values& current, size_t count) {
  Search search(features_of(tuning.candidates, tuning.measurable), place_of(tuning, current));
  std::vector<size_t> choices;
  while (choices.size() < count) {
    const auto next = search.next_unmeasured();
    if (!next) break;
    choices.push_back(tuning.measurable[*next]);
    search.give_up(*next);
  }
  return choices;
}

Proof prove(const std::vector<Candidate>& candidates, const std::vector<size_t>& right,
            const std::vector<double>& percents, double found_percent, int most_tries) {
  Proof proof;
  const size_t best =
      static_cast<size_t>(std::max_element(percents.begin(), percents.end()) - percents.begin());
  proof.best = right.at(best);
  proof.gap_percent = gap(found_percent, percents[best]);
  const Features features = features_of(candidates, right);
  std::vector<double> gaps;
  for (size_t start = 0; start < right.size(); ++start) {
    double found = 0;
    for (const Try& one : replay(features, start, percents, most_tries))
      found = std::max(found, one.score);
    gaps.push_back(gap(found, percents[best]));
  }
  std::sort(gaps.begin(), gaps.end());
  proof.starts = gaps.size();
  proof.within_2_percent =
      static_cast<size_t>(std::upper_bound(gaps.begin(), gaps.end(), 2.0) - gaps.begin());
  proof.median_gap_percent = gaps[gaps.size() / 2];
  proof.worst_gap_percent = gaps.back();
  return proof;
}

void carry_out(Tuning& tuning, const TuningWish& wish, const Measure& measure) {
  Run run(tuning, wish, measure);
  run.search();
  if (!wish.exhaustive) return;
  const auto found = tuning.ranked();
  const double found_percent = found.empty() ? 0 : found.front()->measurement.percent;
  run.rest();
  if (run.stopped() || tuning.ranked().empty()) return;
  std::vector<size_t> right;
  std::vector<double> percents;
  for (const Tried* tried : tuning.ranked()) {
    right.push_back(tried->candidate);
    percents.push_back(tried->measurement.percent);
  }
  tuning.proof = prove(tuning.candidates, right, percents, found_percent, wish.most_tries);
}

}  // namespace ridge::tune

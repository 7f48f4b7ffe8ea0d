#include "harness/tune/tuning.h"

#include <algorithm>
#include <numeric>

namespace ridge::tune {

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

std::vector<size_t> grid_order(size_t count, size_t first, size_t tries) {
  std::vector<size_t> order;
  std::vector<bool> taken(count, false);
  const auto take = [&](size_t place) {
    if (place >= count || taken[place]) return;
    taken[place] = true;
    order.push_back(place);
  };
  take(first);
  const size_t spread = std::min(count, tries - std::min(tries, order.size()));
  for (size_t i = 0; i < spread; ++i)
    take((2 * i + 1) * count / (2 * spread));  // the middle of each of `spread` equal parts
  for (size_t place = 0; place < count; ++place)
    take(place);
  return order;
}

std::vector<size_t> measuring_order(const Tuning& tuning, const TuningOptions& options) {
  const auto own = std::find_if(tuning.measurable.begin(), tuning.measurable.end(),
                                [&](size_t i) { return tuning.candidates[i].values == options.current; });
  std::vector<size_t> order;
  for (const size_t place :
       grid_order(tuning.measurable.size(), static_cast<size_t>(own - tuning.measurable.begin()),
                  static_cast<size_t>(options.most_tries)))
    order.push_back(tuning.measurable[place]);
  return order;
}

void carry_out(Tuning& tuning, const TuningOptions& options, const Measure& measure) {
  const auto stopped = [&] { return tuning.interrupted |= options.stop && *options.stop; };
  size_t right = 0;
  double best_of_tries = 0;
  for (const size_t candidate : measuring_order(tuning, options)) {
    const bool tries_left = right < static_cast<size_t>(options.most_tries);
    if (stopped() || (!tries_left && !options.exhaustive)) break;
    Measurement measurement = measure(tuning.candidates[candidate]);
    // Discard an incomplete measurement.
    tuning.interrupted |= measurement.broken_off;
    if (stopped()) break;
    const Tried& tried = tuning.tried.emplace_back(Tried{candidate, std::move(measurement)});
    right += tried.right();
    if (tried.right() && tries_left) best_of_tries = std::max(best_of_tries, tried.measurement.percent);
  }
  const auto ranked = tuning.ranked();
  if (!options.exhaustive || tuning.interrupted || ranked.empty()) return;
  const double best = ranked.front()->measurement.percent;
  tuning.gap = {ranked.front()->candidate, std::min(right, static_cast<size_t>(options.most_tries)),
                best > 0 ? 100 * (1 - best_of_tries / best) : 0};
}

}  // namespace ridge::tune

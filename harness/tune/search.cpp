#include "harness/tune/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ridge::tune {

namespace {

constexpr size_t kFirst = 7;  // tries, the file's own values among them, before measurements choose

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (size_t i = 0; i < a.size(); ++i)
    square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square);
}

}  // namespace

Search::Search(Features features, size_t start, int most_tries)
    : features_(std::move(features)),
      start_(start),
      most_tries_(most_tries),
      closed_(features_.size(), false) {}

std::optional<size_t> Search::next() const {
  if (static_cast<int>(tries_.size()) >= most_tries_) return {};
  return tries_.size() < kFirst ? next_unmeasured() : most_promising();
}

std::optional<size_t> Search::next_unmeasured() const {
  if (start_ < features_.size() && open(start_)) return start_;
  return most_representative();
}

// The one that brings all others nearest to something measured.
std::optional<size_t> Search::most_representative() const {
  std::vector<double> nearest(features_.size(), 1e9);
  for (size_t i = 0; i < features_.size(); ++i)
    for (size_t j = 0; j < features_.size(); ++j)
      if (!open(j)) nearest[i] = std::min(nearest[i], distance(features_[i], features_[j]));
  std::optional<size_t> chosen;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < features_.size(); ++i) {
    if (!open(i)) continue;
    double sum = 0;
    for (size_t j = 0; j < features_.size(); ++j)
      sum += std::min(nearest[j], distance(features_[i], features_[j]));
    if (sum < least) {
      least = sum;
      chosen = i;
    }
  }
  return chosen;
}

// Scores as logarithms: what makes a kernel slower mostly multiplies its time.
std::optional<size_t> Search::most_promising() const {
  std::vector<size_t> measured;
  std::vector<double> values;
  for (const Try& one : tries_) {
    measured.push_back(one.candidate);
    values.push_back(std::log(std::max(one.score, 1e-12)));
  }
  const Surrogate surrogate(features_, measured, values);
  const double best = *std::max_element(values.begin(), values.end());
  std::optional<size_t> chosen;
  double most = -1;
  for (size_t i = 0; i < features_.size(); ++i) {
    if (!open(i)) continue;
    const double gain = expected_improvement(surrogate.at(i), best);
    if (gain > most) {
      most = gain;
      chosen = i;
    }
  }
  return chosen;
}

void Search::tell(size_t candidate, double score) {
  closed_.at(candidate) = true;
  tries_.push_back({candidate, score});
}

void Search::give_up(size_t candidate) {
  closed_.at(candidate) = true;
}

const Try& Search::best() const {
  return *std::max_element(tries_.begin(), tries_.end(),
                           [](const Try& a, const Try& b) { return a.score < b.score; });
}

std::vector<Try> replay(const Features& features, size_t start, const std::vector<double>& scores,
                        int most_tries) {
  Search search(features, start, most_tries);
  while (const auto next = search.next())
    search.tell(*next, scores.at(*next));
  return search.tries();
}

}  // namespace ridge::tune

#include "harness/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ridge::measure {

Quartiles quartiles(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  auto at = [&](double fraction) {
    double place = fraction * static_cast<double>(sorted.size() - 1);
    auto below = static_cast<size_t>(place);
    size_t above = std::min(below + 1, sorted.size() - 1);
    double part = place - static_cast<double>(below);
    return sorted[below] * (1 - part) + sorted[above] * part;
  };
  return {at(0.25), at(0.5), at(0.75)};
}

double midmean(std::span<const double> samples) {
  if (samples.empty()) return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t cut = sorted.size() / 4;
  double sum = 0;
  for (size_t i = cut; i < sorted.size() - cut; ++i)
    sum += sorted[i];
  return sum / static_cast<double>(sorted.size() - 2 * cut);
}

double relative_noise(std::span<const double> samples) {
  if (samples.size() < 3) return 1;
  Quartiles q = quartiles(samples);
  if (q.median == 0) return 1;
  return 1.57 * (q.high - q.low) / std::sqrt(static_cast<double>(samples.size())) / std::fabs(q.median);
}

}  // namespace ridge::measure

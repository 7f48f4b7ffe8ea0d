// Order statistics of a few samples.
#pragma once

#include <span>

namespace ridge::measure {

struct Quartiles {
  double low = 0, median = 0, high = 0;
};

// Interpolates linearly between the two nearest samples. Zeros for an empty list.
Quartiles quartiles(std::span<const double> samples);
inline double median(std::span<const double> samples) {
  return quartiles(samples).median;
}

// The interquartile mean: the mean of the middle half of the samples. It is stable for samples in
// two groups, between which a median would jump, and as insensitive to outliers as a median.
double midmean(std::span<const double> samples);

// The relative uncertainty of the samples' median: 1.57 times the interquartile range over the root
// of their number, the notch of a box plot (McGill, Tukey and Larsen 1978). 1 for fewer than three
// samples.
double relative_noise(std::span<const double> samples);

}  // namespace ridge::measure

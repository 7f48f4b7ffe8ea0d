// Order statistics of a few samples.
#pragma once

#include <span>

namespace ridge::measure {

struct Quartiles {
  double low = 0, median = 0, high = 0;
};

// Linear interpolation between the two nearest samples. Of nothing: zeros.
Quartiles quartiles(std::span<const double> samples);
inline double median(std::span<const double> samples) {
  return quartiles(samples).median;
}

// The mean of the middle half: as steady as a mean for samples in two groups, between which a median would
// jump, and as deaf as a median to the few that something disturbed.
double midmean(std::span<const double> samples);

// How well the median of the samples is known, relative to it: 1.57 times the distance between the quartiles
// over the root of their number, the notch of a box plot (McGill, Tukey and Larsen 1978). 1 for fewer than
// three.
double relative_noise(std::span<const double> samples);

}  // namespace ridge::measure

#include "harness/measure/statistics.h"

#include <vector>

#include "harness/measure/rounds.h"
#include "tests/catch.h"

using namespace ridge::measure;

TEST_CASE("quartiles interpolate between samples, in any order") {
  std::vector<double> samples = {5, 1, 4, 2, 3};
  CHECK(quartiles(samples).low == 2);
  CHECK(quartiles(samples).median == 3);
  CHECK(quartiles(samples).high == 4);
  std::vector<double> even = {4, 1, 3, 2};
  CHECK(median(even) == 2.5);
  CHECK(median({}) == 0);
}

TEST_CASE("one outlier of eleven rounds changes the median little and the noise not at all") {
  std::vector<double> samples(11, 2.0);
  samples[4] = 40;
  CHECK(median(samples) == 2);
  CHECK(relative_noise(samples) == 0);
  std::vector<double> two = {2, 2};
  CHECK(relative_noise(two) == 1);
}

TEST_CASE("sets of buffers rotate over three times the L2, and there are at least two") {
  constexpr int64_t kL2 = 60 << 20;
  CHECK(rotating_sets(800e6, kL2) == 2);
  CHECK(rotating_sets(10 << 20, kL2) == 18);
  CHECK(rotating_sets(1, kL2) == 64);
}

TEST_CASE("the lower bound is the longer of moving the bytes and doing the operations") {
  CHECK(floor_ms(4.8e9, 0, 4800, 67) == Approx(1.0));
  CHECK(floor_ms(4.8e6, 67e9, 4800, 67) == Approx(1.0));
  CHECK(floor_ms(4.8e9, 67e9, 0, 0) == 0);
}

TEST_CASE("the interquartile mean ignores a few outliers") {
  const std::vector<double> two_groups = {1, 1, 1, 1, 2, 2, 2, 2};
  CHECK(midmean(two_groups) == Approx(1.5));
  const std::vector<double> disturbed = {2, 2, 2, 2, 2, 2, 2, 90};
  CHECK(midmean(disturbed) == Approx(2));
  CHECK(midmean({}) == 0);
  const std::vector<double> one = {7};
  CHECK(midmean(one) == 7);
}

#include "harness/problems/host/relaxation.h"

#include <cmath>

#include "harness/problems/tolerance.h"

namespace ridge::problems {

namespace {

constexpr double kFixedPoint = 2;
// Each step halves the errors of the steps before it.
constexpr int64_t kRoundings = 4;

}  // namespace

Expected relaxed(std::span<const float> x, int64_t steps, size_t buffer) {
  Expected y{buffer, LargeArray<double>(x.size()), LargeArray<float>(x.size())};
  const double shrunk = std::pow(0.5, static_cast<double>(steps));
  for (size_t i = 0; i < x.size(); ++i) {
    const double far = static_cast<double>(x[i]) - kFixedPoint;
    y.value[i] = kFixedPoint + far * shrunk;
    y.tolerance[i] = tolerance_of(Type::float32, kRoundings, std::fabs(far) + kFixedPoint);
  }
  return y;
}

}  // namespace ridge::problems

#include "harness/tune/surrogate.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace ridge::tune {

namespace {

constexpr double kReaches[] = {0.3, 0.5, 0.8, 1.2, 1.8, 2.7, 4.0};
constexpr double kNoises[] = {0.0003, 0.003, 0.03, 0.15};

// A longer reach and less noise are believed first: with few measurements likelihood alone takes chance for
// structure.
double prior(double reach, double noise) {
  const double far = std::log(reach / 1.2), loud = std::log(noise / 0.003);
  return -0.5 * far * far - 0.05 * loud * loud;
}

}  // namespace

double Surrogate::kernel(const std::vector<double>& a, const std::vector<double>& b) const {
  double square = 0;
  for (size_t i = 0; i < a.size(); ++i)
    square += (a[i] - b[i]) * (a[i] - b[i]);
  const double distance = std::sqrt(5 * square) / shape_.reach;
  return (1 + distance + distance * distance / 3) * std::exp(-distance);
}

double Surrogate::fit(const Shape& shape) {
  shape_ = shape;
  const size_t count = measured_.size();
  root_.assign(count, std::vector<double>(count, 0));
  double log_determinant = 0;
  for (size_t i = 0; i < count; ++i) {  // Cholesky
    for (size_t j = 0; j <= i; ++j) {
      double sum =
          kernel(features_[measured_[i]], features_[measured_[j]]) + (i == j ? shape.noise + 1e-9 : 0);
      for (size_t p = 0; p < j; ++p)
        sum -= root_[i][p] * root_[j][p];
      root_[i][j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / root_[j][j];
    }
    log_determinant += 2 * std::log(root_[i][i]);
  }
  std::vector<double> half(count);
  for (size_t i = 0; i < count; ++i) {
    half[i] = values_[i];
    for (size_t j = 0; j < i; ++j)
      half[i] -= root_[i][j] * half[j];
    half[i] /= root_[i][i];
  }
  weights_ = half;
  for (size_t i = count; i-- > 0;) {
    for (size_t j = i + 1; j < count; ++j)
      weights_[i] -= root_[j][i] * weights_[j];
    weights_[i] /= root_[i][i];
  }
  const double fit = std::inner_product(half.begin(), half.end(), half.begin(), 0.0);
  return -0.5 * (fit + log_determinant);
}

Surrogate::Surrogate(const Features& features, const std::vector<size_t>& measured,
                     const std::vector<double>& values)
    : features_(features), measured_(measured), values_(values) {
  const double count = static_cast<double>(values_.size());
  mean_ = std::accumulate(values_.begin(), values_.end(), 0.0) / count;
  double square = 0;
  for (double& value : values_) {
    value -= mean_;
    square += value * value;
  }
  scale_ = std::max(std::sqrt(square / count), 1e-9);
  for (double& value : values_)
    value /= scale_;
  Shape best;
  double most = -std::numeric_limits<double>::infinity();
  for (const double reach : kReaches)
    for (const double noise : kNoises) {
      const double likelihood = fit({reach, noise}) + prior(reach, noise);
      if (likelihood > most) {
        most = likelihood;
        best = {reach, noise};
      }
    }
  fit(best);
}

Belief Surrogate::at(size_t candidate) const {
  const size_t count = measured_.size();
  std::vector<double> near(count);
  for (size_t i = 0; i < count; ++i)
    near[i] = kernel(features_[candidate], features_[measured_[i]]);
  double mean = 0, known = 0;
  std::vector<double> half(count);
  for (size_t i = 0; i < count; ++i) {
    mean += near[i] * weights_[i];
    half[i] = near[i];
    for (size_t j = 0; j < i; ++j)
      half[i] -= root_[i][j] * half[j];
    half[i] /= root_[i][i];
    known += half[i] * half[i];
  }
  return {mean_ + scale_ * mean, scale_ * std::sqrt(std::max(1 - known, 0.0))};
}

double expected_improvement(const Belief& belief, double best) {
  const double gain = belief.mean - best;
  if (belief.deviation < 1e-12) return std::max(gain, 0.0);
  const double z = gain / belief.deviation;
  const double below = 0.5 * std::erfc(-z / std::sqrt(2.0));
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979323846);
  return gain * below + belief.deviation * density;
}

}  // namespace ridge::tune

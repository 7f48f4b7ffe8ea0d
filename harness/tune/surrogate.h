// What a few measurements say about all candidates: a Gaussian process over their features.
//
// Beliefs about two candidates are the closer, the closer their features lie (Matern 5/2); how far that
// reaches, and how much of a measurement is noise, are chosen from a grid by how likely they make what was
// measured. Sixteen measurements make a matrix of 16 x 16: all of it takes milliseconds.
#pragma once

#include <cstddef>
#include <vector>

namespace ridge::tune {

using Features = std::vector<std::vector<double>>;  // [candidate][feature], each feature about 0 to 1

struct Belief {
  double mean = 0, deviation = 0;
};

class Surrogate {
 public:
  // `values` of the candidates `measured`, in any unit. At least one.
  Surrogate(const Features& features, const std::vector<size_t>& measured, const std::vector<double>& values);
  Belief at(size_t candidate) const;

 private:
  struct Shape {
    double reach = 1, noise = 0.01;  // in units of the features; of the values' variance
  };
  double kernel(const std::vector<double>& a, const std::vector<double>& b) const;
  double fit(const Shape& shape);  // the log likelihood

  const Features& features_;
  const std::vector<size_t>& measured_;
  std::vector<double> values_;  // less their mean, over their deviation
  double mean_ = 0, scale_ = 1;
  Shape shape_;
  std::vector<std::vector<double>> root_;  // lower triangle
  std::vector<double> weights_;
};

// How much better than `best` a candidate is expected to be, counting nothing where it is worse. More is
// better.
double expected_improvement(const Belief& belief, double best);

}  // namespace ridge::tune

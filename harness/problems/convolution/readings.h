// How a convolution reads its pixels and its weights: the right way, and those of known mistakes.
#pragma once

#include <vector>

#include "harness/problems/convolution/shape.h"

namespace ridge::problems {

struct Place {
  int64_t image, p, q;
};
struct Point {
  int64_t i, j;
};

// The number of the pixel of x under point `point` of the filter at `place`; -1: none, a zero.
int64_t pixel_under(const ConvolutionShape& s, Place place, Point point);

struct Reading {
  int64_t (*pixel)(const ConvolutionShape&, Place, Point) = pixel_under;
  // The number of the weight of channel `channel` at `point` of filter `k`; -1: none. nullptr: [k][r][r][c].
  int64_t (*weight)(const ConvolutionShape&, int64_t k, Point point, int64_t channel) = nullptr;
};

// The answer of a kernel that reads in this way.
std::vector<Expected> convolved(const Case& given, const Reading& reading = {});

std::vector<Mistake> mistakes_of_convolutions();

}  // namespace ridge::problems

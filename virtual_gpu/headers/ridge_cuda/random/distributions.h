// Numbers of the uniform, normal, lognormal and Poisson distributions from the words of a generator.
#pragma once

#include "ridge_cuda/random/philox.h"
#include "ridge_cuda/random/xorwow.h"

namespace ridge_cuda {

// (0, 1]: never 0, so that a logarithm can be taken.
RIDGE_DEVICE float unit(unsigned bits) {
  return static_cast<float>(bits) * 0x1p-32f + 0x1p-33f;
}
// Box and Muller: two numbers of the normal distribution from two of the uniform one.
RIDGE_DEVICE float2 normal_pair(unsigned a, unsigned b) {
  const float radius = sqrtf(-2.0f * logf(unit(a)));
  float sine, cosine;
  sincospif(2.0f * unit(b), &sine, &cosine);
  return make_float2(radius * sine, radius * cosine);
}
// 53 bits of two words, in (0, 1].
RIDGE_DEVICE double unit(unsigned a, unsigned b) {
  const unsigned long long bits =
      static_cast<unsigned long long>(a) << 21 ^ static_cast<unsigned long long>(b);
  return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

}  // namespace ridge_cuda

template <class State>
RIDGE_DEVICE float curand_uniform(State* state) {
  return ridge_cuda::unit(curand(state));
}
template <class State>
RIDGE_DEVICE double curand_uniform_double(State* state) {
  const unsigned a = curand(state);
  return ridge_cuda::unit(a, curand(state));
}
template <class State>
RIDGE_DEVICE float2 curand_normal2(State* state) {
  const unsigned a = curand(state);
  return ridge_cuda::normal_pair(a, curand(state));
}
template <class State>
RIDGE_DEVICE float curand_normal(State* state) {
  if (state->has_normal) {
    state->has_normal = false;
    return state->normal;
  }
  const float2 pair = curand_normal2(state);
  state->has_normal = true;
  state->normal = pair.y;
  return pair.x;
}
template <class State>
RIDGE_DEVICE double2 curand_normal2_double(State* state) {
  const double radius = sqrt(-2.0 * log(curand_uniform_double(state)));
  double sine, cosine;
  sincospi(2.0 * curand_uniform_double(state), &sine, &cosine);
  return make_double2(radius * sine, radius * cosine);
}
template <class State>
RIDGE_DEVICE double curand_normal_double(State* state) {
  return curand_normal2_double(state).x;
}
template <class State>
RIDGE_DEVICE float curand_log_normal(State* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <class State>
RIDGE_DEVICE double curand_log_normal_double(State* state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
// Knuth's product of uniform numbers in parts, so that exp(-mean) stays in range.
template <class State>
RIDGE_DEVICE unsigned curand_poisson(State* state, double mean) {
  unsigned count = 0;
  while (mean > 0) {
    const double part = mean < 500 ? mean : 500;
    const double limit = exp(-part);
    for (double product = curand_uniform_double(state); product > limit;
         product *= curand_uniform_double(state))
      ++count;
    mean -= part;
  }
  return count;
}

RIDGE_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  return make_float4(ridge_cuda::unit(bits.x), ridge_cuda::unit(bits.y), ridge_cuda::unit(bits.z),
                     ridge_cuda::unit(bits.w));
}
RIDGE_DEVICE float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  const float2 a = ridge_cuda::normal_pair(bits.x, bits.y),
               b = ridge_cuda::normal_pair(bits.z, bits.w);
  return make_float4(a.x, a.y, b.x, b.y);
}

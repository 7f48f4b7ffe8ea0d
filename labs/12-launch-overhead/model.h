// Lab 12, rung 5: one decode step of a small transformer, for one token.
//
//     for each layer l:
//       q = w_query[l] norm(x)                                [width]
//       a = attention of q over keys[l] and values[l], head by head    [width]
//       x = x + w_out[l] a
//       u = gelu(w_up[l] norm(x))                             [hidden]
//       x = x + w_down[l] u
//     out = x
//
//     norm(x) = x / sqrt(mean of x^2 + 1e-5)
//     gelu(x) = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
//     attention, head h: sum over p of softmax(q_h . keys[l][h][p] / 8) values[l][h][p]
//
// x and out are [width] in float32. All else is bf16, row after row: w_query and w_out
// [layers][width][width], w_up [layers][hidden][width], w_down [layers][width][hidden], keys and
// values [layers][width / 64][past][64]: a head has 64 columns. Sums, q, a, u and x between the
// layers are float32: rounding them to bf16 is outside the tolerance.
//
// width is a multiple of 64, hidden a multiple of 8, both at most kMostColumns; layers and past are
// at least 1. Every pointer is a multiple of 256 bytes. Everything must be queued on `stream`; the
// function may return before the GPU is done. Calls come one after the other.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

extern "C" void decode_step(const float* x, const __nv_bfloat16* w_query,
                            const __nv_bfloat16* w_out, const __nv_bfloat16* w_up,
                            const __nv_bfloat16* w_down, const __nv_bfloat16* keys,
                            const __nv_bfloat16* values, float* out, int layers, int width,
                            int hidden, int past, cudaStream_t stream);

constexpr int kHead = 64;           // columns of a head
constexpr int kMostColumns = 8192;  // of a matrix: width or hidden
constexpr float kNormEpsilon = 1e-5f;

// The five phases of a layer. Each needs the whole result of the one before.
enum Phase { kQuery, kAttention, kOut, kUp, kDown, kPhases };

struct Model {
  const float* x;
  const __nv_bfloat16 *w_query, *w_out, *w_up, *w_down, *keys, *values;
  float* out;
  int layers, width, hidden, past;

  __host__ __device__ int heads() const { return width / kHead; }
};

// A matrix of one layer, row after row.
struct Matrix {
  const __nv_bfloat16* weights;  // [rows][columns]
  int rows, columns;
};

// That of a phase other than kAttention.
__device__ inline Matrix matrix_of(const Model& model, int layer, int phase) {
  const int64_t square = static_cast<int64_t>(layer) * model.width * model.width;
  const int64_t wide = static_cast<int64_t>(layer) * model.width * model.hidden;
  switch (phase) {
    case kQuery:
      return {model.w_query + square, model.width, model.width};
    case kOut:
      return {model.w_out + square, model.width, model.width};
    case kUp:
      return {model.w_up + wide, model.hidden, model.width};
    default:
      return {model.w_down + wide, model.width, model.hidden};
  }
}

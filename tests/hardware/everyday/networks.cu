// Layers of neural networks.
#include <cfloat>

#include "everyday.h"

constexpr int kThreads = 128;

__global__ void embedding(const int* tokens, const float* table, const float* positions, float* out, int length, int width) {
  const int i = global_index();
  const int row = i / width, c = i % width;
  if (row < 64) out[i] = table[tokens[row] * width + c] + positions[row % length * width + c];
}

__global__ void embedding_vectors(const int* tokens, const float4* table, float4* out, int width4) {
  const int token = tokens[blockIdx.x];
  for (int c = threadIdx.x; c < width4; c += blockDim.x)
    out[blockIdx.x * width4 + c] = table[token * width4 + c];
}

__global__ void embedding_gradient(const int* tokens, const float* gradient, float* table, int width) {
  const int row = blockIdx.x;
  for (int c = threadIdx.x; c < width; c += blockDim.x)
    atomicAdd(&table[tokens[row] * width + c], gradient[row * width + c]);
}

__global__ void layer_norm_warp(const float* in, const float* weight, const float* bias, float* out, int rows, int width) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const float* x = in + row * width;
  float sum = 0;
  for (int c = lane; c < width; c += 32)
    sum += x[c];
  for (int o = 16; o > 0; o >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, o);
  const float mean = sum / width;
  sum = 0;
  for (int c = lane; c < width; c += 32)
    sum += (x[c] - mean) * (x[c] - mean);
  for (int o = 16; o > 0; o >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, o);
  const float scale = rsqrtf(sum / width + 1e-5f);
  for (int c = lane; c < width; c += 32)
    __stcs(out + row * width + c, (__ldcs(x + c) - mean) * scale * weight[c] + bias[c]);
}

__global__ void layer_norm_block(const float4* in, float4* out, float* means, int width4) {
  __shared__ float sums[32], squares[32];
  const float4* x = in + blockIdx.x * width4;
  float sum = 0, square = 0;
  for (int c = threadIdx.x; c < width4; c += blockDim.x) {
    const float4 v = x[c];
    sum += v.x + v.y + v.z + v.w;
    square += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int o = 16; o > 0; o /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, o);
    square += __shfl_xor_sync(0xffffffffu, square, o);
  }
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  if (lane == 0) {
    sums[warp] = sum;
    squares[warp] = square;
  }
  __syncthreads();
  sum = lane < warps ? sums[lane] : 0;
  square = lane < warps ? squares[lane] : 0;
  for (int o = 16; o > 0; o /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, o);
    square += __shfl_xor_sync(0xffffffffu, square, o);
  }
  const float mean = sum / (4 * width4), scale = rsqrtf(square / (4 * width4) - mean * mean + 1e-5f);
  if (threadIdx.x == 0) means[blockIdx.x] = mean;
  for (int c = threadIdx.x; c < width4; c += blockDim.x) {
    const float4 v = x[c];
    out[blockIdx.x * width4 + c] = {(v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale, (v.w - mean) * scale};
  }
}

__global__ void gelu(const float* in, float* out, int count) {
  const int i = global_index();
  if (i >= count) return;
  const float x = in[i];
  out[i] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

__global__ void cross_entropy(const float* logits, const int* targets, float* losses, int classes) {
  __shared__ float shared[32];
  const float* row = logits + blockIdx.x * classes;
  float most = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < classes; c += blockDim.x) {
    const float value = row[c];
    if (value > most) {
      sum *= expf(most - value);
      most = value;
    }
    sum += expf(value - most);
  }
  for (int o = 16; o > 0; o /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, most, o), other_sum = __shfl_xor_sync(0xffffffffu, sum, o);
    const float larger = fmaxf(most, other);
    sum = sum * expf(most - larger) + other_sum * expf(other - larger);
    most = larger;
  }
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = most + logf(sum);
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = -FLT_MAX;
    for (int w = 0; w < blockDim.x / 32; ++w)
      total = fmaxf(total, shared[w]);
    losses[blockIdx.x] = total - row[targets[blockIdx.x]];
  }
}

// The k largest of a row, one after the other, a warp per row.
template <int k>
__global__ void top_k(const float* in, int* indices, float* values, int columns) {
  const int row = global_index() / 32, lane = threadIdx.x % 32;
  float mine[k];
  int mine_at[k];
#pragma unroll
  for (int i = 0; i < k; ++i) {
    mine[i] = -FLT_MAX;
    mine_at[i] = -1;
  }
  for (int c = lane; c < columns; c += 32) {
    const float value = in[row * columns + c];
    if (value > mine[k - 1]) {
      mine[k - 1] = value;
      mine_at[k - 1] = c;
#pragma unroll
      for (int i = k - 1; i > 0; --i)
        if (mine[i] > mine[i - 1]) {
          const float v = mine[i];
          mine[i] = mine[i - 1];
          mine[i - 1] = v;
          const int a = mine_at[i];
          mine_at[i] = mine_at[i - 1];
          mine_at[i - 1] = a;
        }
    }
  }
#pragma unroll
  for (int round = 0; round < k; ++round) {
    float best = mine[0];
    int owner = lane;
    for (int o = 16; o > 0; o /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, best, o);
      const int other_owner = __shfl_xor_sync(0xffffffffu, owner, o);
      if (other > best || (other == best && other_owner < owner)) {
        best = other;
        owner = other_owner;
      }
    }
    if (lane == owner) {
      indices[row * k + round] = mine_at[0];
      values[row * k + round] = best;
#pragma unroll
      for (int i = 1; i < k; ++i) {
        mine[i - 1] = mine[i];
        mine_at[i - 1] = mine_at[i];
      }
      mine[k - 1] = -FLT_MAX;
    }
  }
}

__global__ void dropout(const float* in, float* out, unsigned char* mask, float keep, unsigned seed, int count) {
  const int i = global_index();
  if (i >= count) return;
  unsigned h = i * 0x9e3779b9u ^ seed;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  const bool kept = (h >> 8) * (1.0f / 16777216.0f) < keep;
  mask[i] = kept;
  out[i] = kept ? in[i] / keep : 0.0f;
}

__global__ void rotary(float* data, const int* positions, int heads, int width) {
  const int token = blockIdx.x, half = width / 2;
  for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
    const int head = i / half, k = i % half;
    const float angle = positions[token] * __powf(10000.0f, -2.0f * k / width);
    const float s = __sinf(angle), c = __cosf(angle);
    float* at = data + (token * heads + head) * width + k;
    const float a = at[0], b = at[half];
    at[0] = a * c - b * s;
    at[half] = b * c + a * s;
  }
}

// Scores, softmax and weighted sum for one query per block; keys up to the query's own position.
__global__ void attention_row(const float* query, const float* key, const float* value, float* out, int width) {
  __shared__ float scores[64];
  const int q = blockIdx.x, t = threadIdx.x;
  for (int k = t; k <= q; k += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < width; ++c)
      sum += query[q * width + c] * key[k * width + c];
    scores[k] = sum * rsqrtf(static_cast<float>(width));
  }
  __syncthreads();
  float most = -FLT_MAX, total = 0;
  for (int k = 0; k <= q; ++k)
    most = fmaxf(most, scores[k]);
  for (int k = 0; k <= q; ++k)
    total += __expf(scores[k] - most);
  for (int c = t; c < width; c += blockDim.x) {
    float sum = 0;
    for (int k = 0; k <= q; ++k)
      sum += __expf(scores[k] - most) * value[k * width + c];
    out[q * width + c] = sum / total;
  }
}

__global__ void max_pool(const float* in, float* out, int channels, int height, int width) {
  const int i = global_index(), ow = width / 2, oh = height / 2;
  if (i >= channels * oh * ow) return;
  const int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
  float most = -FLT_MAX;
  for (int dy = 0; dy < 2; ++dy)
    for (int dx = 0; dx < 2; ++dx)
      most = fmaxf(most, in[(c * height + 2 * y + dy) * width + 2 * x + dx]);
  out[i] = most;
}

__global__ void image_to_columns(const float* in, float* out, int channels, int height, int width, int kernel, int padding) {
  const int i = global_index();
  if (i >= channels * height * width) return;
  const int x = i % width, y = i / width % height, c = i / (width * height);
  for (int ky = 0; ky < kernel; ++ky)
    for (int kx = 0; kx < kernel; ++kx) {
      const int py = y + ky - padding, px = x + kx - padding;
      out[((c * kernel + ky) * kernel + kx) * height * width + y * width + x] =
          py >= 0 && px >= 0 && py < height && px < width ? in[(c * height + py) * width + px] : 0;
    }
}

template <int kernel>
__global__ void convolve_direct(const float* in, const float* weights, float* out, int channels, int size) {
  const int x = threadIdx.x, y = blockIdx.x, k = blockIdx.y;
  if (x >= size - kernel + 1) return;
  float sum = 0;
  for (int c = 0; c < channels; ++c)
#pragma unroll
    for (int ky = 0; ky < kernel; ++ky)
#pragma unroll
      for (int kx = 0; kx < kernel; ++kx)
        sum += in[(c * size + y + ky) * size + x + kx] * weights[((k * channels + c) * kernel + ky) * kernel + kx];
  out[(k * size + y) * size + x] = sum > 0 ? sum : 0;
}

__global__ void adam(float* weights, const float* gradients, float* first, float* second, float rate, float beta1,
                     float beta2, float correction1, float correction2, int count) {
  const int i = global_index();
  if (i >= count) return;
  const float g = gradients[i];
  const float m = beta1 * first[i] + (1 - beta1) * g, v = beta2 * second[i] + (1 - beta2) * g * g;
  first[i] = m;
  second[i] = v;
  weights[i] -= rate * (m / correction1) / (sqrtf(v / correction2) + 1e-8f);
}

__global__ void quantize_rows(const float* in, signed char* out, float* scales, int columns) {
  __shared__ float most_of[4];
  const float* row = in + blockIdx.x * columns;
  float most = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    most = fmaxf(most, fabsf(row[c]));
  for (int o = 16; o > 0; o /= 2)
    most = fmaxf(most, __shfl_down_sync(0xffffffffu, most, o));
  if (threadIdx.x % 32 == 0) most_of[threadIdx.x / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(most_of[0], most_of[1]), fmaxf(most_of[2], most_of[3]));
  const float scale = 127.0f / most;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = static_cast<signed char>(rintf(row[c] * scale));
  if (threadIdx.x == 0) scales[blockIdx.x] = most / 127.0f;
}

__global__ void batch_norm(const float* in, float* out, const float* mean, const float* variance, int channels, int plane) {
  const int c = blockIdx.y;
  const float scale = rsqrtf(variance[c] * variance[c] + 1e-5f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < plane; i += gridDim.x * blockDim.x)
    out[c * plane + i] = (in[c * plane + i] - mean[c]) * scale;
}

int main() {
  float* reals = random_reals(1 << 16);
  float* more = random_reals(1 << 14, 2);
  float* out = device_array<float>(1 << 17);
  int* tokens = random_integers(64, 100);
  embedding<<<40, kThreads>>>(tokens, reals, more, out, 16, 80);
  embedding_vectors<<<64, 64>>>(tokens, reinterpret_cast<float4*>(reals), reinterpret_cast<float4*>(out), 100);
  embedding_gradient<<<64, 64>>>(tokens, more, out, 100);
  layer_norm_warp<<<16, kThreads>>>(reals, more, more + 300, out, 62, 200);
  layer_norm_block<<<32, kThreads>>>(reinterpret_cast<float4*>(reals), reinterpret_cast<float4*>(out), out + 50000, 150);
  gelu<<<32, kThreads>>>(reals, out, 4000);
  cross_entropy<<<32, kThreads>>>(reals, random_integers(32, 500), out, 500);
  top_k<4><<<8, kThreads>>>(reals, reinterpret_cast<int*>(out), out + 4096, 300);
  dropout<<<32, kThreads>>>(reals, out, reinterpret_cast<unsigned char*>(out + 8192), 0.8f, 17, 4050);
  rotary<<<32, 64>>>(random_reals(32 * 4 * 32), random_integers(32, 100), 4, 32);
  attention_row<<<48, 32>>>(reals, reals + 4096, reals + 8192, out, 40);
  max_pool<<<16, kThreads>>>(reals, out, 8, 30, 34);
  image_to_columns<<<16, kThreads>>>(reals, out, 3, 24, 28, 3, 1);
  convolve_direct<3><<<dim3(26, 4), 32>>>(reals, more, out, 3, 28);
  convolve_direct<5><<<dim3(24, 2), 32>>>(reals, more, out, 2, 28);
  adam<<<16, kThreads>>>(random_reals(2000), more, random_reals(2000, 3), device_array<float>(2000), 0.01f, 0.9f, 0.999f,
                         0.1f, 0.01f, 2000);
  quantize_rows<<<32, kThreads>>>(reals, reinterpret_cast<signed char*>(out), out + 60000, 600);
  batch_norm<<<dim3(2, 12), kThreads>>>(reals, out, more, more + 12, 12, 700);
  finish();
}

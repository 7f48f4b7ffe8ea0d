// Baselines of lab 07: the same results by one kernel per operation, as a framework without fusion
// executes them. Each kernel reads its operands from memory and writes its result there, rounded to
// bfloat16; 16 bytes per lane. Masks have one byte per element.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 256, kPerVector = 8;

struct alignas(16) Vector {
  __nv_bfloat16 of[kPerVector];
};
struct alignas(8) Bytes {
  unsigned char of[kPerVector];
};

// out = operation(in, element number), a vector per thread.
template <typename Operation>
__global__ void map_vectors(const Vector* in, Vector* out, int64_t vectors, Operation operation) {
  const int64_t v = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (v >= vectors) return;
  const Vector x = in[v];
  Vector y;
#pragma unroll
  for (int i = 0; i < kPerVector; ++i)
    y.of[i] = __float2bfloat16(operation(__bfloat162float(x.of[i]), v, i));
  out[v] = y;
}

template <typename Operation>
void map(const void* in, void* out, int64_t elements, cudaStream_t stream, Operation operation) {
  const int64_t vectors = elements / kPerVector;
  map_vectors<<<static_cast<unsigned>((vectors + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      static_cast<const Vector*>(in), static_cast<Vector*>(out), vectors, operation);
}

__device__ float element(const void* array, int64_t vector, int i) {
  return __bfloat162float(static_cast<const Vector*>(array)[vector].of[i]);
}

__global__ void make_mask(const int64_t* seed, unsigned threshold, Bytes* mask, int64_t vectors, int vectors_per_row) {
  const int64_t v = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (v >= vectors) return;
  const uint64_t key = static_cast<uint64_t>(*seed);
  Bytes kept;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    uint4 c = make_uint4(static_cast<unsigned>(v % vectors_per_row) * 2 + half, static_cast<unsigned>(v / vectors_per_row), 0, 0);
    unsigned key0 = static_cast<unsigned>(key), key1 = static_cast<unsigned>(key >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
      const uint64_t p0 = static_cast<uint64_t>(0xD2511F53u) * c.x, p1 = static_cast<uint64_t>(0xCD9E8D57u) * c.z;
      c = make_uint4(static_cast<unsigned>(p1 >> 32) ^ c.y ^ key0, static_cast<unsigned>(p1),
                     static_cast<unsigned>(p0 >> 32) ^ c.w ^ key1, static_cast<unsigned>(p0));
    }
    kept.of[4 * half] = c.x >= threshold;
    kept.of[4 * half + 1] = c.y >= threshold;
    kept.of[4 * half + 2] = c.z >= threshold;
    kept.of[4 * half + 3] = c.w >= threshold;
  }
  mask[v] = kept;
}

// What the kernels compute of an element x, number i of vector v.
struct AddColumn {
  const void* row;
  int vectors;  // per row
  __device__ float operator()(float x, int64_t v, int i) const { return x + element(row, v % vectors, i); }
};
struct AddElement {
  const void* array;
  __device__ float operator()(float x, int64_t v, int i) const { return x + element(array, v, i); }
};
struct Gelu {
  __device__ float operator()(float x, int64_t, int) const {
    return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
};
struct Keep {
  const Bytes* mask;
  __device__ float operator()(float x, int64_t v, int i) const { return mask[v].of[i] ? x : 0.0f; }
};
struct Scale {
  float factor;
  __device__ float operator()(float x, int64_t, int) const { return x * factor; }
};
struct Normalise {
  const float *means, *variances;
  float epsilon;
  int vectors;
  __device__ float operator()(float x, int64_t v, int) const {
    return (x - means[v / vectors]) * rsqrtf(variances[v / vectors] + epsilon);
  }
};
struct ScaleAndShift {
  const void *weight, *bias;
  int vectors;
  __device__ float operator()(float x, int64_t v, int i) const {
    return x * element(weight, v % vectors, i) + element(bias, v % vectors, i);
  }
};
struct Exponential {
  const float* maxima;
  int vectors;
  __device__ float operator()(float x, int64_t v, int) const { return expf(x - maxima[v / vectors]); }
};

// What is reduced over a row.
struct Element {
  const void* array;
  float factor;
  __device__ float operator()(int64_t, int64_t v, int i) const { return element(array, v, i) * factor; }
};
struct SquaredDistance {
  const void* array;
  const float* means;
  float factor;
  __device__ float operator()(int64_t row, int64_t v, int i) const {
    const float apart = element(array, v, i) - means[row];
    return apart * apart * factor;
  }
};

// One block per row: out[row] = result of all partial values, combined in shared memory.
enum class Reduction { sum, maximum };
template <Reduction reduction, typename Term>
__global__ void reduce_rows(float* out, int vectors_per_row, Term term) {
  __shared__ float parts[kThreads];
  const int64_t row = blockIdx.x;
  float mine = reduction == Reduction::sum ? 0.0f : -INFINITY;
  for (int v = threadIdx.x; v < vectors_per_row; v += kThreads)
    for (int i = 0; i < kPerVector; ++i) {
      const float x = term(row, row * vectors_per_row + v, i);
      mine = reduction == Reduction::sum ? mine + x : fmaxf(mine, x);
    }
  parts[threadIdx.x] = mine;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      const float other = parts[threadIdx.x + half];
      parts[threadIdx.x] = reduction == Reduction::sum ? parts[threadIdx.x] + other : fmaxf(parts[threadIdx.x], other);
    }
  }
  if (threadIdx.x == 0) out[row] = parts[0];
}

// 8 columns per thread, 64 rows per block.
constexpr int kRowsPerBlock = 64;
__global__ void sum_columns(const Vector* in, float* out, int rows, int vectors_per_row) {
  const int v = blockIdx.x * kThreads + threadIdx.x;
  if (v >= vectors_per_row) return;
  float sums[kPerVector] = {};
  for (int row = blockIdx.y * kRowsPerBlock; row < min(rows, (blockIdx.y + 1) * kRowsPerBlock); ++row) {
    const Vector x = in[static_cast<int64_t>(row) * vectors_per_row + v];
#pragma unroll
    for (int i = 0; i < kPerVector; ++i)
      sums[i] += __bfloat162float(x.of[i]);
  }
  for (int i = 0; i < kPerVector; ++i)
    atomicAdd(out + v * kPerVector + i, sums[i]);
}

// Memory between the kernels, kept between calls.
void* workspace(int which, size_t bytes) {
  static void* kept[3] = {};
  static size_t held[3] = {};
  if (bytes > held[which]) {
    cudaFree(kept[which]);
    held[which] = cudaMalloc(&kept[which], bytes) == cudaSuccess ? bytes : 0;
  }
  return kept[which];
}

unsigned threshold_of(double p) {
  return static_cast<unsigned>(p * 4294967296.0);
}

Bytes* masked(const void* seed, double p, int64_t elements, int cols, cudaStream_t stream) {
  auto* mask = static_cast<Bytes*>(workspace(1, elements));
  const int64_t vectors = elements / kPerVector;
  make_mask<<<static_cast<unsigned>((vectors + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      static_cast<const int64_t*>(seed), threshold_of(p), mask, vectors, cols / kPerVector);
  return mask;
}

struct Shape {
  int64_t rows, cols, elements;
  int vectors;  // per row
  explicit Shape(const int64_t* sizes)
      : rows(sizes[0]), cols(sizes[1]), elements(rows * cols), vectors(static_cast<int>(cols / kPerVector)) {}
};

// One thread per row.
__global__ void losses(const __nv_bfloat16* logits, const int64_t* targets, const float* maxima, const float* sums,
                       float* loss, int rows, int cols) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row < rows)
    loss[row] = logf(sums[row]) + maxima[row] - __bfloat162float(logits[static_cast<int64_t>(row) * cols + targets[row]]);
}

}  // namespace

extern "C" int ridge_unfused_bias_gelu(void* const* buffers, const int64_t* sizes, const double*, cudaStream_t stream) {
  const Shape shape(sizes);
  void* between = workspace(0, 2 * shape.elements);
  map(buffers[0], between, shape.elements, stream, AddColumn{buffers[1], shape.vectors});
  map(between, buffers[2], shape.elements, stream, Gelu{});
  return cudaGetLastError();
}

extern "C" int ridge_unfused_dropout(void* const* buffers, const int64_t* sizes, const double* scalars,
                                     cudaStream_t stream) {
  const Shape shape(sizes);
  void* between = workspace(0, 2 * shape.elements);
  map(buffers[0], between, shape.elements, stream, AddColumn{buffers[1], shape.vectors});
  const Bytes* mask = masked(buffers[3], scalars[0], shape.elements, static_cast<int>(shape.cols), stream);
  map(between, between, shape.elements, stream, Keep{mask});
  map(between, between, shape.elements, stream, Scale{static_cast<float>(1 / (1 - scalars[0]))});
  map(between, buffers[4], shape.elements, stream, AddElement{buffers[2]});
  return cudaGetLastError();
}

extern "C" int ridge_unfused_dropout_backward(void* const* buffers, const int64_t* sizes, const double* scalars,
                                              cudaStream_t stream) {
  const Shape shape(sizes);
  void* between = workspace(0, 2 * shape.elements);
  const Bytes* mask = masked(buffers[1], scalars[0], shape.elements, static_cast<int>(shape.cols), stream);
  map(buffers[0], between, shape.elements, stream, Keep{mask});
  map(between, buffers[2], shape.elements, stream, Scale{static_cast<float>(1 / (1 - scalars[0]))});
  auto* sums = static_cast<float*>(buffers[3]);
  cudaMemsetAsync(sums, 0, shape.cols * sizeof(float), stream);
  const dim3 blocks((shape.vectors + kThreads - 1) / kThreads,
                    static_cast<unsigned>((shape.rows + kRowsPerBlock - 1) / kRowsPerBlock));
  sum_columns<<<blocks, kThreads, 0, stream>>>(static_cast<const Vector*>(buffers[2]), sums,
                                               static_cast<int>(shape.rows), shape.vectors);
  return cudaGetLastError();
}

extern "C" int ridge_unfused_layer_norm(void* const* buffers, const int64_t* sizes, const double* scalars,
                                        cudaStream_t stream) {
  const Shape shape(sizes);
  const int vectors = shape.vectors;
  void *sum = buffers[4], *between = workspace(0, 2 * shape.elements);
  auto* means = static_cast<float*>(workspace(1, 2 * shape.rows * sizeof(float)));
  float* variances = means + shape.rows;
  const float one_over_cols = 1.0f / static_cast<float>(shape.cols);
  const auto rows = static_cast<unsigned>(shape.rows);
  map(buffers[0], sum, shape.elements, stream, AddElement{buffers[1]});
  reduce_rows<Reduction::sum><<<rows, kThreads, 0, stream>>>(means, vectors, Element{sum, one_over_cols});
  reduce_rows<Reduction::sum>
      <<<rows, kThreads, 0, stream>>>(variances, vectors, SquaredDistance{sum, means, one_over_cols});
  map(sum, between, shape.elements, stream, Normalise{means, variances, static_cast<float>(scalars[0]), vectors});
  map(between, buffers[5], shape.elements, stream, ScaleAndShift{buffers[2], buffers[3], vectors});
  return cudaGetLastError();
}

extern "C" int ridge_unfused_cross_entropy(void* const* buffers, const int64_t* sizes, const double*,
                                           cudaStream_t stream) {
  const Shape shape(sizes);
  auto* maxima = static_cast<float*>(workspace(1, 2 * shape.rows * sizeof(float)));
  float* sums = maxima + shape.rows;
  void* between = workspace(0, 2 * shape.elements);
  const auto rows = static_cast<unsigned>(shape.rows);
  reduce_rows<Reduction::maximum><<<rows, kThreads, 0, stream>>>(maxima, shape.vectors, Element{buffers[0], 1});
  map(buffers[0], between, shape.elements, stream, Exponential{maxima, shape.vectors});
  reduce_rows<Reduction::sum><<<rows, kThreads, 0, stream>>>(sums, shape.vectors, Element{between, 1});
  losses<<<(rows + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(buffers[0]), static_cast<const int64_t*>(buffers[1]), maxima, sums,
      static_cast<float*>(buffers[2]), static_cast<int>(rows), static_cast<int>(shape.cols));
  return cudaGetLastError();
}

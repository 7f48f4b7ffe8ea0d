// LU with pivots in a block, QR by reflections, eigenvalues by rotations, batched inverses, tridiagonal systems by
// cyclic reduction, a product of doubles in registers: bits that depend on what the assembler contracts.
#include "values.h"
template <int N>
__global__ void lu(float* A, int* piv) {
  __shared__ float a[N][N + 1];
  __shared__ int p;
  float* g = A + blockIdx.x * N * N;
  int t = threadIdx.x;
  for (int i = t; i < N * N; i += blockDim.x)
    a[i / N][i % N] = g[i];
  __syncthreads();
  for (int k = 0; k < N; ++k) {
    if (t < 32) {
      float best = -1;
      int at = k;
      for (int i = k + t; i < N; i += 32)
        if (fabsf(a[i][k]) > best) {
          best = fabsf(a[i][k]);
          at = i;
        }
      for (int o = 16; o; o >>= 1) {
        float b = __shfl_down_sync(~0u, best, o);
        int c = __shfl_down_sync(~0u, at, o);
        if (b > best || (b == best && c < at)) {
          best = b;
          at = c;
        }
      }
      if (t == 0) {
        p = at;
        piv[blockIdx.x * N + k] = at;
      }
    }
    __syncthreads();
    if (p != k)
      for (int j = t; j < N; j += blockDim.x) {
        float x = a[k][j];
        a[k][j] = a[p][j];
        a[p][j] = x;
      }
    __syncthreads();
    for (int i = k + 1 + t; i < N; i += blockDim.x)
      a[i][k] /= a[k][k];
    __syncthreads();
    for (int i = t; i < (N - k - 1) * (N - k - 1); i += blockDim.x) {
      int r = k + 1 + i / (N - k - 1), c = k + 1 + i % (N - k - 1);
      a[r][c] -= a[r][k] * a[k][c];
    }
    __syncthreads();
  }
  for (int i = t; i < N * N; i += blockDim.x)
    g[i] = a[i / N][i % N];
}
__global__ void householder(double* A, int m, int n) {
  extern __shared__ double v[];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    double s = 0;
    for (int i = k + t; i < m; i += 32)
      s += A[i * n + k] * A[i * n + k];
    for (int o = 16; o; o >>= 1)
      s += __shfl_xor_sync(~0u, s, o);
    double al = A[k * n + k] > 0 ? -sqrt(s) : sqrt(s);
    for (int i = k + t; i < m; i += 32)
      v[i] = A[i * n + k] - (i == k ? al : 0);
    __syncwarp();
    double vv = 0;
    for (int i = k + t; i < m; i += 32)
      vv += v[i] * v[i];
    for (int o = 16; o; o >>= 1)
      vv += __shfl_xor_sync(~0u, vv, o);
    for (int j = k; j < n; ++j) {
      double d = 0;
      for (int i = k + t; i < m; i += 32)
        d += v[i] * A[i * n + j];
      for (int o = 16; o; o >>= 1)
        d += __shfl_xor_sync(~0u, d, o);
      d = 2 * d / vv;
      __syncwarp();
      for (int i = k + t; i < m; i += 32)
        A[i * n + j] -= d * v[i];
    }
    __syncwarp();
  }
}
__global__ void jacobi_eig(float* A, int n) {
  __shared__ float a[16][17];
  int t = threadIdx.x;
  a[t / 16][t % 16] = A[blockIdx.x * 256 + t];
  __syncthreads();
  for (int sweep = 0; sweep < 3; ++sweep)
    for (int p = 0; p < n - 1; ++p)
      for (int q = p + 1; q < n; ++q) {
        float apq = a[p][q], th = (a[q][q] - a[p][p]) / (2 * apq + 1e-20f),
              tt = copysignf(1 / (fabsf(th) + sqrtf(th * th + 1)), th), c = 1 / sqrtf(tt * tt + 1),
              s = tt * c;
        __syncthreads();
        if (t < 16) {
          float x = a[t][p], y = a[t][q];
          a[t][p] = c * x - s * y;
          a[t][q] = s * x + c * y;
        }
        __syncthreads();
        if (t < 16) {
          float x = a[p][t], y = a[q][t];
          a[p][t] = c * x - s * y;
          a[q][t] = s * x + c * y;
        }
        __syncthreads();
      }
  A[blockIdx.x * 256 + t] = a[t / 16][t % 16];
}
__global__ void inverse4(const float4* in, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float m[4][8];
  for (int r = 0; r < 4; ++r) {
    float4 v = in[i * 4 + r];
    m[r][0] = v.x;
    m[r][1] = v.y;
    m[r][2] = v.z;
    m[r][3] = v.w;
    for (int c = 0; c < 4; ++c)
      m[r][4 + c] = r == c;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    float d = 1 / m[k][k];
#pragma unroll
    for (int c = 0; c < 8; ++c)
      m[k][c] *= d;
#pragma unroll
    for (int r = 0; r < 4; ++r)
      if (r != k) {
        float f = m[r][k];
#pragma unroll
        for (int c = 0; c < 8; ++c)
          m[r][c] -= f * m[k][c];
      }
  }
  for (int r = 0; r < 4; ++r)
    out[i * 4 + r] = make_float4(m[r][4], m[r][5], m[r][6], m[r][7]);
}
__global__ void cyclic(const float* A, const float* B, const float* C, const float* D, float* X) {
  __shared__ float a[64], b[64], c[64], d[64], x[64];
  int t = threadIdx.x, n = 64, o = blockIdx.x * n;
  for (int i = t; i < n; i += 32) {
    a[i] = A[o + i];
    b[i] = B[o + i];
    c[i] = C[o + i];
    d[i] = D[o + i];
  }
  __syncthreads();
  int st = 1;
  for (int m = n / 2; m > 1; m /= 2) {
    st *= 2;
    if (t < m) {
      int i = st * t + st - 1, l = i - st / 2, r = min(i + st / 2, n - 1);
      float k1 = a[i] / b[l], k2 = i + st / 2 < n ? c[i] / b[r] : 0;
      b[i] -= c[l] * k1 + (i + st / 2 < n ? a[r] * k2 : 0);
      d[i] -= d[l] * k1 + (i + st / 2 < n ? d[r] * k2 : 0);
      a[i] = -a[l] * k1;
      c[i] = i + st / 2 < n ? -c[r] * k2 : 0;
    }
    __syncthreads();
  }
  if (t == 0) {
    int p = st - 1, q = 2 * st - 1;
    float det = b[p] * b[q] - c[p] * a[q];
    x[p] = (b[q] * d[p] - c[p] * d[q]) / det;
    x[q] = (d[q] * b[p] - d[p] * a[q]) / det;
  }
  __syncthreads();
  for (int m = 2; m < n; m *= 2) {
    int h = st / 2;
    if (t < m) {
      int i = st * t + h - 1;
      x[i] = (d[i] - (i >= h && i - h >= 0 ? a[i] * x[i - h] : 0) - c[i] * x[i + h]) / b[i];
    }
    st = h;
    __syncthreads();
  }
  for (int i = t; i < n; i += 32)
    X[o + i] = x[i];
}
template <int TM, int TN>
__global__ void dgemm(const double* a, const double* b, double* c, int n) {
  __shared__ double A[16][TM * 8 + 2], B[16][TN * 8];
  int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
  double acc[TM][TN] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = threadIdx.x; i < 16 * TM * 8; i += 64)
      A[i % 16][i / 16] = a[(blockIdx.y * TM * 8 + i / 16) * n + k + i % 16];
    for (int i = threadIdx.x; i < 16 * TN * 8; i += 64)
      B[i / (TN * 8)][i % (TN * 8)] =
          b[(k + i / (TN * 8)) * n + blockIdx.x * TN * 8 + i % (TN * 8)];
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      double x[TM], y[TN];
      for (int i = 0; i < TM; ++i)
        x[i] = A[kk][ty * TM + i];
      for (int j = 0; j < TN; ++j)
        y[j] = B[kk][tx * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
          acc[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      c[(blockIdx.y * TM * 8 + ty * TM + i) * n + blockIdx.x * TN * 8 + tx * TN + j] = acc[i][j];
}
int main() {
  auto* A = device_values<float>(3 * 32 * 32,
                                 [](size_t i) { return real_at(i) + (i % 33 == 0 ? 1.5f : 0); });
  auto* pv = device_zeros<int>(96);
  lu<32><<<3, 128>>>(A, pv);
  print_hash("lu", A, 3072);
  print_hash("piv", pv, 96);
  auto* H = device_values<double>(40 * 12, [](size_t i) { return real_at(i, 2); });
  householder<<<1, 32, 320>>>(H, 40, 12);
  print_hash("qr", H, 480);
  auto* E = device_values<float>(2 * 256, [](size_t i) {
    size_t k = i % 256, r = k / 16, c = k % 16;
    return real_at((r < c ? r * 16 + c : c * 16 + r) + i / 256 * 999, 3) + (r == c ? r : 0);
  });
  jacobi_eig<<<2, 256>>>(E, 16);
  print_about("eig", E, 512);
  auto* M = device_values<float4>(4 * 200, [](size_t i) {
    float v[4];
    for (int k = 0; k < 4; ++k)
      v[k] = real_at(i * 4 + k, 4) + (k == (int)(i % 4) ? 4 : 0);
    return make_float4(v[0], v[1], v[2], v[3]);
  });
  auto* I = device_zeros<float4>(800);
  inverse4<<<2, 128>>>(M, I, 200);
  print_hash("inv", (float*)I, 3200);
  auto *a = device_values<float>(256, [](size_t i) { return i % 64 ? -1.f : 0.f; }),
       *b = device_values<float>(256, [](size_t i) { return 4.f + real_at(i); }),
       *c = device_values<float>(256, [](size_t i) { return i % 64 < 63 ? -1.f : 0.f; }),
       *d = device_values<float>(256, [](size_t i) { return real_at(i, 6); }),
       *x = device_zeros<float>(256);
  cyclic<<<4, 32>>>(a, b, c, d, x);
  print_hash("tri", x, 256);
  int n = 96;
  auto *p = device_values<double>(n * n, [](size_t i) { return real_at(i); }),
       *q = device_values<double>(n * n, [](size_t i) { return real_at(i, 2); }),
       *r = device_zeros<double>(n * n);
  dgemm<4, 4><<<dim3(3, 3), 64>>>(p, q, r, n);
  print_hash("dgemm", r, n * n);
  dgemm<2, 6><<<dim3(2, 6), 64>>>(p, q, r, n);
  print_hash("dgemm26", r, n * n);
}

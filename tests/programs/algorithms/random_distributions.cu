// cuRAND's device functions: every generator and distribution that needs no tables of the host.
#include <curand_kernel.h>

#include "values.h"
template <class S>
__global__ void gen(unsigned* o, float* f, double* d, unsigned* po) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  S s;
  curand_init(1234ull + t / 100, t, t % 7 * 3, &s);
  for (int i = 0; i < 4; ++i)
    o[t * 4 + i] = curand(&s);
  skipahead(5ull + t, &s);
  o[t * 4] ^= curand(&s);
  f[t * 4] = curand_uniform(&s);
  f[t * 4 + 1] = curand_normal(&s);
  float2 n2 = curand_normal2(&s);
  f[t * 4 + 2] = n2.y;
  f[t * 4 + 3] = curand_log_normal(&s, 0.1f, 0.5f);
  d[t * 2] = curand_uniform_double(&s);
  d[t * 2 + 1] = curand_normal_double(&s);
  po[t] = curand_poisson(&s, 3.5) + 100 * curand_poisson(&s, 70);
}
__global__ void philox(unsigned* o, float* f) {
  int t = threadIdx.x;
  curandStatePhilox4_32_10_t s;
  curand_init(99, t, 0, &s);
  uint4 u = curand4(&s);
  o[t * 4] = u.x;
  o[t * 4 + 1] = u.y;
  o[t * 4 + 2] = u.z;
  o[t * 4 + 3] = u.w;
  float4 v = curand_uniform4(&s);
  f[t * 4] = v.x;
  f[t * 4 + 1] = v.w;
  double2 d = curand_uniform2_double(&s);
  f[t * 4 + 2] = d.x;
  f[t * 4 + 3] = curand_normal4(&s).z;
}
template <class S>
void run(const char* n) {
  auto* o = device_zeros<unsigned>(1024);
  auto* f = device_zeros<float>(1024);
  auto* d = device_zeros<double>(512);
  auto* p = device_zeros<unsigned>(256);
  gen<S><<<4, 64>>>(o, f, d, p);
  must(cudaGetLastError());
  print_hash(n, o, 1024);
  print_about("f", f, 1024);
  print_about("d", d, 512);
  print_about("poisson", p, 256);
}
int main() {
  run<curandStateXORWOW_t>("xorwow");
  run<curandStateMRG32k3a_t>("mrg");
  run<curandStatePhilox4_32_10_t>("philox");
  auto* o = device_zeros<unsigned>(512);
  auto* f = device_zeros<float>(512);
  philox<<<1, 128>>>(o, f);
  print_hash("philox4", o, 512);
  print_about("f", f, 512);
}

// Arithmetic to the last bit: rounding modes, and products that the assembler contracts with sums.
#include "values.h"
#define P(e) o[n++ * 128 + t] = __float_as_uint(e);
#define PD(e) d[m++ * 128 + t] = (e);
__global__ void k(const float* X, const double* Y, unsigned* o, double* d) {
  int t = threadIdx.x, n = 0, m = 0;
  float a = X[t], b = X[(t + 1) % 128], c = X[(t + 2) % 128];
  double x = Y[t], y = Y[(t + 1) % 128], z = Y[(t + 2) % 128];
  P(a * b + c)
  P(a * b - c * a) P(c - a * b) P(a / b) P(sqrtf(fabsf(a))) P(1.f / b) P(__frsqrt_rn(fabsf(a)))
      P(__fadd_rz(a, b)) P(__fmul_ru(a, b)) P(__fdiv_rd(a, b)) P(__fsqrt_ru(fabsf(a)))
          P(__frcp_rz(b)) P(fmaf(a, b, c)) P(__fmaf_rd(a, b, c)) P(fmodf(a, b)) P(remainderf(a, b))
              P(floorf(a * 9)) P(rintf(a * 9)) P(nearbyintf(a)) P(truncf(a * 3)) P(roundf(a * 5))
                  P(fdimf(a, b)) P(copysignf(a, b)) P(nextafterf(a, b))
                      P(ldexpf(a, t % 20 - 10)) int ex;
  P(frexpf(a, &ex)) P(ex) P(ilogbf(a)) P(logbf(a)) P(scalbnf(a, 3)) float ip;
  P(modff(a * 7, &ip))
  P(ip) P(hypotf(a, b) > 0) P((float)(int)(a * 100)) P((float)(long long)(a * 1e10f))
      P(fmaxf(a, NAN)) P(fminf(-0.f, 0.f)) P(a == b || a != a)
          P(float(isfinite(a) + 2 * isnan(a) + 4 * signbit(a))) P(n) PD(x * y + z) PD(x / y)
              PD(sqrt(fabs(x))) PD(fma(x, y, z)) PD(__dadd_rd(x, y)) PD(__dmul_rz(x, y))
                  PD(__ddiv_ru(x, y)) PD(__dsqrt_rd(fabs(x))) PD(__drcp_rn(y)) PD(fmod(x, y))
                      PD(remainder(x, y)) PD(floor(x)) PD(rint(x * 3)) PD(round(x * 5)) PD(trunc(x))
                          PD((double)(float)x) PD((double)(long long)(x * 1e6))
                              PD((double)(unsigned)(fabs(x))) PD(ldexp(x, -1060))
                                  PD(ldexp(x, -1060) * 1.5) PD(nextafter(x, y)) PD(fmax(x, y))
                                      PD(x * y - z * x) PD((x + y) * (x - y))
}
int main() {
  auto* x = device_values<float>(128, [](size_t i) {
    return i == 9    ? 1e-40f
           : i == 20 ? 3e38f
           : i == 30 ? -0.f
           : i == 31 ? 1e-38f
                     : std::ldexp(real_at(i) + 1e-4f, int(number_at(i) % 30) - 15);
  });
  auto* y = device_values<double>(128, [](size_t i) {
    return i == 3 ? 1e-310
                  : std::ldexp((double)real_at(i, 2) + 1e-9 * real_at(i, 3) + 1e-6,
                               int(number_at(i, 4) % 40) - 20);
  });
  auto* o = device_zeros<unsigned>(128 * 40);
  auto* d = device_zeros<double>(128 * 24);
  k<<<1, 128>>>(x, y, o, d);
  must(cudaGetLastError());
  for (int i = 0; i < 40; ++i) {
    char n[8];
    sprintf(n, "f%d", i);
    print_hash(n, o + 128 * i, 128);
  }
  for (int i = 0; i < 24; ++i) {
    char n[8];
    sprintf(n, "d%d", i);
    print_hash(n, d + 128 * i, 128);
  }
}

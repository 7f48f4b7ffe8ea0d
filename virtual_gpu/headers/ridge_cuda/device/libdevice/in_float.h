// libdevice: the functions of float, computed in double and rounded once.
#pragma once

#define RIDGE_IN_FLOAT(name)                                        \
  RIDGE_LIBDEVICE float __nv_##name##f(float x) {                   \
    return static_cast<float>(__nv_##name(static_cast<double>(x))); \
  }
#define RIDGE_IN_FLOAT_2(name)                                                              \
  RIDGE_LIBDEVICE float __nv_##name##f(float x, float y) {                                  \
    return static_cast<float>(__nv_##name(static_cast<double>(x), static_cast<double>(y))); \
  }
RIDGE_IN_FLOAT(exp10)
RIDGE_IN_FLOAT(expm1)
RIDGE_IN_FLOAT(log)
RIDGE_IN_FLOAT(log2)
RIDGE_IN_FLOAT(log10)
RIDGE_IN_FLOAT(log1p)
RIDGE_IN_FLOAT(cbrt)
RIDGE_IN_FLOAT(rcbrt)
RIDGE_IN_FLOAT(sin)
RIDGE_IN_FLOAT(cos)
RIDGE_IN_FLOAT(tan)
RIDGE_IN_FLOAT(sinpi)
RIDGE_IN_FLOAT(cospi)
RIDGE_IN_FLOAT(asin)
RIDGE_IN_FLOAT(acos)
RIDGE_IN_FLOAT(atan)
RIDGE_IN_FLOAT(sinh)
RIDGE_IN_FLOAT(cosh)
RIDGE_IN_FLOAT(tanh)
RIDGE_IN_FLOAT(asinh)
RIDGE_IN_FLOAT(acosh)
RIDGE_IN_FLOAT(atanh)
RIDGE_IN_FLOAT(erf)
RIDGE_IN_FLOAT(erfc)
RIDGE_IN_FLOAT(normcdf)
RIDGE_IN_FLOAT(normcdfinv)
RIDGE_IN_FLOAT(erfcx)
RIDGE_IN_FLOAT(erfinv)
RIDGE_IN_FLOAT(erfcinv)
RIDGE_IN_FLOAT(j0)
RIDGE_IN_FLOAT(j1)
RIDGE_IN_FLOAT(y0)
RIDGE_IN_FLOAT(y1)
RIDGE_IN_FLOAT(cyl_bessel_i0)
RIDGE_IN_FLOAT(cyl_bessel_i1)
RIDGE_IN_FLOAT(tgamma)
RIDGE_IN_FLOAT(lgamma)
RIDGE_IN_FLOAT_2(pow)
RIDGE_IN_FLOAT_2(atan2)
RIDGE_IN_FLOAT_2(hypot)
RIDGE_IN_FLOAT_2(rhypot)
RIDGE_IN_FLOAT_2(fmod)
RIDGE_IN_FLOAT_2(remainder)
#undef RIDGE_IN_FLOAT
#undef RIDGE_IN_FLOAT_2

// exp and exp2 of float are common in kernels, so they stay in float: ex2.approx errs by 2 units in the last place, and
// also takes and gives subnormal numbers.
RIDGE_LIBDEVICE float __nv_exp2f(float x) {
  return __nvvm_ex2_approx_f(x);
}
// e^x = 2^k e^r, k whole and such that 2^k is a normal number. ex2 of a small argument errs by less than half a unit.
RIDGE_LIBDEVICE float __nv_expf(float x) {
  const float k = fminf(fmaxf(__builtin_rintf(x * 0x1.715476p+0f), -126.0f), 127.0f);
  const float r = __builtin_fmaf(k, 0x1.05c610p-29f, __builtin_fmaf(k, -0x1.62e430p-1f, x));
  const float scale = __uint_as_float(static_cast<unsigned>(static_cast<int>(k) + 127) << 23);
  return __nvvm_ex2_approx_ftz_f(r * 0x1.715476p+0f) * scale;
}
RIDGE_LIBDEVICE float __nv_powif(float x, int y) {
  return static_cast<float>(__nv_powi(static_cast<double>(x), y));
}
RIDGE_LIBDEVICE void __nv_sincosf(float x, float* sine, float* cosine) {
  *sine = __nv_sinf(x);
  *cosine = __nv_cosf(x);
}
RIDGE_LIBDEVICE void __nv_sincospif(float x, float* sine, float* cosine) {
  *sine = __nv_sinpif(x);
  *cosine = __nv_cospif(x);
}
RIDGE_LIBDEVICE float __nv_remquof(float x, float y, int* quotient) {
  return static_cast<float>(__nv_remquo(static_cast<double>(x), static_cast<double>(y), quotient));
}
RIDGE_LIBDEVICE float __nv_norm3df(float x, float y, float z) {
  return static_cast<float>(__nv_norm3d(x, y, z));
}
RIDGE_LIBDEVICE float __nv_norm4df(float x, float y, float z, float w) {
  return static_cast<float>(__nv_norm4d(x, y, z, w));
}
RIDGE_LIBDEVICE float __nv_rnorm3df(float x, float y, float z) {
  return static_cast<float>(__nv_rnorm3d(x, y, z));
}
RIDGE_LIBDEVICE float __nv_rnorm4df(float x, float y, float z, float w) {
  return static_cast<float>(__nv_rnorm4d(x, y, z, w));
}

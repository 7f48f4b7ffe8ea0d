// libdevice, arithmetic: operations with a rounding mode and conversions, one PTX instruction each, and what
// follows from them.
#pragma once

#define RIDGE_LIBDEVICE extern "C" inline __device__ __attribute__((always_inline))

// CUDA's rd and ru (down, up) are PTX's rm and rp.
#define RIDGE_ROUNDED(cuda, ptx)                                           \
  RIDGE_LIBDEVICE float __nv_fadd_##cuda(float a, float b) {               \
    return __nvvm_add_##ptx##_f(a, b);                                     \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_fsub_##cuda(float a, float b) {               \
    return __nvvm_add_##ptx##_f(a, -b);                                    \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_fmul_##cuda(float a, float b) {               \
    return __nvvm_mul_##ptx##_f(a, b);                                     \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_fdiv_##cuda(float a, float b) {               \
    return __nvvm_div_##ptx##_f(a, b);                                     \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_frcp_##cuda(float a) {                        \
    return __nvvm_rcp_##ptx##_f(a);                                        \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_fsqrt_##cuda(float a) {                       \
    return __nvvm_sqrt_##ptx##_f(a);                                       \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_fmaf_##cuda(float a, float b, float c) {      \
    return __nvvm_fma_##ptx##_f(a, b, c);                                  \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_fmaf_ieee_##cuda(float a, float b, float c) { \
    return __nvvm_fma_##ptx##_f(a, b, c);                                  \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_dadd_##cuda(double a, double b) {            \
    return __nvvm_add_##ptx##_d(a, b);                                     \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_dsub_##cuda(double a, double b) {            \
    return __nvvm_add_##ptx##_d(a, -b);                                    \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_dmul_##cuda(double a, double b) {            \
    return __nvvm_mul_##ptx##_d(a, b);                                     \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_ddiv_##cuda(double a, double b) {            \
    return __nvvm_div_##ptx##_d(a, b);                                     \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_drcp_##cuda(double a) {                      \
    return __nvvm_rcp_##ptx##_d(a);                                        \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_dsqrt_##cuda(double a) {                     \
    return __nvvm_sqrt_##ptx##_d(a);                                       \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_fma_##cuda(double a, double b, double c) {   \
    return __nvvm_fma_##ptx##_d(a, b, c);                                  \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_double2float_##cuda(double a) {               \
    return __nvvm_d2f_##ptx(a);                                            \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_int2float_##cuda(int a) {                     \
    return __nvvm_i2f_##ptx(a);                                            \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_uint2float_##cuda(unsigned a) {               \
    return __nvvm_ui2f_##ptx(a);                                           \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_ll2float_##cuda(long long a) {                \
    return __nvvm_ll2f_##ptx(a);                                           \
  }                                                                        \
  RIDGE_LIBDEVICE float __nv_ull2float_##cuda(unsigned long long a) {      \
    return __nvvm_ull2f_##ptx(a);                                          \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_ll2double_##cuda(long long a) {              \
    return __nvvm_ll2d_##ptx(a);                                           \
  }                                                                        \
  RIDGE_LIBDEVICE double __nv_ull2double_##cuda(unsigned long long a) {    \
    return __nvvm_ull2d_##ptx(a);                                          \
  }                                                                        \
  RIDGE_LIBDEVICE int __nv_float2int_##cuda(float a) {                     \
    return __nvvm_f2i_##ptx(a);                                            \
  }                                                                        \
  RIDGE_LIBDEVICE unsigned __nv_float2uint_##cuda(float a) {               \
    return __nvvm_f2ui_##ptx(a);                                           \
  }                                                                        \
  RIDGE_LIBDEVICE long long __nv_float2ll_##cuda(float a) {                \
    return __nvvm_f2ll_##ptx(a);                                           \
  }                                                                        \
  RIDGE_LIBDEVICE unsigned long long __nv_float2ull_##cuda(float a) {      \
    return __nvvm_f2ull_##ptx(a);                                          \
  }                                                                        \
  RIDGE_LIBDEVICE int __nv_double2int_##cuda(double a) {                   \
    return __nvvm_d2i_##ptx(a);                                            \
  }                                                                        \
  RIDGE_LIBDEVICE unsigned __nv_double2uint_##cuda(double a) {             \
    return __nvvm_d2ui_##ptx(a);                                           \
  }                                                                        \
  RIDGE_LIBDEVICE long long __nv_double2ll_##cuda(double a) {              \
    return __nvvm_d2ll_##ptx(a);                                           \
  }                                                                        \
  RIDGE_LIBDEVICE unsigned long long __nv_double2ull_##cuda(double a) {    \
    return __nvvm_d2ull_##ptx(a);                                          \
  }
RIDGE_ROUNDED(rn, rn)
RIDGE_ROUNDED(rz, rz)
RIDGE_ROUNDED(rd, rm)
RIDGE_ROUNDED(ru, rp)
#undef RIDGE_ROUNDED
RIDGE_LIBDEVICE double __nv_int2double_rn(int a) {
  return static_cast<double>(a);
}
RIDGE_LIBDEVICE double __nv_uint2double_rn(unsigned a) {
  return static_cast<double>(a);
}

RIDGE_LIBDEVICE float __nv_fmaf(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
RIDGE_LIBDEVICE double __nv_fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
RIDGE_LIBDEVICE float __nv_sqrtf(float a) {
  return __nvvm_sqrt_rn_f(a);
}
RIDGE_LIBDEVICE double __nv_sqrt(double a) {
  return __nvvm_sqrt_rn_d(a);
}
RIDGE_LIBDEVICE float __nv_rsqrtf(float a) {
  return __nvvm_rsqrt_approx_f(a);
}
RIDGE_LIBDEVICE float __nv_frsqrt_rn(float a) {
  return static_cast<float>(1.0 / __nvvm_sqrt_rn_d(static_cast<double>(a)));
}
RIDGE_LIBDEVICE double __nv_rsqrt(double a) {
  return 1.0 / __nvvm_sqrt_rn_d(a);
}
RIDGE_LIBDEVICE float __nv_saturatef(float a) {
  return __nvvm_saturate_f(a);
}

RIDGE_LIBDEVICE float __nv_fabsf(float a) {
  return __builtin_fabsf(a);
}
RIDGE_LIBDEVICE double __nv_fabs(double a) {
  return __builtin_fabs(a);
}
RIDGE_LIBDEVICE float __nv_copysignf(float a, float b) {
  return __builtin_copysignf(a, b);
}
RIDGE_LIBDEVICE double __nv_copysign(double a, double b) {
  return __builtin_copysign(a, b);
}
RIDGE_LIBDEVICE float __nv_rintf(float a) {
  return __builtin_rintf(a);
}
RIDGE_LIBDEVICE double __nv_rint(double a) {
  return __builtin_rint(a);
}
RIDGE_LIBDEVICE float __nv_nearbyintf(float a) {
  return __builtin_rintf(a);
}
RIDGE_LIBDEVICE double __nv_nearbyint(double a) {
  return __builtin_rint(a);
}
RIDGE_LIBDEVICE double __nv_rcp64h(double a) {
  double b;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(b) : "d"(a));
  return b;
}
RIDGE_LIBDEVICE float __nv_floorf(float a) {
  return __nvvm_floor_f(a);
}
RIDGE_LIBDEVICE double __nv_floor(double a) {
  return __nvvm_floor_d(a);
}
RIDGE_LIBDEVICE float __nv_ceilf(float a) {
  return __nvvm_ceil_f(a);
}
RIDGE_LIBDEVICE double __nv_ceil(double a) {
  return __nvvm_ceil_d(a);
}
RIDGE_LIBDEVICE float __nv_truncf(float a) {
  return __nvvm_trunc_f(a);
}
RIDGE_LIBDEVICE double __nv_trunc(double a) {
  return __nvvm_trunc_d(a);
}
RIDGE_LIBDEVICE float __nv_fminf(float a, float b) {
  return __nvvm_fmin_f(a, b);
}
RIDGE_LIBDEVICE double __nv_fmin(double a, double b) {
  return __nvvm_fmin_d(a, b);
}
RIDGE_LIBDEVICE float __nv_fmaxf(float a, float b) {
  return __nvvm_fmax_f(a, b);
}
RIDGE_LIBDEVICE double __nv_fmax(double a, double b) {
  return __nvvm_fmax_d(a, b);
}
RIDGE_LIBDEVICE float __nv_fdimf(float a, float b) {
  return a != a || b != b ? a + b : a > b ? a - b : 0.0f;
}
RIDGE_LIBDEVICE double __nv_fdim(double a, double b) {
  return a != a || b != b ? a + b : a > b ? a - b : 0.0;
}
// Half away from zero.
RIDGE_LIBDEVICE float __nv_roundf(float a) {
  const float whole = __nvvm_trunc_f(a);
  const float step = __builtin_fabsf(a - whole) >= 0.5f ? 1.0f : 0.0f;
  return __builtin_copysignf(whole + __builtin_copysignf(step, a), a);
}
RIDGE_LIBDEVICE double __nv_round(double a) {
  const double whole = __nvvm_trunc_d(a);
  const double step = __builtin_fabs(a - whole) >= 0.5 ? 1.0 : 0.0;
  return __builtin_copysign(whole + __builtin_copysign(step, a), a);
}
RIDGE_LIBDEVICE long long __nv_llrint(double a) {
  return __nvvm_d2ll_rn(a);
}
RIDGE_LIBDEVICE long long __nv_llrintf(float a) {
  return __nvvm_f2ll_rn(a);
}
RIDGE_LIBDEVICE long long __nv_llround(double a) {
  return __nvvm_d2ll_rz(__nv_round(a));
}
RIDGE_LIBDEVICE long long __nv_llroundf(float a) {
  return __nvvm_f2ll_rz(__nv_roundf(a));
}
RIDGE_LIBDEVICE float __nv_modff(float a, float* whole) {
  *whole = __nvvm_trunc_f(a);
  return __builtin_copysignf(__builtin_isinf(a) ? 0.0f : a - *whole, a);
}
RIDGE_LIBDEVICE double __nv_modf(double a, double* whole) {
  *whole = __nvvm_trunc_d(a);
  return __builtin_copysign(__builtin_isinf(a) ? 0.0 : a - *whole, a);
}

// The hardware's approximations, as the programming guide documents the fast functions.
RIDGE_LIBDEVICE float __nv_fast_sinf(float a) {
  return __nvvm_sin_approx_f(a);
}
RIDGE_LIBDEVICE float __nv_fast_cosf(float a) {
  return __nvvm_cos_approx_f(a);
}
RIDGE_LIBDEVICE float __nv_fast_log2f(float a) {
  return __nvvm_lg2_approx_f(a);
}
RIDGE_LIBDEVICE float __nv_fast_expf(float a) {
  return __nvvm_ex2_approx_f(a * 0x1.715476p+0f);
}
RIDGE_LIBDEVICE float __nv_fast_exp10f(float a) {
  return __nvvm_ex2_approx_f(a * 0x1.a934f0p+1f);
}
RIDGE_LIBDEVICE float __nv_fast_logf(float a) {
  return __nvvm_lg2_approx_f(a) * 0x1.62e430p-1f;
}
RIDGE_LIBDEVICE float __nv_fast_log10f(float a) {
  return __nvvm_lg2_approx_f(a) * 0x1.344136p-2f;
}
RIDGE_LIBDEVICE float __nv_fast_fdividef(float a, float b) {
  return __nvvm_div_approx_f(a, b);
}
RIDGE_LIBDEVICE float __nv_fast_tanf(float a) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
RIDGE_LIBDEVICE float __nv_fast_powf(float a, float b) {
  return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a));
}
RIDGE_LIBDEVICE void __nv_fast_sincosf(float a, float* sine, float* cosine) {
  *sine = __nvvm_sin_approx_f(a);
  *cosine = __nvvm_cos_approx_f(a);
}

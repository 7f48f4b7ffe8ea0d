// nvcuda::wmma: multiplication of small matrices by a warp. Fragments are held as PTX's registers; which lane holds
// which element is unspecified.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#if defined(__CUDA__)
namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
struct u4;
struct s4;
struct b1;
}  // namespace precision

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment;

template <class T, int kElements>
struct FragmentElements {
  enum { num_elements = kElements, num_storage_elements = kElements };
  typedef T element_type, storage_element_type;
  T x[kElements];
};

template <class Layout>
inline constexpr int kLayoutCode = __is_same(Layout, col_major) ? 1 : 0;
template <class LayoutA, class LayoutB>
inline constexpr int kLayoutsCode = 2 * kLayoutCode<LayoutA> + kLayoutCode<LayoutB>;

__device__ inline float __float_to_tf32(float a) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(a));
  return __uint_as_float(bits);
}

template <class Use, int M, int N, int K, class T, class Layout, class Value>
__device__ void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const Value& value) {
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = value;
}

// A fragment of A or B: its elements, and the load. `T` is the type that the program names, `element` that of
// memory, `reg` what the builtin takes.
#define RIDGE_OPERAND(use, m, n, k, T, element, count, reg, load)                       \
  template <class Layout>                                                               \
  class fragment<use, m, n, k, T, Layout> : public FragmentElements<element, count> {}; \
  template <class Layout>                                                               \
  __device__ inline void load_matrix_sync(fragment<use, m, n, k, T, Layout>& f,         \
                                          const element* from, unsigned stride) {       \
    load(reinterpret_cast<reg*>(f.x), reinterpret_cast<const reg*>(from), stride,       \
         kLayoutCode<Layout>);                                                          \
  }
#define RIDGE_ACCUMULATOR(m, n, k, T, count, reg, load, store)                                 \
  template <>                                                                                  \
  class fragment<accumulator, m, n, k, T, void> : public FragmentElements<T, count> {};        \
  __device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* from, \
                                          unsigned stride, layout_t layout) {                  \
    if (layout == mem_row_major)                                                               \
      load(reinterpret_cast<reg*>(f.x), reinterpret_cast<const reg*>(from), stride, 0);        \
    else                                                                                       \
      load(reinterpret_cast<reg*>(f.x), reinterpret_cast<const reg*>(from), stride, 1);        \
  }                                                                                            \
  __device__ inline void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& f,  \
                                           unsigned stride, layout_t layout) {                 \
    if (layout == mem_row_major)                                                               \
      store(reinterpret_cast<reg*>(to), reinterpret_cast<const reg*>(f.x), stride, 0);         \
    else                                                                                       \
      store(reinterpret_cast<reg*>(to), reinterpret_cast<const reg*>(f.x), stride, 1);         \
  }
#define RIDGE_MMA(m, n, k, T, D, C, d_reg, reg, c_reg, mma)                         \
  template <class LayoutA, class LayoutB>                                           \
  __device__ inline void mma_sync(fragment<accumulator, m, n, k, D>& d,             \
                                  const fragment<matrix_a, m, n, k, T, LayoutA>& a, \
                                  const fragment<matrix_b, m, n, k, T, LayoutB>& b, \
                                  const fragment<accumulator, m, n, k, C>& c) {     \
    mma(reinterpret_cast<d_reg*>(d.x), reinterpret_cast<const reg*>(a.x),           \
        reinterpret_cast<const reg*>(b.x), reinterpret_cast<const c_reg*>(c.x),     \
        kLayoutsCode<LayoutA, LayoutB>, 0);                                         \
  }
#define RIDGE_MMA_NO_SATURATION(m, n, k, T, D, d_reg, reg, mma)                     \
  template <class LayoutA, class LayoutB>                                           \
  __device__ inline void mma_sync(fragment<accumulator, m, n, k, D>& d,             \
                                  const fragment<matrix_a, m, n, k, T, LayoutA>& a, \
                                  const fragment<matrix_b, m, n, k, T, LayoutB>& b, \
                                  const fragment<accumulator, m, n, k, D>& c) {     \
    mma(reinterpret_cast<d_reg*>(d.x), reinterpret_cast<const reg*>(a.x),           \
        reinterpret_cast<const reg*>(b.x), reinterpret_cast<const d_reg*>(c.x),     \
        kLayoutsCode<LayoutA, LayoutB>, 0);                                         \
  }

// The three shapes with k = 16; na, nb: elements per lane of a bf16 or 8-bit operand.
#define RIDGE_SHAPE_16(m, n, s, bf_a, bf_b, i_a, i_b)                                             \
  RIDGE_OPERAND(matrix_a, m, n, 16, __half, __half, 16, int, __hmma_##s##_ld_a)                   \
  RIDGE_OPERAND(matrix_b, m, n, 16, __half, __half, 16, int, __hmma_##s##_ld_b)                   \
  RIDGE_ACCUMULATOR(m, n, 16, __half, 8, int, __hmma_##s##_ld_c_f16, __hmma_##s##_st_c_f16)       \
  RIDGE_ACCUMULATOR(m, n, 16, float, 8, float, __hmma_##s##_ld_c_f32, __hmma_##s##_st_c_f32)      \
  RIDGE_ACCUMULATOR(m, n, 16, int, 8, int, __imma_##s##_ld_c, __imma_##s##_st_c_i32)              \
  RIDGE_MMA(m, n, 16, __half, __half, __half, int, int, int, __hmma_##s##_mma_f16f16)             \
  RIDGE_MMA(m, n, 16, __half, float, float, float, int, float, __hmma_##s##_mma_f32f32)           \
  RIDGE_MMA(m, n, 16, __half, float, __half, float, int, int, __hmma_##s##_mma_f32f16)            \
  RIDGE_MMA(m, n, 16, __half, __half, float, int, int, float, __hmma_##s##_mma_f16f32)            \
  RIDGE_OPERAND(matrix_a, m, n, 16, __nv_bfloat16, __nv_bfloat16, bf_a, int,                      \
                __mma_bf16_##s##_ld_a)                                                            \
  RIDGE_OPERAND(matrix_b, m, n, 16, __nv_bfloat16, __nv_bfloat16, bf_b, int,                      \
                __mma_bf16_##s##_ld_b)                                                            \
  RIDGE_MMA_NO_SATURATION(m, n, 16, __nv_bfloat16, float, float, int, __mma_bf16_##s##_mma_f32)   \
  RIDGE_OPERAND(matrix_a, m, n, 16, signed char, signed char, i_a, int, __imma_##s##_ld_a_s8)     \
  RIDGE_OPERAND(matrix_b, m, n, 16, signed char, signed char, i_b, int, __imma_##s##_ld_b_s8)     \
  RIDGE_MMA(m, n, 16, signed char, int, int, int, int, int, __imma_##s##_mma_s8)                  \
  RIDGE_OPERAND(matrix_a, m, n, 16, unsigned char, unsigned char, i_a, int, __imma_##s##_ld_a_u8) \
  RIDGE_OPERAND(matrix_b, m, n, 16, unsigned char, unsigned char, i_b, int, __imma_##s##_ld_b_u8) \
  RIDGE_MMA(m, n, 16, unsigned char, int, int, int, int, int, __imma_##s##_mma_u8)
RIDGE_SHAPE_16(16, 16, m16n16k16, 8, 8, 8, 8)
RIDGE_SHAPE_16(32, 8, m32n8k16, 16, 4, 16, 4)
RIDGE_SHAPE_16(8, 32, m8n32k16, 4, 16, 4, 16)
#undef RIDGE_SHAPE_16

RIDGE_OPERAND(matrix_a, 16, 16, 8, precision::tf32, float, 4, int, __mma_tf32_m16n16k8_ld_a)
RIDGE_OPERAND(matrix_b, 16, 16, 8, precision::tf32, float, 4, int, __mma_tf32_m16n16k8_ld_b)
RIDGE_ACCUMULATOR(16, 16, 8, float, 8, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
RIDGE_MMA_NO_SATURATION(16, 16, 8, precision::tf32, float, float, int, __mma_tf32_m16n16k8_mma_f32)

RIDGE_OPERAND(matrix_a, 8, 8, 4, double, double, 1, double, __dmma_m8n8k4_ld_a)
RIDGE_OPERAND(matrix_b, 8, 8, 4, double, double, 1, double, __dmma_m8n8k4_ld_b)
RIDGE_ACCUMULATOR(8, 8, 4, double, 2, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
RIDGE_MMA_NO_SATURATION(8, 8, 4, double, double, double, double, __dmma_m8n8k4_mma_f64)

#undef RIDGE_OPERAND
#undef RIDGE_ACCUMULATOR
#undef RIDGE_MMA
#undef RIDGE_MMA_NO_SATURATION

}  // namespace wmma
}  // namespace nvcuda
#endif

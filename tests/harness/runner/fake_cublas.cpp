// cuBLAS as the baselines call it, computing on the host: it takes column-major matrices without
// transposition, as the real one does, so that operands in the wrong order give wrong answers. Compiled
// without CUDA: it finds cudaMemcpy in the process.
#include <dlfcn.h>

#include <cstddef>
#include <vector>

namespace {

using Memcpy = int(void*, const void*, size_t, int);

void copy(void* to, const void* from, size_t bytes) {
  static auto* memcpy_of_cuda = reinterpret_cast<Memcpy*>(dlsym(RTLD_DEFAULT, "cudaMemcpy"));
  memcpy_of_cuda(to, from, bytes, 4);  // cudaMemcpyDefault
}

}  // namespace

extern "C" {
int cublasCreate_v2(void** handle) {
  *handle = reinterpret_cast<void*>(1);
  return 0;
}
int cublasSetStream_v2(void*, void*) {
  return 0;
}
int cublasSetWorkspace_v2(void*, void*, size_t) {
  return 0;
}
int cublasGetVersion_v2(void*, int* version) {
  *version = 130102;
  return 0;
}
int cublasSgemm_v2(void*, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc) {
  if (transpose_a || transpose_b || *alpha != 1 || *beta != 0 || lda < m || ldb < k || ldc < m) return 7;
  auto size = [](int count) { return static_cast<size_t>(count); };
  std::vector<float> host_a(size(lda) * size(k)), host_b(size(ldb) * size(n)), host_c(size(ldc) * size(n));
  copy(host_a.data(), a, host_a.size() * sizeof(float));
  copy(host_b.data(), b, host_b.size() * sizeof(float));
  for (size_t column = 0; column < size(n); ++column)
    for (size_t row = 0; row < size(m); ++row) {
      double sum = 0;
      for (size_t p = 0; p < size(k); ++p)
        sum += static_cast<double>(host_a[p * size(lda) + row]) *
               static_cast<double>(host_b[column * size(ldb) + p]);
      host_c[column * size(ldc) + row] = static_cast<float>(sum);
    }
  copy(c, host_c.data(), host_c.size() * sizeof(float));
  return 0;
}
}

// Run-time compilation: NVRTC makes PTX of a template, the driver loads it.
#include <cuda.h>
#include <nvrtc.h>

#include <string>

#include "values.h"
int main() {
  const char* src =
      "template <typename T, int N> __global__ void poly(T* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { T v = x[i], r = 0; for (int k = 0; k < N; ++k) r = r * v + T(k + 1); x[i] = r; } }\n__constant__ float table[4]; extern \"C\" __global__ void use(float* o) { o[threadIdx.x] = table[threadIdx.x % 4] * 2; }";
  nvrtcProgram p;
  if (nvrtcCreateProgram(&p, src, "poly.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) {
    printf("create\n");
    return 1;
  }
  nvrtcAddNameExpression(p, "poly<float, 4>");
  nvrtcAddNameExpression(p, "poly<long long, 3>");
  const char* opt[] = {"--gpu-architecture=compute_90", "-std=c++17"};
  nvrtcResult r = nvrtcCompileProgram(p, 2, opt);
  if (r != NVRTC_SUCCESS) {
    printf("compile %s\n", nvrtcGetErrorString(r));
    return 1;
  }
  size_t n;
  nvrtcGetPTXSize(p, &n);
  std::vector<char> ptx(n);
  nvrtcGetPTX(p, ptx.data());
  const char *a, *b;
  nvrtcGetLoweredName(p, "poly<float, 4>", &a);
  nvrtcGetLoweredName(p, "poly<long long, 3>", &b);
  std::string fa = a, fb = b;
  cudaFree(0);
  CUmodule m;
  if (cuModuleLoadDataEx(&m, ptx.data(), 0, 0, 0) != CUDA_SUCCESS) {
    printf("load\n");
    return 1;
  }
  CUfunction f, g, u;
  cuModuleGetFunction(&f, m, fa.c_str());
  cuModuleGetFunction(&g, m, fb.c_str());
  cuModuleGetFunction(&u, m, "use");
  auto* x = device_values<float>(200, [](size_t i) { return real_at(i); });
  auto* y = device_values<long long>(200, [](size_t i) { return number_at(i); });
  int k = 200;
  void* ax[] = {&x, &k};
  void* ay[] = {&y, &k};
  cuLaunchKernel(f, 2, 1, 1, 128, 1, 1, 0, 0, ax, 0);
  cuLaunchKernel(g, 2, 1, 1, 128, 1, 1, 0, 0, ay, 0);
  print_hash("x", x, 200);
  print_hash("y", y, 200);
  CUdeviceptr t;
  size_t ts;
  cuModuleGetGlobal(&t, &ts, m, "table");
  float tv[4] = {1, 2, 3, 4};
  cuMemcpyHtoD(t, tv, 16);
  void* au[] = {&x};
  cuLaunchKernel(u, 1, 1, 1, 8, 1, 1, 0, 0, au, 0);
  print_all("use", x, 8);
  nvrtcDestroyProgram(&p);
}

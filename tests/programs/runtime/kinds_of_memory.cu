// Pinned, mapped, registered, managed and symbol memory; copies of every kind.
#include <thread>

#include "values.h"
__global__ void inc(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += i;
}
__constant__ float cf[32];
__device__ int dv[64];
__managed__ int mg[64];
template <int N>
__device__ int static_of(int x) {
  static __device__ int calls;
  return atomicAdd(&calls, N) * 0 + x * N;
}
__global__ void sym(float* o) {
  int t = threadIdx.x;
  o[t] = cf[t] * 2 + dv[t] + mg[63 - t] + static_of<3>(t);
  mg[t] = 0;
}
__global__ void flag(volatile int* f, int* data) {
  if (threadIdx.x == 0) {
    while (f[0] == 0)
      __nanosleep(100);
    data[0] = data[1] * 2;
    __threadfence_system();
    f[1] = 1;
  }
}
struct P2 {
  cudaPitchedPtr p;
};
__global__ void vol(cudaPitchedPtr p, cudaExtent e) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  char* s = (char*)p.ptr + (z * p.ysize + y) * p.pitch;
  ((int*)s)[x] += x + 10 * y + 100 * z;
  (void)e;
}
int main() {
  int n = 1000;
  int *pin, *map, *d;
  must(cudaMallocHost(&pin, 4 * n));
  must(cudaHostAlloc(&map, 4 * n, cudaHostAllocMapped | cudaHostAllocWriteCombined));
  for (int i = 0; i < n; ++i)
    pin[i] = map[i] = i;
  int* md;
  must(cudaHostGetDevicePointer(&md, map, 0));
  inc<<<8, 128>>>(md, n);
  inc<<<8, 128>>>(pin, n);
  must(cudaDeviceSynchronize());
  printf("%016llx %016llx\n", (unsigned long long)hash_of(pin, 4 * n),
         (unsigned long long)hash_of(map, 4 * n));
  std::vector<int> reg(2048, 1);
  must(cudaHostRegister(reg.data(), 8192, cudaHostRegisterMapped));
  int* rd;
  must(cudaHostGetDevicePointer(&rd, reg.data(), 0));
  inc<<<16, 128>>>(rd, 2048);
  must(cudaDeviceSynchronize());
  printf("%016llx\n", (unsigned long long)hash_of(reg.data(), 8192));
  cudaPointerAttributes at;
  must(cudaPointerGetAttributes(&at, reg.data()));
  printf("%d\n", at.type);
  must(cudaHostUnregister(reg.data()));
  unsigned hf;
  must(cudaHostGetFlags(&hf, map));
  printf("%u\n", hf & 7);
  int* um;
  must(cudaMallocManaged(&um, 4 * n));
  for (int i = 0; i < n; ++i)
    um[i] = 2 * i;
  cudaMemLocation loc = {cudaMemLocationTypeDevice, 0};
  must(cudaMemAdvise(um, 4 * n, cudaMemAdviseSetReadMostly, loc));
  must(cudaMemPrefetchAsync(um, 4 * n, loc, 0, 0));
  inc<<<8, 128>>>(um, n);
  must(cudaDeviceSynchronize());
  printf("%016llx\n", (unsigned long long)hash_of(um, 4 * n));
  int rm = -1;
  must(cudaMemRangeGetAttribute(&rm, 4, cudaMemRangeAttributeReadMostly, um, 4 * n));
  printf("%d\n", rm);
  float hc[32];
  for (int i = 0; i < 32; ++i)
    hc[i] = i * .5f;
  must(cudaMemcpyToSymbolAsync(cf, hc, 64, 64, cudaMemcpyHostToDevice, 0));
  void* ca;
  must(cudaGetSymbolAddress(&ca, cf));
  must(cudaMemcpy(ca, hc, 64, cudaMemcpyDefault));
  int hd[64];
  for (int i = 0; i < 64; ++i)
    hd[i] = mg[i] = i * 7;
  must(cudaMemcpyToSymbol(dv, hd, 128, 128));
  auto* o = device_zeros<float>(32);
  sym<<<1, 32>>>(o);
  print_hash("sym", o, 32);
  printf("%d %d\n", mg[5], mg[40]);
  int back[64];
  must(cudaMemcpyFromSymbol(back, dv, 256));
  printf("%016llx\n", (unsigned long long)hash_of(back, 256));
  size_t sz;
  must(cudaGetSymbolSize(&sz, dv));
  printf("%zu\n", sz);
  int* f;
  must(cudaHostAlloc(&f, 64, cudaHostAllocDefault));
  f[0] = f[1] = 0;
  f[9] = 21;
  flag<<<1, 32>>>(f, f + 8);
  std::thread([&] { ((volatile int*)f)[0] = 1; }).join();
  while (!((volatile int*)f)[1])
    ;
  printf("%d\n", f[8]);
  must(cudaDeviceSynchronize());
  cudaExtent e = make_cudaExtent(10 * 4, 6, 5);
  cudaPitchedPtr pp;
  must(cudaMalloc3D(&pp, e));
  must(cudaMemset3D(pp, 1, e));
  vol<<<5, dim3(10, 6)>>>(pp, e);
  std::vector<int> h3(300);
  cudaMemcpy3DParms m = {};
  m.srcPtr = pp;
  m.dstPtr = make_cudaPitchedPtr(h3.data(), 40, 10, 6);
  m.extent = e;
  m.kind = cudaMemcpyDeviceToHost;
  must(cudaMemcpy3DAsync(&m, 0));
  must(cudaDeviceSynchronize());
  printf("%016llx %d %d\n", (unsigned long long)hash_of(h3.data(), 1200), h3[0], h3[299]);
  m.srcPos = make_cudaPos(4, 1, 1);
  m.dstPos = make_cudaPos(8, 0, 2);
  m.extent = make_cudaExtent(12, 3, 2);
  std::fill(h3.begin(), h3.end(), 0);
  must(cudaMemcpy3D(&m));
  printf("%016llx\n", (unsigned long long)hash_of(h3.data(), 1200));
  must(cudaMalloc(&d, 4096));
  must(cudaMemset2D(d, 64, 5, 20, 10));
  must(cudaMemcpy2DAsync(pin, 48, d, 64, 24, 10, cudaMemcpyDeviceToHost, 0));
  must(cudaDeviceSynchronize());
  printf("%016llx\n", (unsigned long long)hash_of(pin, 480));
  cudaArray_t arr;
  auto cd = cudaCreateChannelDesc<short>();
  must(cudaMallocArray(&arr, &cd, 32, 8));
  must(cudaMemcpy2DToArray(arr, 8, 2, pin, 40, 20, 5, cudaMemcpyHostToDevice));
  short a2[256] = {};
  must(cudaMemcpy2DFromArray(a2, 64, arr, 8, 2, 20, 5, cudaMemcpyDeviceToHost));
  printf("%016llx\n", (unsigned long long)hash_of(a2, 512));
  must(cudaMemcpyPeer(d, 0, d + 512, 0, 100));
  must(cudaMemcpyAsync(d + 100, d, 400, cudaMemcpyDeviceToDevice, 0));
  print_hash("d", d, 200);
  printf("%s\n", cudaGetErrorName(cudaMemcpy(reg.data(), pin, 100, cudaMemcpyHostToHost)));
}

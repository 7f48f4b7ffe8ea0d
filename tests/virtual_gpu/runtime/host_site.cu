// The program of host_site_test.cpp: allocates in several ways, frees, and makes each mistake by name. Built with
// AS_LIBRARY it is a shared object that allocates for the program that opens it.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#ifdef AS_LIBRARY
extern "C" float* allocate_in_library() {
  float* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(float));  // in the library
  return data;
}
#else

__global__ void touch(float* data, int at) { data[at] = 1; }
__global__ void __cluster_dims__() any_cluster(float* data) { data[blockIdx.x] = 1; }

template <class T>
T* make_array(int count) {
  T* data = nullptr;
  cudaMalloc(&data, count * sizeof(T));  // in make_array
  return data;
}

int main(int count, char** arguments) {
  const auto is = [&](const char* what) { return count > 1 && std::strcmp(arguments[1], what) == 0; };
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (is("past the end")) {
    touch<<<1, 1>>>(make_array<float>(100), 100);  // calls make_array
  } else if (is("freed")) {
    float* data = make_array<float>(100);
    cudaFree(data);  // frees
    touch<<<1, 1>>>(data, 3);
  } else if (is("freed twice")) {
    float* data = make_array<float>(100);
    cudaFree(data);  // frees first
    cudaFree(data);
  } else if (is("freed in a stream")) {
    float* data = nullptr;
    cudaMallocAsync(&data, 400, stream);  // allocates in a stream
    cudaFreeAsync(data, stream);          // frees in a stream
    touch<<<1, 1, 0, stream>>>(data, 3);
  } else if (is("leaks")) {
    float *a, *b, *c;
    cudaMallocManaged(&a, 400);  // leaks managed memory
    cudaMallocHost(&b, 500);     // leaks pinned memory
    cudaMallocAsync(&c, 600, stream);
    cudaFreeAsync(c, stream);
    for (int i = 0; i < 20; ++i) make_array<char>(10 + i);
  } else if (is("library")) {
    void* library = dlopen(arguments[2], RTLD_NOW);
    if (library == nullptr) return 2;
    touch<<<1, 1>>>(reinterpret_cast<float* (*)()>(dlsym(library, "allocate_in_library"))(), 64);
  } else if (is("no cluster size")) {
    float* data = make_array<float>(100);
    any_cluster<<<2, 1>>>(data);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 1;
    config.attrs = &cluster;
    config.numAttrs = 1;
    std::printf("%s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, any_cluster, data)));
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
#endif

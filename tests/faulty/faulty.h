// What the faulty programs share. A file holds several faults; each is a case, named on the command line, in two
// versions: `faulty NAME` has the fault, `faulty NAME fixed` is its corrected twin.
//
// A case is announced by a comment that the runner reads:
//     // case NAME: CHECK            CHECK as the launch report names it: race, uninitialised, out_of_bounds, ...
// and the line that must be reported ends in `// <- NAME`, or in `// <- NAME, without a line` at a call of the runtime,
// which is reported without one. Any number of lines
//     // says NAME: TEXT
// want TEXT, without quotation marks, in the message, and
//     // cause NAME: CAUSE
// wants this cause in the report. Where clang compiles, a line that ends in `// <- NAME, by clang` is the one, and lines
//     // says NAME, by clang: TEXT
// hold in place of the others.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Case {
  const char* name;
  void (*run)(bool fixed);
};

inline void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

// `count` elements on the device: 0, 1, 2, ... modulo 61.
template <class T>
T* numbers(int count) {
  T* host = static_cast<T*>(std::malloc(count * sizeof(T)));
  for (int i = 0; i < count; ++i) host[i] = static_cast<T>(i % 61);
  T* device = nullptr;
  must(cudaMalloc(&device, count * sizeof(T)), "cudaMalloc");
  must(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  std::free(host);
  return device;
}

template <class T>
T* zeros(int count) {
  T* device = nullptr;
  must(cudaMalloc(&device, count * sizeof(T)), "cudaMalloc");
  must(cudaMemset(device, 0, count * sizeof(T)), "cudaMemset");
  return device;
}

// As cudaMalloc leaves it.
template <class T>
T* untouched(int count) {
  T* device = nullptr;
  must(cudaMalloc(&device, count * sizeof(T)), "cudaMalloc");
  return device;
}

template <int kCases>
int run_cases(const Case (&cases)[kCases], int argc, char** argv) {
  for (const Case& one : cases) {
    if (argc < 2 || std::strcmp(one.name, argv[1]) != 0) continue;
    one.run(argc > 2 && std::strcmp(argv[2], "fixed") == 0);
    const cudaError_t status = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(status));
    return status == cudaSuccess ? 0 : 3;
  }
  std::fprintf(stderr, "no such case\n");
  return 2;
}

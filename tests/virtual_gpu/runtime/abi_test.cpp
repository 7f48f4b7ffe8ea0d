// The library as a program sees it: opened by path, called through its exported names.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/cuda_compiler.h"
#include "virtual_gpu/runtime/api/cuda_api.h"

using ridge::tests::skipped_without_nvcc;

namespace {

void* library() {
  static void* handle = dlopen(RIDGE_VIRTUAL_CUDART, RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  return handle;
}

template <typename Function>
Function* symbol(const char* name) {
  void* address = dlsym(library(), name);
  if (!address) throw std::runtime_error(std::string("not exported: ") + name);
  return reinterpret_cast<Function*>(address);
}

// The function of that name with the type its header gives it.
#define API(name) symbol<decltype(::name)>(#name)

std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = popen(command.c_str(), "r");
  char line[4096];
  while (fgets(line, sizeof line, pipe))
    lines.push_back(std::string(line).substr(0, std::string(line).find('\n')));
  pclose(pipe);
  return lines;
}

// What NVIDIA says for a code, from its own library.
std::string nvidia(const char* function, cudaError_t error) {
  static void* theirs = dlopen(RIDGE_CUDART, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(theirs);
  return reinterpret_cast<const char* (*)(cudaError_t)>(dlsym(theirs, function))(error);
}

cudaError_t clear(cudaError_t error) {
  API(cudaGetLastError)();
  return error;
}

}  // namespace

TEST_CASE("Every name that NVIDIA's runtime exports is exported, with its version, and nothing else", "[nvcc]") {
  if (skipped_without_nvcc("NVIDIA's runtime library")) return;
  auto names = [](const std::string& path) {
    auto lines = lines_of("nm -D --defined-only '" + path + "' | awk '$2 != \"A\" {print $3}' | sort");
    return std::set<std::string>(lines.begin(), lines.end());
  };
  auto theirs = names(RIDGE_CUDART), ours = names(RIDGE_VIRTUAL_CUDART);
  REQUIRE(theirs.size() > 400);
  CHECK(ours == theirs);
}

TEST_CASE("The library needs nothing but the C library") {
  for (const std::string& line : lines_of("readelf -d '" RIDGE_VIRTUAL_CUDART "' | grep NEEDED")) {
    INFO(line);
    bool is_c_library = false;
    for (const char* name : {"[libc.so", "[libm.so", "[libpthread.so", "[libdl.so", "[ld-linux"}) {
      is_c_library |= line.find(name) != std::string::npos;
    }
#ifndef __SANITIZE_ADDRESS__
    CHECK(is_c_library);
#endif
  }
  CHECK(lines_of("readelf -d '" RIDGE_VIRTUAL_CUDART "' | grep 'SONAME.*libcudart.so.13'").size() == 1);
}

TEST_CASE("Error names and descriptions are NVIDIA's, for every code and for none", "[nvcc]") {
  if (skipped_without_nvcc("NVIDIA's runtime library")) return;
  for (int code = -1; code <= 10001; ++code) {
    auto error = static_cast<cudaError_t>(code);
    INFO(code);
    REQUIRE(API(cudaGetErrorName)(error) == nvidia("cudaGetErrorName", error));
    REQUIRE(API(cudaGetErrorString)(error) == nvidia("cudaGetErrorString", error));
  }
}

TEST_CASE("A function that is not implemented says its name and returns cudaErrorNotSupported") {
  CHECK(symbol<int()>("cudaMallocMipmappedArray")() == cudaErrorNotSupported);
  CHECK(API(cudaGetLastError)() == cudaErrorNotSupported);
  CHECK(API(cudaGetLastError)() == cudaSuccess);
}

TEST_CASE("Wrong arguments get NVIDIA's codes") {
  void* device = nullptr;
  REQUIRE(API(cudaMalloc)(&device, 1024) == cudaSuccess);
  void* pinned = nullptr;
  REQUIRE(API(cudaMallocHost)(&pinned, 1024) == cudaSuccess);
  char host[1024] = {};
  void* out = nullptr;
  cudaEvent_t event = nullptr, unrecorded = nullptr;
  REQUIRE(API(cudaEventCreate)(&event) == cudaSuccess);
  REQUIRE(API(cudaEventCreate)(&unrecorded) == cudaSuccess);
  REQUIRE(API(cudaEventRecord)(event, nullptr) == cudaSuccess);
  float ms = 0;
  int number = 0;
  cudaDeviceProp properties;
  auto bogus_stream = reinterpret_cast<cudaStream_t>(0x1000);
  auto bogus_event = reinterpret_cast<cudaEvent_t>(0x1000);

  struct Row {
    const char* what;
    cudaError_t expected, got;
  };
  const Row rows[] = {
      {"cudaMalloc(null)", cudaErrorInvalidValue, clear(API(cudaMalloc)(nullptr, 4))},
      {"cudaMalloc of more than there is", cudaErrorMemoryAllocation,
       clear(API(cudaMalloc)(&out, size_t{1} << 45))},
      {"cudaMalloc(0)", cudaSuccess, clear(API(cudaMalloc)(&out, 0))},
      {"cudaFree(null)", cudaSuccess, clear(API(cudaFree)(nullptr))},
      {"cudaFree(inside)", cudaErrorInvalidValue, clear(API(cudaFree)(static_cast<char*>(device) + 16))},
      {"cudaFree(host)", cudaErrorInvalidValue, clear(API(cudaFree)(host))},
      {"cudaFree(pinned)", cudaErrorInvalidValue, clear(API(cudaFree)(pinned))},
      {"cudaFreeHost(device)", cudaErrorInvalidValue, clear(API(cudaFreeHost)(device))},
      {"cudaMallocManaged(0)", cudaErrorInvalidValue,
       clear(API(cudaMallocManaged)(&out, 0, cudaMemAttachGlobal))},
      {"copy past the end", cudaErrorInvalidValue,
       clear(API(cudaMemcpy)(device, host, 1025, cudaMemcpyHostToDevice))},
      {"copy of nothing", cudaSuccess, clear(API(cudaMemcpy)(device, host, 0, cudaMemcpyHostToDevice))},
      {"copy to host memory called device", cudaErrorInvalidValue,
       clear(API(cudaMemcpy)(host, host + 512, 4, cudaMemcpyHostToDevice))},
      {"copy from host memory called device", cudaErrorInvalidValue,
       clear(API(cudaMemcpy)(host, host + 512, 4, cudaMemcpyDeviceToHost))},
      {"copy to device memory called host", cudaErrorInvalidValue,
       clear(API(cudaMemcpy)(device, pinned, 4, cudaMemcpyDeviceToHost))},
      {"copy to pinned memory", cudaSuccess,
       clear(API(cudaMemcpy)(pinned, device, 4, cudaMemcpyDeviceToHost))},
      {"copy without a direction", cudaErrorInvalidMemcpyDirection,
       clear(API(cudaMemcpy)(device, host, 4, static_cast<cudaMemcpyKind>(9)))},
      {"copy to null", cudaErrorInvalidValue,
       clear(API(cudaMemcpy)(nullptr, host, 4, cudaMemcpyHostToDevice))},
      {"memset past the end", cudaErrorInvalidValue, clear(API(cudaMemset)(device, 0, 1025))},
      {"memset of host memory", cudaErrorInvalidValue, clear(API(cudaMemset)(host, 0, 4))},
      {"cudaSetDevice(1) of 1", cudaErrorInvalidDevice, clear(API(cudaSetDevice)(1))},
      {"cudaSetDevice(-1)", cudaErrorInvalidDevice, clear(API(cudaSetDevice)(-1))},
      {"properties of device 7", cudaErrorInvalidDevice, clear(API(cudaGetDeviceProperties)(&properties, 7))},
      {"attribute 0", cudaErrorInvalidValue,
       clear(API(cudaDeviceGetAttribute)(&number, static_cast<cudaDeviceAttr>(0), 0))},
      {"count into null", cudaErrorInvalidValue, clear(API(cudaGetDeviceCount)(nullptr))},
      {"a stream that is none", cudaErrorInvalidResourceHandle,
       clear(API(cudaStreamSynchronize)(bogus_stream))},
      {"destroying the default stream", cudaErrorInvalidResourceHandle,
       clear(API(cudaStreamDestroy)(nullptr))},
      {"an event that is none", cudaErrorInvalidResourceHandle,
       clear(API(cudaEventSynchronize)(bogus_event))},
      {"time since an unrecorded event", cudaErrorInvalidResourceHandle,
       clear(API(cudaEventElapsedTime)(&ms, unrecorded, event))},
      {"stream flags", cudaErrorInvalidValue, clear(API(cudaStreamCreateWithFlags)(&bogus_stream, 77))},
      {"capturing the legacy stream", cudaErrorStreamCaptureUnsupported,
       clear(API(cudaStreamBeginCapture)(nullptr, cudaStreamCaptureModeGlobal))},
      {"a kernel that is none", cudaErrorInvalidDeviceFunction,
       clear(API(cudaLaunchKernel)(host, dim3{1, 1, 1}, dim3{1, 1, 1}, nullptr, 0, nullptr))},
      {"attributes of no kernel", cudaErrorInvalidDeviceFunction,
       clear(API(cudaFuncSetCacheConfig)(host, cudaFuncCachePreferL1))},
      {"a symbol that is none", cudaErrorInvalidSymbol, clear(API(cudaGetSymbolAddress)(&out, host))},
      {"pop without push", cudaErrorMissingConfiguration,
       clear(API(__cudaPopCallConfiguration)(nullptr, nullptr, nullptr, nullptr))},
      {"peer access to itself", cudaErrorInvalidDevice, clear(API(cudaDeviceEnablePeerAccess)(0, 0))},
      {"unregistering what was not registered", cudaErrorHostMemoryNotRegistered,
       clear(API(cudaHostUnregister)(host))},
      {"a limit that is none", cudaErrorInvalidValue,
       clear(API(cudaDeviceSetLimit)(static_cast<cudaLimit>(99), 1))},
      {"first free", cudaSuccess, clear(API(cudaFree)(device))},
      {"second free", cudaErrorInvalidValue, clear(API(cudaFree)(device))},
      {"copy to freed memory", cudaErrorInvalidValue,
       clear(API(cudaMemcpy)(device, host, 4, cudaMemcpyHostToDevice))},
      {"copy to freed memory, kind by address", cudaErrorInvalidValue,
       clear(API(cudaMemcpy)(device, host, 4, cudaMemcpyDefault))},
  };
  for (const Row& row : rows) {
    INFO(row.what << ": got " << API(cudaGetErrorName)(row.got));
    CHECK(row.got == row.expected);
  }
  CHECK(API(cudaFreeHost)(pinned) == cudaSuccess);
}

TEST_CASE("the last error is per thread, and is returned once") {
  CHECK(API(cudaMalloc)(nullptr, 4) == cudaErrorInvalidValue);
  CHECK(API(cudaPeekAtLastError)() == cudaErrorInvalidValue);
  CHECK(API(cudaPeekAtLastError)() == cudaErrorInvalidValue);
  CHECK(API(cudaGetLastError)() == cudaErrorInvalidValue);
  CHECK(API(cudaGetLastError)() == cudaSuccess);
}

TEST_CASE("freed memory can be allocated again, and the free amount is right") {
  size_t before = 0, during = 0, after = 0, total = 0;
  REQUIRE(API(cudaMemGetInfo)(&before, &total) == cudaSuccess);
  void* block = nullptr;
  REQUIRE(API(cudaMalloc)(&block, 100 << 20) == cudaSuccess);
  REQUIRE(API(cudaMemGetInfo)(&during, &total) == cudaSuccess);
  REQUIRE(API(cudaFree)(block) == cudaSuccess);
  REQUIRE(API(cudaMemGetInfo)(&after, &total) == cudaSuccess);
  CHECK(before - during == 100 << 20);
  CHECK(after == before);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(API(cudaMallocAsync)(&block, 1 << 30, nullptr) == cudaSuccess);
    REQUIRE(API(cudaFreeAsync)(block, nullptr) == cudaSuccess);
  }
}

TEST_CASE("cudaPointerGetAttributes returns each pointer's kind") {
  void *device = nullptr, *pinned = nullptr, *managed = nullptr;
  REQUIRE(API(cudaMalloc)(&device, 64) == cudaSuccess);
  REQUIRE(API(cudaMallocHost)(&pinned, 64) == cudaSuccess);
  REQUIRE(API(cudaMallocManaged)(&managed, 64, cudaMemAttachGlobal) == cudaSuccess);
  int local = 0;
  struct Row {
    void* pointer;
    cudaMemoryType type;
  };
  for (const Row& row : {Row{device, cudaMemoryTypeDevice}, Row{pinned, cudaMemoryTypeHost},
                         Row{managed, cudaMemoryTypeManaged}, Row{&local, cudaMemoryTypeUnregistered}}) {
    cudaPointerAttributes attributes;
    REQUIRE(API(cudaPointerGetAttributes)(&attributes, row.pointer) == cudaSuccess);
    CHECK(attributes.type == row.type);
  }
  API(cudaFree)(device);
  API(cudaFreeHost)(pinned);
  API(cudaFree)(managed);
}

TEST_CASE("The driver's functions that we have are handed out, others are not found, as the driver says it") {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status{};
  auto get = API(cudaGetDriverEntryPointByVersion);
  CHECK(get("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &status) == cudaSuccess);
  CHECK(status == cudaDriverEntryPointSuccess);
  CHECK(function != nullptr);
  CHECK(get("cuTensorMapEncodeTiled", &function, 11080, cudaEnableDefault, &status) == cudaSuccess);
  CHECK(status == cudaDriverEntryPointVersionNotSufficent);
  CHECK(function == nullptr);
  function = &status;
  CHECK(get("cuNoSuchFunction", &function, 12000, cudaEnableDefault, &status) == cudaSuccess);
  CHECK(status == cudaDriverEntryPointSymbolNotFound);
  CHECK(function == nullptr);
  CHECK(clear(get("cuInit", &function, 99000, cudaEnableDefault, &status)) == cudaErrorInvalidValue);
  CHECK(clear(get("", &function, 12000, cudaEnableDefault, nullptr)) == cudaErrorInvalidValue);
  CHECK(clear(get("cuInit", nullptr, 12000, cudaEnableDefault, nullptr)) == cudaErrorInvalidValue);

  REQUIRE(get("cuDeviceGetAttribute", &function, 12000, cudaEnableDefault, &status) == cudaSuccess);
  int value = 0;
  REQUIRE(reinterpret_cast<int (*)(int*, int, int)>(function)(&value, cudaDevAttrComputeCapabilityMajor, 0) ==
          0);
  CHECK(value == 9);
}

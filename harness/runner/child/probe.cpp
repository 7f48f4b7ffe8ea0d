#include "harness/runner/child/probe.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace ridge::runner {

namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return value;
}

}  // namespace

int print_probe() {
  nlohmann::json answer = {{"gpus", nlohmann::json::array()}};
  int count = 0, driver = 0, runtime = 0;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess)
    answer["why_none"] = std::string("the CUDA runtime says: ") + cudaGetErrorString(error);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  for (int device = 0; error == cudaSuccess && device < count; ++device) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) continue;
    // Two transfers per clock; the clock is in kHz, the bus width in bits.
    double peak = 2.0 * attribute(cudaDevAttrMemoryClockRate, device) * 1e3 *
                  attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8 / 1e9;
    answer["gpus"].push_back({{"name", properties.name},
                              {"major", properties.major},
                              {"minor", properties.minor},
                              {"memory_bytes", properties.totalGlobalMem},
                              {"l2_bytes", properties.l2CacheSize},
                              {"multiprocessors", properties.multiProcessorCount},
                              {"peak_gb_per_s", peak},
                              {"driver", driver},
                              {"runtime", runtime}});
  }
  std::puts(answer.dump().c_str());
  return 0;
}

}  // namespace ridge::runner

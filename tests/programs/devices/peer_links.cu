// What the report says of the links between two virtual devices: a kernel that pushes and one that
// pulls. Only the virtual GPU writes the report, so a GPU prints no links; the figures follow from
// the sizes.
#include <unistd.h>

#include <fstream>
#include <string>

#include "check.h"

constexpr int kElements = 4096;  // 16 KB: 128 lines of 128 bytes

__global__ void push(const float4* own, float4* other) {
  other[threadIdx.x] = own[threadIdx.x];
}
__global__ void pull_of_each_line(const float* other, float* own) {
  own[threadIdx.x] = other[32 * threadIdx.x];  // one sector of 32 bytes each
}

int main() {
  setenv("RIDGE_DEVICES", "2", 1);
  char report[] = "/tmp/peer_links_XXXXXX";
  const int made = mkstemp(report);
  if (made < 0) return std::perror(report), 1;
  close(made);
  setenv("RIDGE_REPORT", report, 1);
  float* data[2];
  for (int rank = 0; rank < 2; ++rank) {
    check(cudaSetDevice(rank), "set device");
    check(cudaDeviceEnablePeerAccess(1 - rank, 0), "enable");
    data[rank] = device_array<float>(kElements);
    float host[kElements];
    for (int i = 0; i < kElements; ++i) host[i] = static_cast<float>(rank * kElements + i);
    to_device(data[rank], host, kElements);
    check(cudaDeviceSynchronize(), "synchronize");
  }
  check(cudaSetDevice(0), "set device");
  push<<<1, kElements / 4>>>(reinterpret_cast<float4*>(data[0]), reinterpret_cast<float4*>(data[1]));
  check(cudaDeviceSynchronize(), "synchronize");
  pull_of_each_line<<<1, kElements / 32>>>(data[1], data[0]);
  check(cudaDeviceSynchronize(), "synchronize");
  int wrong = 0;
  float host[kElements];
  to_host(host, data[1], kElements);  // pushed by device 0
  for (int i = 0; i < kElements; ++i) wrong += host[i] != static_cast<float>(i);
  to_host(host, data[0], kElements);  // the first ones were pulled from device 1
  for (int i = 0; i < kElements / 32; ++i) wrong += host[i] != static_cast<float>(32 * i);
  printf("wrong elements: %d\n", wrong);
  std::ifstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find("\"links\":[");
    if (begin == std::string::npos) continue;
    printf("%s\n", line.substr(begin, line.find(']', begin) + 1 - begin).c_str());
  }
  std::remove(report);
  return 0;
}

// Runs a kernel that copies in bulk (bulk_kernel.h) on a device with two arrays of words.
#pragma once

#include <numeric>

#include "tests/virtual_gpu/machine/copy_engine/bulk_kernel.h"
#include "tests/virtual_gpu/machine/virtual_device.h"
#include "virtual_gpu/machine/copy_engine/tensor_map.h"

namespace ridge::machine::test {

inline std::string fault_of(const LaunchOutcome& outcome) {
  return outcome.fault ? outcome.fault->message : "(no fault)";
}

inline std::vector<uint32_t> counting(size_t count, uint32_t first = 0) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

struct Ran {
  LaunchOutcome outcome;
  std::vector<uint32_t> out;
};

// One block of 32 threads; a: 1024 words that count from 0, b: 1024 words of output.
inline Ran ran(const std::string& body, const TensorMap& map = {}, Dim3 grid = {1, 1, 1},
               const std::string& directives = {}, uint32_t words = 1024) {
  Device device(bulk_kernel(body, 4096, directives));
  device.config.deadlock_after_s = 0.2;
  const uint64_t in = device.upload(counting(1024)), out = device.upload(std::vector<uint32_t>(words, 7));
  Ran r{device.launch("k", grid, {32, 1, 1}, in, out, 0u, map), {}};
  r.out = device.download<uint32_t>(out, words);
  return r;
}

}  // namespace ridge::machine::test

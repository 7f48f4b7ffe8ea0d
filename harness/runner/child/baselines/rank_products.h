// A matrix product by cuBLAS on each of several devices, in the devices' streams.
#pragma once

#include <vector>

#include "harness/runner/child/baseline.h"
#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

// The products of the problem gemm_reduce_scatter; sizes are {ranks, rows, n, k}.
class RankProducts {
 public:
  explicit RankProducts(const Work& work);
  // a [ranks * rows][k] times b [n][k], transposed, of each rank, to results[rank].
  void enqueue(const Slot& slot, const std::vector<void*>& results);

 private:
  using GemmEx = int(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                     const void*, void*, int, int, int, int);
  Library library_;
  GemmEx* gemm_;
  std::vector<void*> handles_;
  std::vector<DeviceMemory> workspaces_;
  int m_ = 0, n_ = 0, k_ = 0;
};

}  // namespace ridge::runner

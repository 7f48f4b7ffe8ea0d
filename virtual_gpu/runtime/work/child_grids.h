// The grids that a running grid launched (dynamic parallelism). They are executed in order after it
// has ended.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "virtual_gpu/machine/grid/child_launch.h"
#include "virtual_gpu/runtime/work/launch.h"

namespace ridge::runtime {

class ChildGrids : public machine::ChildLaunches {
 public:
  // `depth`: 0 for the children of a grid that the host launched.
  ChildGrids(Binary& binary, Device& device, unsigned depth)
      : binary_(binary), device_(device), depth_(depth) {}
  ~ChildGrids() override;
  ChildGrids(const ChildGrids&) = delete;
  ChildGrids& operator=(const ChildGrids&) = delete;

  uint64_t prepare(const machine::ChildLaunch& child) override;
  int launch(uint64_t arguments, uint64_t stream) override;
  uint64_t error_text(int error, bool is_name) override;
  int device_count() const override;
  void set_conditional(uint64_t handle, uint32_t value) override;
  int last_error(uint64_t block, uint32_t thread, bool forget) override;

  // Executes them in the order of the parent's blocks and of the calls in each block, each followed
  // by the grids that it launches; tail launches come last.
  cudaError_t execute_all();

 private:
  using Thread = std::pair<uint64_t, uint32_t>;  // block, thread
  struct Grid {
    LaunchRequest request;
    LoadedKernel kernel;
    Thread parent;
    uint64_t order = 0;
    bool is_tail = false;
  };
  uint64_t refuse(const Thread& thread, cudaError_t error);

  Binary& binary_;
  Device& device_;
  unsigned depth_;
  std::mutex mutex_;
  std::map<uint64_t, Grid> prepared_;  // by the address of the arguments
  std::vector<Grid> launched_;
  std::map<Thread, cudaError_t> errors_;
};

}  // namespace ridge::runtime

// Grids that a kernel launches (dynamic parallelism). They are recorded while the grid runs and
// executed when it has ended: since CUDA 12 a kernel cannot wait for its launches, so a GPU may do
// the same.
#pragma once

#include <cstdint>

#include "virtual_gpu/machine/grid/launch.h"

namespace ridge::machine {

struct ChildLaunch {
  uint64_t function = 0;  // see function_address
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  uint64_t parent_block = 0;
  uint32_t parent_thread = 0;
};

// Called by kernels, concurrently from all host threads.
class ChildLaunches {
 public:
  virtual ~ChildLaunches() = default;
  // Returns memory for the child's arguments, which the kernel fills in before it calls launch; 0
  // when such a grid can never start.
  virtual uint64_t prepare(const ChildLaunch& child) = 0;
  // `stream` is numbered as in the runtime's headers: 3 begins when all other work of the parent
  // has ended. Returns a cudaError_t.
  virtual int launch(uint64_t arguments, uint64_t stream) = 0;
  // The address of an error code's text in memory that kernels can read.
  virtual uint64_t error_text(int error, bool is_name) = 0;
  virtual int device_count() const = 0;
  virtual void set_conditional(uint64_t handle, uint32_t value) = 0;
  // For a thread's cudaGetLastError, which clears the error, and cudaPeekAtLastError, which does
  // not.
  virtual int last_error(uint64_t block, uint32_t thread, bool forget) = 0;
};

}  // namespace ridge::machine

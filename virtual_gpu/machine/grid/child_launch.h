// Grids that a kernel launches itself (dynamic parallelism). They are noted down while the grid runs and
// executed when it has ended: since CUDA 12 nothing in a kernel may wait for what it launched, so a GPU may
// do the same.
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

// Called by kernels, from all host threads at once.
class ChildLaunches {
 public:
  virtual ~ChildLaunches() = default;
  // Memory for the child's arguments, which the kernel fills in before it calls launch; 0 when such a grid
  // can never start.
  virtual uint64_t prepare(const ChildLaunch& child) = 0;
  // A stream as the runtime's headers number it: 3 begins when all else of the parent has ended. Returns a
  // cudaError_t.
  virtual int launch(uint64_t arguments, uint64_t stream) = 0;
  // Where the text of an error code is in memory that kernels read.
  virtual uint64_t error_text(int error, bool is_name) = 0;
  virtual int device_count() const = 0;
  virtual void set_conditional(uint64_t handle, uint32_t value) = 0;
  // cudaGetLastError of a thread, which forgets it, and cudaPeekAtLastError, which does not.
  virtual int last_error(uint64_t block, uint32_t thread, bool forget) = 0;
};

}  // namespace ridge::machine

// Moves the bytes of bulk copies: between a box of a tensor and shared memory with its swizzle, and
// element by element for reductions. All checks were made when the copy was issued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/machine/copy_engine/tensor_box.h"

namespace ridge::machine {

// `window`: a block's shared memory; `base`: offset of the box in it.
void load_box(const TensorBox& box, std::byte* window, uint32_t base);
// Copies the box in shared memory to unswizzled order.
void unswizzle_box(const TensorBox& box, const std::byte* window, uint32_t base, std::byte* plain);
// Copies the elements inside the tensor from unswizzled order to memory.
void store_box(const TensorBox& box, const std::byte* plain);

struct Reduction {
  AtomicOperation operation = AtomicOperation::add;
  AtomicType type = AtomicType::u32;
};
// False when the copy engine does not support this reduction.
bool is_reduction(const Reduction& reduction);
// destination[i] = destination[i] op source[i]; `is_global`: other host threads may update the same
// elements.
void reduce_bytes(const Reduction& reduction, std::byte* destination, const std::byte* source, uint64_t bytes,
                  bool is_global);
void reduce_box(const Reduction& reduction, const TensorBox& box, const std::byte* plain);

using Runs = std::vector<BulkAccess::Run>;
// The byte ranges of the box in global memory (those inside the tensor) and in shared memory (all);
// adjacent ranges are merged.
void add_global_runs(const TensorBox& box, Runs& runs);
void add_shared_runs(const TensorBox& box, uint32_t base, Runs& runs);

}  // namespace ridge::machine

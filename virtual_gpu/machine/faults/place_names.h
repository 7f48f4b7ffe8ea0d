// Names a piece of memory in a message: the array, the element, and the origin of the array.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {

// For example "tile[37] (element 37 of the __shared__ array `tile` of 4096 bytes)"; `address` as in
// Access.
std::string name_place(const Program& program, const LaunchConfig& config, const DeviceMemory& memory,
                       MemorySpace space, uint64_t address, uint32_t bytes);
// Adds to a cause what it takes to name a place in shared memory as the source does: the text of
// name_place(), the array, where that begins, and the place itself.
void add_shared_place(FaultCause& cause, const Program& program, uint64_t offset, std::string text);
// The __shared__ array that contains an offset, or nullptr.
const SharedArray* shared_array_at(const Program& program, uint64_t offset);
// A __shared__ array of the kernel and its offset in a block's window. 0 bytes: as much as the
// launch provides.
struct SharedSymbol {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};
std::vector<SharedSymbol> shared_symbols(const Program& program);
// The array that an instruction of the kernel refers to, however far outside it the address is: the
// target of the only pointer parameter from which the address is computed.
struct AccessedArray {
  int parameter = -1;
  Allocation array;
};
std::optional<AccessedArray> accessed_array(const Program& program, const LaunchConfig& config,
                                            const DeviceMemory& memory, uint32_t instruction);
// The index of the kernel parameter that points into [begin, begin + bytes), or -1.
int parameter_pointing_into(const Program& program, const LaunchConfig& config, uint64_t begin,
                            uint64_t bytes);

}  // namespace ridge::machine

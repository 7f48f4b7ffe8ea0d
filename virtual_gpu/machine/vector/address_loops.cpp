// Chooses the loops for the instruction set that the lane operations were chosen for.
#include "virtual_gpu/machine/vector/address_loops.h"

#include "virtual_gpu/machine/lanes/lane_op.h"

namespace ridge::machine {

#if defined(__x86_64__)
extern const AddressLoops address_loops_v2, address_loops_v3, address_loops_v4;

const AddressLoops& address_loops() {
  static const AddressLoops& chosen = lane_instruction_set() == "x86-64-v4"   ? address_loops_v4
                                      : lane_instruction_set() == "x86-64-v3" ? address_loops_v3
                                                                              : address_loops_v2;
  return chosen;
}
#else
extern const AddressLoops address_loops_plain;
const AddressLoops& address_loops() {
  return address_loops_plain;
}
#endif

}  // namespace ridge::machine

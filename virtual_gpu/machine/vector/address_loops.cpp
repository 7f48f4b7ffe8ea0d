// Chooses the loops for the instruction set that the lane operations were chosen for.
#include "virtual_gpu/machine/vector/address_loops.h"

#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/vector/known_access.h"

namespace ridge::machine {

#if defined(__x86_64__)
extern const AddressLoops address_loops_v2, address_loops_v3, address_loops_v4;
extern const KnownAccessLoops known_access_v2, known_access_v3, known_access_v4;

namespace {
template <class Loops>
const Loops& chosen(const Loops& v2, const Loops& v3, const Loops& v4) {
  return lane_instruction_set() == "x86-64-v4" ? v4 : lane_instruction_set() == "x86-64-v3" ? v3 : v2;
}
}  // namespace

const AddressLoops& address_loops() {
  static const AddressLoops& loops = chosen(address_loops_v2, address_loops_v3, address_loops_v4);
  return loops;
}
const KnownAccessLoops& known_access_loops() {
  static const KnownAccessLoops& loops = chosen(known_access_v2, known_access_v3, known_access_v4);
  return loops;
}
#else
extern const AddressLoops address_loops_plain;
extern const KnownAccessLoops known_access_plain;
const AddressLoops& address_loops() {
  return address_loops_plain;
}
const KnownAccessLoops& known_access_loops() {
  return known_access_plain;
}
#endif

}  // namespace ridge::machine

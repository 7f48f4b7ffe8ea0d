// Chooses the loops for the instruction set that the lane operations were chosen for.
#include "virtual_gpu/machine/vector/address_loops.h"

#include "virtual_gpu/machine/lanes/built_sets.h"
#include "virtual_gpu/machine/vector/known_access.h"

namespace ridge::machine {

#if defined(__x86_64__)
RIDGE_IF_BUILT_V2 extern const AddressLoops address_loops_v2;
RIDGE_IF_BUILT_V3 extern const AddressLoops address_loops_v3;
RIDGE_IF_BUILT_V4 extern const AddressLoops address_loops_v4;
RIDGE_IF_BUILT_V2 extern const KnownAccessLoops known_access_v2;
RIDGE_IF_BUILT_V3 extern const KnownAccessLoops known_access_v3;
RIDGE_IF_BUILT_V4 extern const KnownAccessLoops known_access_v4;

const AddressLoops& address_loops() {
  static const AddressLoops& loops = loops_in_use(address_loops_v2, address_loops_v3, address_loops_v4);
  return loops;
}
const KnownAccessLoops& known_access_loops() {
  static const KnownAccessLoops& loops = loops_in_use(known_access_v2, known_access_v3, known_access_v4);
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

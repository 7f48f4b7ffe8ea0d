// Selects the loops for the instruction set of the lane operations.
#include "virtual_gpu/machine/vector/address_loops.h"

#include "virtual_gpu/machine/lanes/built_sets.h"
#include "virtual_gpu/machine/vector/access_cache.h"

namespace ridge::machine {

#if defined(__x86_64__)
RIDGE_IF_BUILT_V2 extern const AddressLoops address_loops_v2;
RIDGE_IF_BUILT_V3 extern const AddressLoops address_loops_v3;
RIDGE_IF_BUILT_V4 extern const AddressLoops address_loops_v4;
RIDGE_IF_BUILT_V2 extern const CachedAccessLoops cached_access_v2;
RIDGE_IF_BUILT_V3 extern const CachedAccessLoops cached_access_v3;
RIDGE_IF_BUILT_V4 extern const CachedAccessLoops cached_access_v4;

const AddressLoops& address_loops() {
  static const AddressLoops& loops = loops_in_use(address_loops_v2, address_loops_v3, address_loops_v4);
  return loops;
}
const CachedAccessLoops& cached_access_loops() {
  static const CachedAccessLoops& loops = loops_in_use(cached_access_v2, cached_access_v3, cached_access_v4);
  return loops;
}
#else
extern const AddressLoops address_loops_plain;
extern const CachedAccessLoops cached_access_plain;
const AddressLoops& address_loops() {
  return address_loops_plain;
}
const CachedAccessLoops& cached_access_loops() {
  return cached_access_plain;
}
#endif

}  // namespace ridge::machine

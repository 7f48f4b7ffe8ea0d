// Selects the loops for the instruction set of the lane operations.
#include "virtual_gpu/machine/matrix/tile_loops.h"

#include "virtual_gpu/machine/lanes/built_sets.h"

namespace ridge::machine {

#if defined(__x86_64__)
RIDGE_IF_BUILT_V2 extern const TileLoops tile_loops_v2;
RIDGE_IF_BUILT_V3 extern const TileLoops tile_loops_v3;
RIDGE_IF_BUILT_V4 extern const TileLoops tile_loops_v4;

const TileLoops& tile_loops() {
  static const TileLoops& loops = loops_in_use(tile_loops_v2, tile_loops_v3, tile_loops_v4);
  return loops;
}
#else
extern const TileLoops tile_loops_plain;
const TileLoops& tile_loops() {
  return tile_loops_plain;
}
#endif

}  // namespace ridge::machine

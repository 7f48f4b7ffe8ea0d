// Chooses the loops for the instruction set that the lane operations were chosen for.
#include "virtual_gpu/machine/matrix/tile_loops.h"

#include "virtual_gpu/machine/lanes/lane_op.h"

namespace ridge::machine {

#if defined(__x86_64__)
extern const TileLoops tile_loops_v2, tile_loops_v3, tile_loops_v4;

const TileLoops& tile_loops() {
  static const TileLoops& chosen = lane_instruction_set() == "x86-64-v4"   ? tile_loops_v4
                                   : lane_instruction_set() == "x86-64-v3" ? tile_loops_v3
                                                                           : tile_loops_v2;
  return chosen;
}
#else
extern const TileLoops tile_loops_plain;
const TileLoops& tile_loops() {
  return tile_loops_plain;
}
#endif

}  // namespace ridge::machine

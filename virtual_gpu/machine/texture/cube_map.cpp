#include "virtual_gpu/machine/texture/cube_map.h"

#include <cmath>

namespace ridge::machine {

CubePlace place_on_cube(const std::array<float, 3>& direction) {
  const auto [x, y, z] = direction;
  const float along_x = std::abs(x), along_y = std::abs(y), along_z = std::abs(z);
  CubePlace place;
  float s = 0, t = 0, magnitude = 0;
  if (along_x >= along_y && along_x >= along_z) {
    place.face = x >= 0 ? 0 : 1;
    magnitude = along_x, s = x >= 0 ? -z : z, t = -y;
  } else if (along_y >= along_z) {
    place.face = y >= 0 ? 2 : 3;
    magnitude = along_y, s = x, t = y >= 0 ? z : -z;
  } else {
    place.face = z >= 0 ? 4 : 5;
    magnitude = along_z, s = z >= 0 ? x : -x, t = -y;
  }
  if (magnitude == 0) return place;  // no direction
  place.s = (s / magnitude + 1) / 2;
  place.t = (t / magnitude + 1) / 2;
  return place;
}

}  // namespace ridge::machine

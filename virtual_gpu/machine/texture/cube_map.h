// Cube maps: which of six faces a direction meets, and where.
#pragma once

#include <array>
#include <cstdint>

namespace ridge::machine {

inline constexpr uint32_t kCubeFaces = 6;

// A place on a face, in coordinates from 0 to 1.
struct CubePlace {
  uint32_t face = 0;
  float s = 0, t = 0;
};

// CUDA C++ Programming Guide, "Cubemap Textures": the coordinate of the largest magnitude chooses the face. Where
// two are equal, which the guide leaves open, the earlier of x, y and z counts.
CubePlace place_on_cube(const std::array<float, 3>& direction);

}  // namespace ridge::machine

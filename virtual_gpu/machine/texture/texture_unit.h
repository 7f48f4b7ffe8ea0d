// Texture and surface instructions of a warp.
#pragma once

#include <array>
#include <optional>

#include "virtual_gpu/machine/memory/access_caches.h"
#include "virtual_gpu/machine/memory/address_spaces.h"

namespace ridge::machine {

struct Texture;

class TextureUnit {
 public:
  TextureUnit(ExecutionContext& context, AddressSpaces& spaces, AccessCaches& caches)
      : context_(context), spaces_(spaces), caches_(caches) {}

  void texture(const MicroOp& op, uint32_t mask);

 private:
  const Texture& texture_of(const TextureOp& op, int lane) const;
  void read_texture(const TextureOp& op, int lane);
  void access_surface(const TextureOp& op, int lane);
  void observe_texture(const TextureOp& op, uint32_t mask);
  // What a lane's fetch asks for; of a cube map the place on a face, which is then a layer.
  struct FetchPlace {
    std::array<float, 3> at{};
    std::array<int64_t, 3> whole{};  // without float coordinates
    int dimensions = 0;
    uint32_t layer = 0;
  };
  FetchPlace fetch_place(const TextureOp& op, const Texture& texture, int lane) const;
  std::optional<uint64_t> texel_of(const TextureOp& op, int lane) const;

  ExecutionContext& context_;
  AddressSpaces& spaces_;
  AccessCaches& caches_;
};

}  // namespace ridge::machine

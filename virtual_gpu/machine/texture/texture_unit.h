// Texture and surface instructions of a warp.
#pragma once

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
  std::optional<uint64_t> texel_of(const TextureOp& op, int lane) const;

  ExecutionContext& context_;
  AddressSpaces& spaces_;
  AccessCaches& caches_;
};

}  // namespace ridge::machine

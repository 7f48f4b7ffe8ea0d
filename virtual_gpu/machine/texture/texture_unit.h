// Texture and surface instructions of a warp.
#pragma once

#include "virtual_gpu/machine/memory/address_spaces.h"

namespace ridge::machine {

struct Texture;

class TextureUnit {
 public:
  TextureUnit(ExecutionContext& context, AddressSpaces& spaces)
      : context_(context), spaces_(spaces) {}

  void texture(const MicroOp& op, uint32_t mask);

 private:
  const Texture& texture_of(const TextureOp& op, int lane) const;
  void read_texture(const TextureOp& op, int lane);
  void access_surface(const TextureOp& op, int lane);

  ExecutionContext& context_;
  AddressSpaces& spaces_;
};

}  // namespace ridge::machine

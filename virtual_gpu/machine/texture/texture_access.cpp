// Texture and surface instructions, lane by lane.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/texture/cube_map.h"
#include "virtual_gpu/machine/texture/texture.h"
#include "virtual_gpu/machine/texture/texture_unit.h"

namespace ridge::machine {
namespace {

constexpr const char* kTextureAdvice =
    "create the object with cudaCreateTextureObject or cudaCreateSurfaceObject, and destroy it, and free "
    "what it reads, "
    "only when the kernel has ended";

}  // namespace

// The object of a lane's handle; a fault when there is none, or when its memory was freed.
const Texture& TextureUnit::texture_of(const TextureOp& op, int lane) const {
  const uint64_t handle = context_.row<uint64_t>(op.handle)[lane];
  const Texture* texture = context_.launch.config.textures == nullptr
                               ? nullptr
                               : context_.launch.config.textures->find(handle);
  const char* name =
      op.kind == TextureOpKind::load_surface || op.kind == TextureOpKind::store_surface ? "surface"
                                                                                        : "texture";
  if (texture == nullptr) {
    context_.fault(
        Fault::Kind::out_of_bounds, context_.culprit(lane),
        fmt::format("Out of bounds: \x01 uses the {} object {:#x}, which does not exist (any more)",
                    name, handle),
        kTextureAdvice);
  }
  if (spaces_.reachable_range(texture->memory.address).end == 0) {
    context_.fault(
        Fault::Kind::out_of_bounds, context_.culprit(lane),
        fmt::format(
            "Out of bounds: \x01 uses the {} object {:#x}, whose memory was freed or belongs to "
            "another device",
            name, handle),
        kTextureAdvice);
  }
  return *texture;
}

void TextureUnit::texture(const MicroOp& op, uint32_t mask) {
  const TextureOp& texture = context_.program.textures[op.detail];
  const bool on_surface =
      texture.kind == TextureOpKind::load_surface || texture.kind == TextureOpKind::store_surface;
  if (context_.observer != nullptr && texture.kind != TextureOpKind::query)
    observe_texture(texture, mask);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (on_surface)
      access_surface(texture, lane);
    else
      read_texture(texture, lane);
  }
  if (texture.kind == TextureOpKind::store_surface) context_.made_progress = true;
}

// The first byte of global memory that a lane's fetch or surface access touches; nullopt: outside.
std::optional<uint64_t> TextureUnit::texel_of(const TextureOp& op, int lane) const {
  const Texture& texture = texture_of(op, lane);
  if (op.kind == TextureOpKind::load_surface || op.kind == TextureOpKind::store_surface) {
    const TexelMemory& memory = texture.memory;
    std::array<uint64_t, 3> at{};
    for (size_t d = 0; d < op.dimensions; ++d)
      at[d] = static_cast<uint64_t>(int64_t{context_.row<int32_t>(op.coordinates[d])[lane]});
    if (op.is_layered) at[2] = context_.row<uint32_t>(op.layer)[lane];
    if (at[0] >= memory.width * memory.format.texel_bytes() || at[1] >= memory.height ||
        at[2] >= memory.depth)
      return std::nullopt;
    return memory.address + at[2] * memory.slice_bytes + at[1] * memory.pitch_bytes + at[0];
  }
  const FetchPlace place = fetch_place(op, texture, lane);
  return op.float_coordinates
             ? sampled_address(texture, place.at, place.dimensions, place.layer)
             : fetched_address(texture, place.whole, place.dimensions, place.layer);
}

TextureUnit::FetchPlace TextureUnit::fetch_place(const TextureOp& op, const Texture& texture,
                                                 int lane) const {
  FetchPlace place;
  place.dimensions = op.dimensions;
  place.layer = op.is_layered ? context_.row<uint32_t>(op.layer)[lane] : 0;
  for (size_t d = 0; d < op.dimensions; ++d) {
    if (op.float_coordinates)
      place.at[d] = context_.row<float>(op.coordinates[d])[lane];
    else
      place.whole[d] = context_.row<int32_t>(op.coordinates[d])[lane];
  }
  if (!op.is_cube) return place;
  const CubePlace on_face = place_on_cube(place.at);
  const TexelMemory& memory = texture.memory;
  const auto size = texture.normalized_coordinates ? 1.0F : static_cast<float>(memory.width);
  place.at = {on_face.s * size, on_face.t * size, 0};
  place.dimensions = 2;
  const uint64_t cubes = std::max<uint64_t>(memory.depth / kCubeFaces, 1);
  place.layer =
      static_cast<uint32_t>(std::min<uint64_t>(place.layer, cubes - 1)) * kCubeFaces + on_face.face;
  return place;
}

// Observers see a fetch as a load from global memory, one texel per lane: for a filtered fetch the
// central texel.
void TextureUnit::observe_texture(const TextureOp& op, uint32_t mask) {
  Addresses addresses;
  uint32_t inside = 0, bytes = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::optional<uint64_t> address = texel_of(op, lane);
    addresses.lanes[lane] = address.value_or(0);
    if (!address) continue;
    inside |= 1u << lane;
    bytes = texture_of(op, lane).memory.format.texel_bytes();
  }
  if (inside == 0) return;
  const bool is_store = op.kind == TextureOpKind::store_surface;
  if (is_store || op.kind == TextureOpKind::load_surface)
    bytes = uint32_t{op.element_bytes} * op.count;
  context_.loops.summarize64(addresses.lanes, 0, inside, addresses.summary, addresses.lanes);
  caches_.observe(is_store ? AccessKind::store : AccessKind::load, MemorySpace::global, addresses,
                  inside, bytes, context_.pc);
}

void TextureUnit::read_texture(const TextureOp& op, int lane) {
  const Texture& texture = texture_of(op, lane);
  if (op.kind == TextureOpKind::query) {
    const TexelMemory& memory = texture.memory;
    const uint64_t extents[] = {memory.width, memory.height, memory.depth};
    if (op.values[0] != kNoRow)
      context_.row<uint32_t>(op.values[0])[lane] = static_cast<uint32_t>(extents[op.component]);
    return;
  }
  const FetchPlace place = fetch_place(op, texture, lane);
  Texel texel;
  if (op.kind == TextureOpKind::gather)
    texel = gather(texture, place.at, op.component, place.layer);
  else if (op.float_coordinates)
    texel = sample(texture, place.at, place.dimensions, place.layer);
  else
    texel = fetch(texture, place.whole, place.dimensions, place.layer);
  for (size_t i = 0; i < 4; ++i) {
    if (op.values[i] != kNoRow) context_.row<uint32_t>(op.values[i])[lane] = texel[i];
  }
}

// x is in bytes, y and z in texels.
void TextureUnit::access_surface(const TextureOp& op, int lane) {
  const TexelMemory& memory = texture_of(op, lane).memory;
  const int64_t bytes = int64_t{op.element_bytes} * op.count;
  const int64_t row_bytes = static_cast<int64_t>(memory.width * memory.format.texel_bytes());
  std::array<int64_t, 3> at{}, limits{row_bytes - bytes, static_cast<int64_t>(memory.height) - 1,
                                      static_cast<int64_t>(memory.depth) - 1};
  for (size_t d = 0; d < op.dimensions; ++d)
    at[d] = context_.row<int32_t>(op.coordinates[d])[lane];
  if (op.is_layered) at[2] = context_.row<int32_t>(op.layer)[lane];
  bool outside = false;
  for (size_t d = 0; d < 3; ++d) {
    if (at[d] >= 0 && at[d] <= limits[d]) continue;
    outside = true;
    at[d] = at[d] < 0 || limits[d] < 0 ? 0 : limits[d];
  }
  if (outside && op.boundary == SurfaceBoundary::trap) {
    context_.fault(
        Fault::Kind::out_of_bounds, context_.culprit(lane),
        fmt::format(
            "Out of bounds: \x01 is outside a surface of {} bytes by {} by {}; it asks for {} "
            "bytes at x = {} "
            "(in bytes), y = {}, z = {}",
            row_bytes, memory.height, memory.depth, bytes,
            context_.row<int32_t>(op.coordinates[0])[lane],
            op.dimensions > 1 ? context_.row<int32_t>(op.coordinates[1])[lane] : 0,
            op.dimensions > 2 ? context_.row<int32_t>(op.coordinates[2])[lane] : 0),
        "x is given in bytes (multiply the index by sizeof the element); or use cudaBoundaryModeClamp or "
        "cudaBoundaryModeZero");
  }
  const bool is_load = op.kind == TextureOpKind::load_surface;
  const bool nothing = outside && op.boundary == SurfaceBoundary::zero;
  auto* place = reinterpret_cast<std::byte*>(
      memory.address + static_cast<uint64_t>(at[2]) * memory.slice_bytes +
      static_cast<uint64_t>(at[1]) * memory.pitch_bytes + static_cast<uint64_t>(at[0]));
  if (!is_load && !nothing)
    context_.launch.memory.record_written(reinterpret_cast<uint64_t>(place),
                                          static_cast<uint64_t>(bytes));
  for (size_t i = 0; i < op.count; ++i, place += op.element_bytes) {
    if (op.values[i] == kNoRow) continue;
    const size_t register_bytes = op.element_bytes == 8 ? 8 : 4;
    std::byte* value =
        context_.registers + op.values[i] + static_cast<size_t>(lane) * register_bytes;
    if (is_load) {
      std::memset(value, 0, register_bytes);
      if (!nothing) std::memcpy(value, place, op.element_bytes);
    } else if (!nothing) {
      std::memcpy(place, value, op.element_bytes);
    }
  }
}

}  // namespace ridge::machine

#include "virtual_gpu/machine/texture/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "virtual_gpu/machine/memory/half_float.h"

namespace ridge::machine {
namespace {

constexpr int64_t kOutside = -1;

uint32_t bits_of(float value) {
  return std::bit_cast<uint32_t>(value);
}

// One channel as the fetch returns it: float bits if the texture returns floats.
uint32_t read_channel(const std::byte* from, const TexelFormat& format, bool normalized) {
  uint32_t raw = 0;
  std::memcpy(&raw, from, format.bits / 8);
  if (format.kind == ChannelKind::floating)
    return format.bits == 16 ? bits_of(half_to_float(static_cast<uint16_t>(raw))) : raw;
  const int unused = 32 - format.bits;
  if (format.kind == ChannelKind::unsigned_integer) {
    if (!normalized) return raw;
    return bits_of(static_cast<float>(raw) / static_cast<float>((uint64_t{1} << format.bits) - 1));
  }
  const int32_t value = static_cast<int32_t>(raw << unused) >> unused;
  if (!normalized) return static_cast<uint32_t>(value);
  const auto largest = static_cast<float>((int64_t{1} << (format.bits - 1)) - 1);
  return bits_of(std::max(static_cast<float>(value) / largest, -1.0f));
}

bool returns_floats(const Texture& texture) {
  return texture.memory.format.kind == ChannelKind::floating || texture.normalized_values;
}

Texel read_texel(const Texture& texture, int64_t x, int64_t y, int64_t z) {
  const TexelMemory& memory = texture.memory;
  const bool floats = returns_floats(texture);
  Texel texel{0, 0, 0, floats ? bits_of(1.0f) : 1u};  // defaults for channels that the format lacks
  if (x == kOutside || y == kOutside || z == kOutside) {
    if (texture.is_linear_memory) return {};
    for (size_t i = 0; i < 4; ++i)
      texel[i] = floats ? bits_of(texture.border[i])
                        : static_cast<uint32_t>(static_cast<int64_t>(texture.border[i]));
    return texel;
  }
  const uint64_t offset = static_cast<uint64_t>(z) * memory.slice_bytes +
                          static_cast<uint64_t>(y) * memory.pitch_bytes +
                          static_cast<uint64_t>(x) * memory.format.texel_bytes();
  const auto* from = reinterpret_cast<const std::byte*>(memory.address + offset);
  for (size_t i = 0; i < memory.format.channels; ++i)
    texel[i] = read_channel(from + i * memory.format.bits / 8, memory.format, texture.normalized_values);
  return texel;
}

uint64_t extent(const TexelMemory& memory, int dimension) {
  return dimension == 0 ? memory.width : dimension == 1 ? memory.height : memory.depth;
}

// Wrapping requires normalised coordinates; without them it is clamping.
AddressMode mode_of(const Texture& texture, int dimension) {
  const AddressMode mode = texture.address_modes[static_cast<size_t>(dimension)];
  const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return repeats && !texture.normalized_coordinates ? AddressMode::clamp : mode;
}

// The texel for index `i`, which may be outside.
int64_t place(int64_t i, int64_t size, AddressMode mode) {
  if (i >= 0 && i < size) return i;
  switch (mode) {
    case AddressMode::border:
      return kOutside;
    case AddressMode::clamp:
      return std::clamp<int64_t>(i, 0, size - 1);
    case AddressMode::wrap:
      return (i % size + size) % size;
    case AddressMode::mirror: {
      const int64_t in_period = (i % (2 * size) + 2 * size) % (2 * size);
      return in_period < size ? in_period : 2 * size - 1 - in_period;
    }
  }
  return kOutside;
}

// A coordinate in texels, clamped to avoid overflow.
double in_texels(const Texture& texture, float coordinate, int dimension) {
  if (std::isnan(coordinate)) return 0;
  const auto size = static_cast<double>(extent(texture.memory, dimension));
  const double texels = texture.normalized_coordinates ? double{coordinate} * size : double{coordinate};
  return std::clamp(texels, -0x1p40, 0x1p40);
}

uint32_t kept_layer(const Texture& texture, uint32_t layer) {
  if (!texture.memory.is_layered) return 0;
  return static_cast<uint32_t>(std::min<uint64_t>(layer, texture.memory.depth - 1));
}

using Place = std::array<int64_t, 3>;  // x, y, z of a texel; kOutside when it is outside

Place place_of(const Texture& texture, const std::array<float, 3>& coordinates, int dimensions,
               uint32_t layer) {
  Place at{0, 0, layer};
  for (int d = 0; d < dimensions; ++d) {
    const auto texel =
        static_cast<int64_t>(std::floor(in_texels(texture, coordinates[static_cast<size_t>(d)], d)));
    at[static_cast<size_t>(d)] =
        place(texel, static_cast<int64_t>(extent(texture.memory, d)), mode_of(texture, d));
  }
  return at;
}

Place place_of(const Texture& texture, const std::array<int64_t, 3>& coordinates, int dimensions,
               uint32_t layer) {
  Place at{0, 0, layer};
  for (int d = 0; d < dimensions; ++d) {
    const int64_t i = coordinates[static_cast<size_t>(d)];
    const auto size = static_cast<int64_t>(extent(texture.memory, d));
    at[static_cast<size_t>(d)] =
        place(i, size, texture.is_linear_memory ? AddressMode::border : mode_of(texture, d));
  }
  return at;
}

std::optional<uint64_t> address_of(const TexelMemory& memory, const Place& at) {
  if (at[0] == kOutside || at[1] == kOutside || at[2] == kOutside) return std::nullopt;
  return memory.address + static_cast<uint64_t>(at[2]) * memory.slice_bytes +
         static_cast<uint64_t>(at[1]) * memory.pitch_bytes +
         static_cast<uint64_t>(at[0]) * memory.format.texel_bytes();
}

// Linear filtering in one dimension: two texels and the weight of the second, in 256ths.
struct Between {
  int64_t first = 0, second = 0;
  int weight = 0;
};

constexpr int kWhole = 256;

Between between(const Texture& texture, float coordinate, int dimension) {
  const double position = in_texels(texture, coordinate, dimension) - 0.5;
  const double below = std::floor(position);
  const auto size = static_cast<int64_t>(extent(texture.memory, dimension));
  const AddressMode mode = mode_of(texture, dimension);
  const auto i = static_cast<int64_t>(below);
  // The hardware stores weights in 9 bits, with 8 fraction bits.
  return {place(i, size, mode), place(i + 1, size, mode),
          static_cast<int>(std::nearbyint((position - below) * kWhole))};
}

// The weights of the four texels of a square, by x + 2 y. An H100 rounds one product to 8 fraction
// bits, up in the middle; the others follow, because a row and a column keep their sums.
std::array<int, 4> square_weights(int x, int y) {
  const int both = (x * y + kWhole / 2) / kWhole;
  return {kWhole - x - y + both, x - both, y - both, both};
}

// The weight of a corner of a cube, exact: an H100 rounds it too, by a rule that is not known.
double cube_weight(const std::array<Between, 3>& axes, unsigned corner) {
  double weight = 1;
  for (unsigned d = 0; d < 3; ++d)
    weight *= (corner >> d & 1 ? axes[d].weight : kWhole - axes[d].weight) / double{kWhole};
  return weight;
}

// An H100 filters integers that are read as fractions in these units (sums of signed bytes differ by
// up to one). 0: other formats.
float units_of(const TexelFormat& format) {
  if (format.kind == ChannelKind::floating) return 0;
  return format.kind == ChannelKind::signed_integer ? 0x7fff : 0xffff;
}

// A sum of halves is rounded to a half, and one of integers to a unit, both up in the middle.
float rounded_sum(double sum, const TexelFormat& format) {
  if (const float units = units_of(format); units != 0)
    return static_cast<float>(std::floor(sum + 0.5)) / units;
  if (format.bits == 32 || sum == 0 || !std::isfinite(sum)) return static_cast<float>(sum);
  constexpr int kHalfBits = 11, kSmallest = -24;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(sum) + 1 - kHalfBits, kSmallest));
  return static_cast<float>(std::floor(sum / unit + 0.5) * unit);
}

// An H200 filters one-dimensional textures as two-dimensional ones: the row is halfway to the next
// in y, which only has an effect if the address mode of y is border.
Texel filter(const Texture& texture, const std::array<float, 3>& coordinates, int dimensions,
             uint32_t layer) {
  if (dimensions == 1 && mode_of(texture, 1) == AddressMode::border) dimensions = 2;
  std::array<Between, 3> axes{};
  const auto count = static_cast<size_t>(std::clamp(dimensions, 1, 3));
  for (size_t d = 0; d < count; ++d)
    axes[d] = between(texture, coordinates[d], static_cast<int>(d));
  const std::array<int, 4> square = square_weights(axes[0].weight, axes[1].weight);
  const float units = units_of(texture.memory.format);
  std::array<double, 4> sums{};
  for (unsigned corner = 0; corner < 1u << count; ++corner) {
    std::array<int64_t, 3> at{0, 0, layer};
    for (size_t d = 0; d < count; ++d)
      at[d] = corner >> d & 1 ? axes[d].second : axes[d].first;
    const double weight =
        count == 3 ? cube_weight(axes, corner) : square[corner & 3] / double{kWhole};
    if (weight == 0) continue;
    const Texel texel = read_texel(texture, at[0], at[1], at[2]);
    for (size_t i = 0; i < 4; ++i) {
      const float value = std::bit_cast<float>(texel[i]);
      sums[i] += weight * double{units != 0 ? std::nearbyint(value * units) : value};
    }
  }
  Texel result;
  for (size_t i = 0; i < 4; ++i)
    result[i] = bits_of(rounded_sum(sums[i], texture.memory.format));
  return result;
}

}  // namespace

Texel sample(const Texture& texture, const std::array<float, 3>& coordinates, int dimensions,
             uint32_t layer) {
  layer = kept_layer(texture, layer);
  if (texture.filters_linearly && returns_floats(texture))
    return filter(texture, coordinates, dimensions, layer);
  const Place at = place_of(texture, coordinates, dimensions, layer);
  return read_texel(texture, at[0], at[1], at[2]);
}

Texel fetch(const Texture& texture, const std::array<int64_t, 3>& coordinates, int dimensions,
            uint32_t layer) {
  const Place at = place_of(texture, coordinates, dimensions, kept_layer(texture, layer));
  return read_texel(texture, at[0], at[1], at[2]);
}

std::optional<uint64_t> sampled_address(const Texture& texture, const std::array<float, 3>& coordinates,
                                        int dimensions, uint32_t layer) {
  return address_of(texture.memory, place_of(texture, coordinates, dimensions, kept_layer(texture, layer)));
}

std::optional<uint64_t> fetched_address(const Texture& texture, const std::array<int64_t, 3>& coordinates,
                                        int dimensions, uint32_t layer) {
  return address_of(texture.memory, place_of(texture, coordinates, dimensions, kept_layer(texture, layer)));
}

Texel gather(const Texture& texture, const std::array<float, 3>& coordinates, int component, uint32_t layer) {
  const Between x = between(texture, coordinates[0], 0), y = between(texture, coordinates[1], 1);
  const auto z = static_cast<int64_t>(kept_layer(texture, layer));
  const auto c = static_cast<size_t>(component);
  return {read_texel(texture, x.first, y.second, z)[c], read_texel(texture, x.second, y.second, z)[c],
          read_texel(texture, x.second, y.first, z)[c], read_texel(texture, x.first, y.first, z)[c]};
}

uint64_t TextureTable::add(const Texture& texture) {
  const std::lock_guard lock(mutex_);
  for (uint64_t tried = 0; tried < kSlots; ++tried) {
    const uint64_t slot = next_++ % kSlots;
    if (slots_[slot].load() != nullptr) continue;
    kept_.push_back(texture);
    slots_[slot].store(&kept_.back(), std::memory_order_release);
    return slot + kFirstHandle;
  }
  return 0;
}

bool TextureTable::remove(uint64_t handle) {
  const std::lock_guard lock(mutex_);
  return handle >= kFirstHandle && handle < kFirstHandle + kSlots &&
         slots_[handle - kFirstHandle].exchange(nullptr) != nullptr;
}

const Texture* TextureTable::find(uint64_t handle) const {
  if (handle < kFirstHandle || handle >= kFirstHandle + kSlots) return nullptr;
  return slots_[handle - kFirstHandle].load(std::memory_order_acquire);
}

}  // namespace ridge::machine

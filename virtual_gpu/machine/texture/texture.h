// Textures and surfaces: memory reads with a description that scales coordinates, handles
// out-of-range ones, converts and filters. Formulas: CUDA C++ Programming Guide, appendix "Texture
// Fetching"; PTX ISA, "Texture Instructions".
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace ridge::machine {

enum class ChannelKind : uint8_t { signed_integer, unsigned_integer, floating };

struct TexelFormat {
  uint8_t channels = 1;  // 1, 2, 4
  uint8_t bits = 32;     // per channel: 8, 16, 32
  ChannelKind kind = ChannelKind::floating;
  uint32_t texel_bytes() const { return uint32_t{channels} * bits / 8; }
};

// Texels in memory: rows of `width`, `height` rows per plane, `depth` planes or layers. Missing
// dimensions are 1.
struct TexelMemory {
  uint64_t address = 0;
  uint64_t width = 1, height = 1, depth = 1;
  uint64_t pitch_bytes = 0, slice_bytes = 0;
  TexelFormat format;
  bool is_layered = false;
};

enum class AddressMode : uint8_t { wrap, clamp, mirror, border };

struct Texture {
  TexelMemory memory;
  std::array<AddressMode, 3> address_modes{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool filters_linearly = false;
  bool normalized_coordinates = false;  // 0 to 1 instead of 0 to the width
  bool normalized_values = false;       // integers are read as 0 to 1 or -1 to 1
  bool is_linear_memory = false;        // tex1Dfetch: values past the end are 0
  std::array<float, 4> border{};
};

// The result of a fetch: float bits, or integers extended to 32 bits.
using Texel = std::array<uint32_t, 4>;

// One fetch. `coordinates` are x, y, z up to `dimensions`; `layer` is clamped.
Texel sample(const Texture& texture, const std::array<float, 3>& coordinates, int dimensions, uint32_t layer);
// By texel index, without filtering. Outside: the border colour, or 0 in linear memory.
Texel fetch(const Texture& texture, const std::array<int64_t, 3>& coordinates, int dimensions,
            uint32_t layer);
// The address of the texel that such a fetch reads; for a filtered fetch that of the texel at the
// coordinates. nullopt: outside the image.
std::optional<uint64_t> sampled_address(const Texture& texture, const std::array<float, 3>& coordinates,
                                        int dimensions, uint32_t layer);
std::optional<uint64_t> fetched_address(const Texture& texture, const std::array<int64_t, 3>& coordinates,
                                        int dimensions, uint32_t layer);
// tld4: one component of the four texels of linear filtering, counter-clockwise from the lower
// left.
Texel gather(const Texture& texture, const std::array<float, 3>& coordinates, int component, uint32_t layer);

// Objects by handle. Lookups take no lock; destroyed objects are kept as long as the table, for
// kernels that still use them.
class TextureTable {
 public:
  // Returns the handle: never 0, except when there are too many. For surfaces only the memory is
  // used.
  uint64_t add(const Texture& texture);
  bool remove(uint64_t handle);
  const Texture* find(uint64_t handle) const;

 private:
  static constexpr uint64_t kFirstHandle = 1, kSlots = 1 << 16;
  std::unique_ptr<std::atomic<const Texture*>[]> slots_ =
      std::make_unique<std::atomic<const Texture*>[]>(kSlots);
  std::mutex mutex_;
  std::deque<Texture> kept_;
  uint64_t next_ = 0;
};

}  // namespace ridge::machine

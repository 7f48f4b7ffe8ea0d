#include "virtual_gpu/machine/texture/texture.h"

#include <bit>
#include <limits>
#include <vector>

#include "tests/catch.h"

using namespace ridge::machine;

namespace {

// A row of floats as a texture.
struct FloatRow {
  std::vector<float> texels;
  Texture texture;

  explicit FloatRow(std::vector<float> values) : texels(std::move(values)) {
    texture.memory.address = reinterpret_cast<uint64_t>(texels.data());
    texture.memory.width = texels.size();
    texture.memory.pitch_bytes = texture.memory.slice_bytes = texels.size() * sizeof(float);
  }
  float at(float x) const { return std::bit_cast<float>(sample(texture, {x, 0, 0}, 1, 0)[0]); }
};

}  // namespace

TEST_CASE("linear filtering uses weights with 8 fraction bits") {
  FloatRow row({0, 256});
  row.texture.filters_linearly = true;
  struct Case {
    float x, expected;
  };
  // Halfway between two weights no value is asked for: how the hardware rounds there is not documented.
  const Case own = GENERATE(values<Case>({{0.5f, 0},
                                          {0.5f + 1 / 256.0f, 1},
                                          {0.5f + 1.2f / 256, 1},
                                          {0.5f + 0.2f / 256, 0},
                                          {0.5f + 0.8f / 256, 1},
                                          {1.0f, 128},
                                          {1.5f - 0.2f / 256, 256},
                                          {7, 256},
                                          {-7, 0}}));
  CAPTURE(own.x);
  CHECK(row.at(own.x) == own.expected);
}

TEST_CASE("a coordinate that is no number reads the first texel, one that is far away the last") {
  FloatRow row({3, 4, 5});
  CHECK(row.at(std::numeric_limits<float>::quiet_NaN()) == 3);
  CHECK(row.at(std::numeric_limits<float>::infinity()) == 5);
  CHECK(row.at(-std::numeric_limits<float>::infinity()) == 3);
  row.texture.normalized_coordinates = true;
  row.texture.address_modes[0] = AddressMode::wrap;
  CHECK(row.at(1e30f) == row.at(1e30f));
}

TEST_CASE("wrapping without normalised coordinates clamps") {
  FloatRow row({3, 4, 5});
  row.texture.address_modes[0] = AddressMode::wrap;
  CHECK(row.at(3.5f) == 5);
  row.texture.normalized_coordinates = true;
  CHECK(row.at(3.5f / 3) == 3);
}

TEST_CASE("halves and signed bytes become floats") {
  const uint16_t halves[] = {0x3c00, 0xc000};  // 1, -2
  Texture texture;
  texture.memory.format = {1, 16, ChannelKind::floating};
  texture.memory.address = reinterpret_cast<uint64_t>(halves);
  texture.memory.width = 2;
  CHECK(std::bit_cast<float>(fetch(texture, {1, 0, 0}, 1, 0)[0]) == -2.0f);
  const int8_t bytes[] = {-128, -127, 127, 0};
  texture.memory.format = {1, 8, ChannelKind::signed_integer};
  texture.memory.address = reinterpret_cast<uint64_t>(bytes);
  texture.memory.width = 4;
  CHECK(static_cast<int32_t>(fetch(texture, {0, 0, 0}, 1, 0)[0]) == -128);
  texture.normalized_values = true;
  CHECK(std::bit_cast<float>(fetch(texture, {0, 0, 0}, 1, 0)[0]) == -1.0f);
  CHECK(std::bit_cast<float>(fetch(texture, {2, 0, 0}, 1, 0)[0]) == 1.0f);
}

TEST_CASE("a handle names a texture until it is removed") {
  TextureTable table;
  Texture texture;
  texture.memory.width = 7;
  const uint64_t first = table.add(texture), second = table.add(texture);
  CHECK(first != 0);
  CHECK(first != second);
  REQUIRE(table.find(first) != nullptr);
  CHECK(table.find(first)->memory.width == 7);
  CHECK(table.remove(first));
  CHECK(table.find(first) == nullptr);
  CHECK_FALSE(table.remove(first));
  CHECK(table.find(0) == nullptr);
  CHECK(table.find(~0ull) == nullptr);
  CHECK(table.find(second) != nullptr);
}

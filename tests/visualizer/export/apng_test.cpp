// The file is taken apart by the letters of the specification, and its pictures are read by stb, which did
// not write the chunks around them.
#include "visualizer/export/apng.h"

#include <stb_image.h>

#include <cstring>
#include <string>

#include "tests/catch.h"
#include "visualizer/export/png.h"

using namespace ridge::view;

namespace {

constexpr Color kBlue{0, 114, 178, 255}, kOrange{213, 94, 0, 255};

struct Chunk {
  std::string type;
  std::vector<uint8_t> data;
  uint32_t number(size_t at) const {
    return static_cast<uint32_t>(data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3]);
  }
  uint32_t half(size_t at) const { return static_cast<uint32_t>(data[at] << 8 | data[at + 1]); }
};

// Bit by bit, as the specification's definition has it; not by a table as the writer does.
uint32_t checksum(const std::string& type, const std::vector<uint8_t>& data) {
  uint32_t sum = 0xffffffffu;
  const auto take = [&](uint8_t byte) {
    for (int bit = 0; bit < 8; ++bit, byte = static_cast<uint8_t>(byte >> 1))
      sum = ((sum ^ byte) & 1) != 0 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
  };
  for (const char letter : type)
    take(static_cast<uint8_t>(letter));
  for (const uint8_t byte : data)
    take(byte);
  return ~sum;
}

std::vector<Chunk> chunks_of(const std::vector<uint8_t>& file) {
  REQUIRE(file.size() > 8);
  CHECK(std::memcmp(file.data(), "\x89PNG\r\n\x1a\n", 8) == 0);
  std::vector<Chunk> chunks;
  for (size_t at = 8; at < file.size();) {
    REQUIRE(at + 12 <= file.size());
    Chunk head{"",
               {file.begin() + static_cast<ptrdiff_t>(at), file.begin() + static_cast<ptrdiff_t>(at + 4)}};
    const uint32_t size = head.number(0);
    REQUIRE(at + 12 + size <= file.size());
    const auto data = file.begin() + static_cast<ptrdiff_t>(at + 8);
    Chunk chunk{std::string(data - 4, data), {data, data + size}};
    const Chunk sum{"", {data + size, data + size + 4}};
    CHECK(sum.number(0) == checksum(chunk.type, chunk.data));
    chunks.push_back(std::move(chunk));
    at += 12 + size;
  }
  return chunks;
}

std::vector<Color> filled(int width, int height, Color color) {
  return std::vector<Color>(static_cast<size_t>(width) * static_cast<size_t>(height), color);
}

}  // namespace

TEST_CASE("an animation keeps what changed, how long each picture stays, and numbers them without a gap") {
  Animation animation(6, 4);
  auto picture = filled(6, 4, kBlue);
  animation.add(picture, 800);
  animation.add(picture, 80);  // the same: longer
  picture[1 * 6 + 2] = kOrange;
  picture[2 * 6 + 4] = kOrange;
  animation.add(picture, 80);
  animation.add(filled(6, 4, kOrange), 1200);
  CHECK(animation.pictures() == 3);
  const auto chunks = chunks_of(animation.bytes());
  std::string order;
  for (const Chunk& chunk : chunks)
    order += chunk.type + " ";
  CHECK(order == "IHDR acTL fcTL IDAT fcTL fdAT fcTL fdAT IEND ");
  CHECK(chunks[0].number(0) == 6);
  CHECK(chunks[0].number(4) == 4);
  CHECK(chunks[1].number(0) == 3);
  CHECK(chunks[1].number(4) == 0);
  struct Row {
    size_t chunk;
    uint32_t sequence, width, height, x, y, milliseconds;
  };
  for (const Row& row :
       {Row{2, 0, 6, 4, 0, 0, 880}, Row{4, 1, 3, 2, 2, 1, 80}, Row{6, 3, 6, 4, 0, 0, 1200}}) {
    const Chunk& control = chunks[row.chunk];
    CAPTURE(row.chunk);
    REQUIRE(control.data.size() == 26);
    CHECK(control.number(0) == row.sequence);
    CHECK(control.number(4) == row.width);
    CHECK(control.number(8) == row.height);
    CHECK(control.number(12) == row.x);
    CHECK(control.number(16) == row.y);
    CHECK(control.half(20) == row.milliseconds);
    CHECK(control.half(22) == 1000);
    CHECK(control.half(24) == 1);  // keep what was there, lie over it
  }
  CHECK(chunks[5].number(0) == 2);
  CHECK(chunks[7].number(0) == 4);
}

TEST_CASE("a reader without APNG support sees the first picture") {
  Animation animation(3, 2);
  animation.add(filled(3, 2, kBlue), 100);
  animation.add(filled(3, 2, kOrange), 100);
  auto file = animation.bytes();
  const auto pixels_of = [](const std::vector<uint8_t>& bytes) {
    int width = 0, height = 0, channels = 0;
    uint8_t* pixels =
        stbi_load_from_memory(bytes.data(), static_cast<int>(bytes.size()), &width, &height, &channels, 3);
    REQUIRE(pixels != nullptr);
    std::vector<uint8_t> all(pixels, pixels + 3 * width * height);
    stbi_image_free(pixels);
    REQUIRE(all.size() == 18);
    return all;
  };
  const auto first = pixels_of(file);
  CHECK(std::vector<uint8_t>(first.begin(), first.begin() + 3) == std::vector<uint8_t>{0, 114, 178});
  // The second one's rows in a PNG of their own.
  const auto chunks = chunks_of(file);
  const auto& rows = chunks[5];
  REQUIRE(rows.type == "fdAT");
  auto other = png_bytes(3, 2, filled(3, 2, kOrange), PngPixels::with_alpha);
  const auto expected = chunks_of(other);
  const auto idat =
      std::find_if(expected.begin(), expected.end(), [](const Chunk& c) { return c.type == "IDAT"; });
  CHECK(std::vector<uint8_t>(rows.data.begin() + 4, rows.data.end()) == idat->data);
  CHECK(pixels_of(other)[0] == 213);
}

TEST_CASE("an animation without a picture, or with one of another size, is refused") {
  CHECK_THROWS_AS(Animation(2, 2).bytes(), std::logic_error);
  Animation animation(2, 2);
  CHECK_THROWS_AS(animation.add(filled(3, 2, kBlue), 10), std::logic_error);
}

#include "visualizer/export/apng.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "visualizer/export/png.h"

namespace ridge::view {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kSignatureBytes = 8;
constexpr int kMostMilliseconds = 65535;  // a frame's delay has 16 bits

void put(Bytes& out, uint64_t value, int bytes) {  // highest byte first
  while (bytes-- > 0)
    out.push_back(static_cast<uint8_t>(value >> (8 * bytes)));
}

// PNG specification (third edition), annex D: CRC-32 of a chunk's type and data.
uint32_t checksum(std::span<const uint8_t> bytes) {
  static const auto table = [] {
    std::array<uint32_t, 256> made;
    for (uint32_t n = 0; n < 256; ++n) {
      made[n] = n;
      for (int bit = 0; bit < 8; ++bit)
        made[n] = made[n] & 1 ? 0xedb88320u ^ made[n] >> 1 : made[n] >> 1;
    }
    return made;
  }();
  uint32_t sum = 0xffffffffu;
  for (const uint8_t byte : bytes)
    sum = table[(sum ^ byte) & 0xff] ^ sum >> 8;
  return ~sum;
}

void put_chunk(Bytes& out, std::string_view type, std::span<const uint8_t> data) {
  put(out, data.size(), 4);
  const size_t begin = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  put(out, checksum(std::span(out).subspan(begin)), 4);
}

// The concatenated data of all chunks of one type in a PNG file.
Bytes chunks_of(const Bytes& png, std::string_view type) {
  Bytes found;
  for (size_t at = kSignatureBytes; at + 12 <= png.size();) {
    const uint32_t size =
        static_cast<uint32_t>(png[at] << 24 | png[at + 1] << 16 | png[at + 2] << 8 | png[at + 3]);
    const auto data = png.begin() + static_cast<ptrdiff_t>(at + 8);
    if (std::equal(type.begin(), type.end(), png.begin() + static_cast<ptrdiff_t>(at + 4)))
      found.insert(found.end(), data, data + size);
    at += 12 + size;
  }
  return found;
}

}  // namespace

void Animation::add(std::span<const Color> pixels, int milliseconds) {
  if (pixels.size() != static_cast<size_t>(width_) * static_cast<size_t>(height_))
    throw std::logic_error("a picture of another size than its animation's");
  int left = 0, top = 0, right = width_, bottom = height_;
  if (!last_.empty()) {
    left = width_, top = height_, right = bottom = 0;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const size_t at = static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
        if (pixels[at] == last_[at]) continue;
        left = std::min(left, x), right = std::max(right, x + 1);
        top = std::min(top, y), bottom = std::max(bottom, y + 1);
      }
    if (left >= right) {
      frames_.back().milliseconds = std::min(kMostMilliseconds, frames_.back().milliseconds + milliseconds);
      return;
    }
  }
  // Unchanged pixels are transparent and show the previous picture: they take almost no space.
  std::vector<Color> part;
  for (int y = top; y < bottom; ++y)
    for (int x = left; x < right; ++x) {
      const size_t at = static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
      part.push_back(!last_.empty() && pixels[at] == last_[at] ? Color{0, 0, 0, 0} : pixels[at]);
    }
  frames_.push_back({left, top, right - left, bottom - top, milliseconds,
                     chunks_of(png_bytes(right - left, bottom - top, part, PngPixels::with_alpha), "IDAT")});
  last_.assign(pixels.begin(), pixels.end());
}

// APNG: https://www.w3.org/TR/png-3/#apng-frame-based-animation. fcTL has the position and duration
// of a picture; the first picture's rows are the PNG's own (IDAT), those of the others follow in
// fdAT.
Bytes Animation::bytes() const {
  if (frames_.empty()) throw std::logic_error("an animation without a picture");
  const Bytes first = png_bytes(1, 1, std::vector<Color>(1), PngPixels::with_alpha);
  Bytes out(first.begin(), first.begin() + kSignatureBytes), data;
  put(data, static_cast<uint64_t>(width_), 4);
  put(data, static_cast<uint64_t>(height_), 4);
  const Bytes head = chunks_of(first, "IHDR");
  data.insert(data.end(), head.begin() + 8, head.end());  // depth and colours as in png_bytes
  put_chunk(out, "IHDR", data);
  data.clear();
  put(data, frames_.size(), 4);
  put(data, 0, 4);  // loops forever
  put_chunk(out, "acTL", data);
  uint32_t sequence = 0;
  for (const Frame& frame : frames_) {
    data.clear();
    put(data, sequence++, 4);
    for (const int number : {frame.width, frame.height, frame.x, frame.y})
      put(data, static_cast<uint64_t>(number), 4);
    put(data, static_cast<uint64_t>(frame.milliseconds), 2);
    put(data, 1000, 2);
    put(data, 0, 1);  // keep the previous picture
    put(data, 1, 1);  // and draw the new pixels over it
    put_chunk(out, "fcTL", data);
    if (&frame == &frames_.front()) {
      put_chunk(out, "IDAT", frame.data);
      continue;
    }
    data.clear();
    put(data, sequence++, 4);
    data.insert(data.end(), frame.data.begin(), frame.data.end());
    put_chunk(out, "fdAT", data);
  }
  put_chunk(out, "IEND", {});
  return out;
}

void Animation::write(const std::filesystem::path& file) const {
  const Bytes all = bytes();
  write_text(file, {reinterpret_cast<const char*>(all.data()), all.size()});
}

}  // namespace ridge::view

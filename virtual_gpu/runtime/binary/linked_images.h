// The image that cuLinkComplete returns: the PTX texts and fat binaries that were added, one after
// the other. They are linked when the image is loaded (ptx_link.h), so that the sources of all lines
// stay known.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::runtime {

inline constexpr uint32_t kLinkedImages = 0x4b4e494c;  // "LINK"

// Layout: magic, count (32 bits each), then per image its length (64 bits) and its bytes. Every
// image begins at a multiple of 8 bytes.
inline std::string pack_images(const std::vector<std::string>& images) {
  std::string packed;
  const auto put = [&](const void* data, size_t bytes) {
    packed.append(static_cast<const char*>(data), bytes);
    packed.append((8 - packed.size() % 8) % 8, '\0');
  };
  const uint32_t header[] = {kLinkedImages, static_cast<uint32_t>(images.size())};
  put(header, sizeof header);
  for (const std::string& image : images) {
    const uint64_t bytes = image.size() + 1;  // the text's end
    put(&bytes, sizeof bytes);
    put(image.c_str(), bytes);
  }
  return packed;
}

// The beginnings of the images in `data`, which pack_images() made.
inline std::vector<const void*> unpack_images(const void* data) {
  const char* at = static_cast<const char*>(data);
  uint32_t header[2];
  std::memcpy(header, at, sizeof header);
  at += sizeof header;
  std::vector<const void*> images;
  for (uint32_t i = 0; i < header[1]; ++i) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    images.push_back(at + sizeof bytes);
    at += sizeof bytes + (bytes + 7) / 8 * 8;
  }
  return images;
}

}  // namespace ridge::runtime

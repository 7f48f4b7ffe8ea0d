// Writes ustar headers and blocks.
#include "leaderboard/classes/tar.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

namespace ridge::leaderboard {

namespace {

constexpr size_t kBlockBytes = 512;

bool stays_inside(const std::string& name) {
  if (name.empty() || name.size() > 99 || name[0] == '/' || name.find('\\') != name.npos)
    return false;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const std::string part = name.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return true;
}

std::string header_of(const TarFile& file) {
  std::string header(kBlockBytes, '\0');
  const auto put = [&](size_t at, const std::string& text) {
    std::memcpy(header.data() + at, text.data(), text.size());
  };
  put(0, file.name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", file.bytes.size()));
  put(136, fmt::format("{:011o}", file.at_ms / 1000));
  put(148, "        ");
  put(156, "0");
  put(257, std::string("ustar\0"
                       "00",
                       8));
  unsigned sum = 0;
  for (const unsigned char byte : header)
    sum += byte;
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header;
}

}  // namespace

std::string tar_of(const std::vector<TarFile>& files) {
  std::string archive;
  for (const TarFile& file : files) {
    if (!stays_inside(file.name))
      throw std::invalid_argument(fmt::format("the archive refuses the name \"{}\"", file.name));
    archive += header_of(file) + file.bytes;
    archive.append((kBlockBytes - file.bytes.size() % kBlockBytes) % kBlockBytes, '\0');
  }
  archive.append(2 * kBlockBytes, '\0');
  return archive;
}

}  // namespace ridge::leaderboard

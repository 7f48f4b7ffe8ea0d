#include "virtual_gpu/runtime/binary/fatbin.h"

#include <fmt/format.h>

#include <cstring>

#include "virtual_gpu/runtime/binary/decompress.h"

namespace ridge::runtime {
namespace {

constexpr uint32_t kContainerMagic = 0xBA55ED50;
constexpr uint32_t kWrapperMagic = 0x466243B1;
constexpr size_t kContainerHeaderBytes = 16;
constexpr size_t kSmallestEntryHeaderBytes = 64;

constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000, kFlagArchSpecific = 0x100000,
                   kFlagFamilySpecific = 0x200000;

struct Wrapper {
  uint32_t magic;
  uint32_t version;
  const void* data;
  const void* const* objects;  // version 2: terminated by nullptr
};

template <typename T>
T read_at(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

ImageKind image_kind(uint16_t kind) {
  switch (kind) {
    case 1:
      return ImageKind::ptx;
    case 2:
      return ImageKind::elf;
    case 8:
      return ImageKind::lto_ir;
    default:
      return ImageKind::other;
  }
}

// Reads the entry at the beginning of `bytes`; `entry_bytes` is the distance to the next one.
FatbinEntry read_entry(std::span<const std::byte> bytes, size_t at, size_t& entry_bytes) {
  if (bytes.size() < kSmallestEntryHeaderBytes) {
    throw FatbinError(
        fmt::format("the fat binary ends inside the header of the entry at byte {}: {} of {} bytes are there",
                    at, bytes.size(), kSmallestEntryHeaderBytes));
  }
  uint32_t header_bytes = read_at<uint32_t>(bytes, 0x04);
  uint64_t payload_bytes = read_at<uint64_t>(bytes, 0x08);
  if (header_bytes < kSmallestEntryHeaderBytes || header_bytes > bytes.size()) {
    throw FatbinError(fmt::format("the entry at byte {} has a header of {} bytes; {} to {} are possible", at,
                                  header_bytes, kSmallestEntryHeaderBytes, bytes.size()));
  }
  if (payload_bytes > bytes.size() - header_bytes) {
    throw FatbinError(fmt::format("the entry at byte {} holds {} bytes, but only {} follow its header", at,
                                  payload_bytes, bytes.size() - header_bytes));
  }
  entry_bytes = header_bytes + payload_bytes;

  FatbinEntry entry;
  uint64_t flags = read_at<uint64_t>(bytes, 0x28);
  entry.kind = image_kind(read_at<uint16_t>(bytes, 0x00));
  entry.arch = read_at<uint32_t>(bytes, 0x1c);
  entry.arch_specific = (flags & kFlagArchSpecific) != 0;
  entry.family_specific = (flags & kFlagFamilySpecific) != 0;
  entry.packing = (flags & kFlagZstd) ? Packing::zstd : (flags & kFlagLz4) ? Packing::lz4 : Packing::plain;
  entry.payload = bytes.subspan(header_bytes, payload_bytes);
  if (entry.packing == Packing::plain) {
    entry.uncompressed_bytes = payload_bytes;
    return entry;
  }
  entry.uncompressed_bytes = read_at<uint64_t>(bytes, 0x38);
  uint32_t compressed_bytes = read_at<uint32_t>(bytes, 0x10);
  if (compressed_bytes > payload_bytes) {
    throw FatbinError(fmt::format("the entry at byte {} has {} compressed bytes in a payload of {}", at,
                                  compressed_bytes, payload_bytes));
  }
  entry.payload = entry.payload.first(compressed_bytes);
  return entry;
}

// 'a' code runs only on its own compute capability, 'f' code within its family, plain code on
// everything newer.
bool runs_on(const FatbinEntry& entry, uint32_t device_arch) {
  if (entry.arch_specific) return entry.arch == device_arch;
  if (entry.family_specific) return entry.arch / 10 == device_arch / 10 && entry.arch <= device_arch;
  return entry.arch <= device_arch;
}

template <typename Accept>
const FatbinEntry* best(std::span<const FatbinEntry> entries, Accept accept) {
  auto rank = [](const FatbinEntry& e) {
    return e.arch * 4 + (e.arch_specific ? 2 : 0) + (e.family_specific ? 1 : 0);
  };
  const FatbinEntry* found = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (accept(entry) && (!found || rank(entry) > rank(*found))) found = &entry;
  }
  return found;
}

}  // namespace

std::string FatbinEntry::arch_name() const {
  return fmt::format("{}{}", arch, arch_specific ? "a" : family_specific ? "f" : "");
}

std::string FatbinEntry::text() const {
  std::string result;
  switch (packing) {
    case Packing::plain:
      result.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
      break;
    case Packing::lz4:
      result = decompress_lz4(payload, uncompressed_bytes);
      break;
    case Packing::zstd:
      result = decompress_zstd(payload, uncompressed_bytes);
      break;
  }
  if (kind == ImageKind::ptx) result.resize(std::strlen(result.c_str()));  // padded with zero bytes
  return result;
}

std::vector<FatbinEntry> read_fatbin(std::span<const std::byte> container) {
  if (container.size() < kContainerHeaderBytes) {
    throw FatbinError(fmt::format("a fat binary begins with {} bytes of header; {} are there",
                                  kContainerHeaderBytes, container.size()));
  }
  uint32_t magic = read_at<uint32_t>(container, 0);
  if (magic != kContainerMagic) {
    throw FatbinError(
        fmt::format("this is not a fat binary: it begins with {:#010x} where {:#010x} is expected", magic,
                    kContainerMagic));
  }
  uint16_t version = read_at<uint16_t>(container, 4);
  uint16_t header_bytes = read_at<uint16_t>(container, 6);
  uint64_t body_bytes = read_at<uint64_t>(container, 8);
  if (version != 1 || header_bytes < kContainerHeaderBytes || header_bytes > container.size()) {
    throw FatbinError(
        fmt::format("the fat binary has version {} and a header of {} bytes; this reader knows version 1 "
                    "with 16: build the program with CUDA 13",
                    version, header_bytes));
  }
  if (body_bytes > container.size() - header_bytes) {
    throw FatbinError(fmt::format("the fat binary says that {} bytes follow its header, but {} are there",
                                  body_bytes, container.size() - header_bytes));
  }
  std::vector<FatbinEntry> entries;
  std::span<const std::byte> rest = container.subspan(header_bytes, body_bytes);
  size_t at = header_bytes;
  while (!rest.empty()) {
    size_t entry_bytes = 0;
    entries.push_back(read_entry(rest, at, entry_bytes));
    rest = rest.subspan(entry_bytes);
    at += entry_bytes;
  }
  return entries;
}

std::span<const std::byte> container_at(const void* data) {
  if (!data) throw FatbinError("the program registered a fat binary without data");
  std::span<const std::byte> header(static_cast<const std::byte*>(data), kContainerHeaderBytes);
  uint32_t magic = read_at<uint32_t>(header, 0);
  if (magic != kContainerMagic) {
    throw FatbinError(
        fmt::format("the program registered a fat binary that begins with {:#010x} where {:#010x} is "
                    "expected: it was built by a compiler we do not know",
                    magic, kContainerMagic));
  }
  return {header.data(), read_at<uint16_t>(header, 6) + static_cast<size_t>(read_at<uint64_t>(header, 8))};
}

const FatbinEntry* best_ptx(std::span<const FatbinEntry> entries, uint32_t device_arch) {
  return best(entries,
              [&](const FatbinEntry& e) { return e.kind == ImageKind::ptx && runs_on(e, device_arch); });
}

const FatbinEntry* best_cubin(std::span<const FatbinEntry> entries, uint32_t device_arch) {
  return best(entries,
              [&](const FatbinEntry& e) { return e.kind == ImageKind::elf && e.arch == device_arch; });
}

std::string describe(std::span<const FatbinEntry> entries) {
  std::string text;
  for (const FatbinEntry& entry : entries) {
    if (!text.empty()) text += ", ";
    switch (entry.kind) {
      case ImageKind::ptx:
        text += fmt::format("PTX for compute_{}", entry.arch_name());
        break;
      case ImageKind::elf:
        text += fmt::format("machine code for sm_{}", entry.arch_name());
        break;
      case ImageKind::lto_ir:
        text += fmt::format("link-time code for lto_{}", entry.arch_name());
        break;
      case ImageKind::other:
        text += "an image of unknown kind";
        break;
    }
  }
  return text.empty() ? "nothing" : text;
}

WrappedFatbins read_wrapper(const void* wrapper_address) {
  if (!wrapper_address) throw FatbinError("the program registered no fat binary (null pointer)");
  Wrapper wrapper;
  std::memcpy(&wrapper, wrapper_address, sizeof wrapper);
  if (wrapper.magic != kWrapperMagic || wrapper.version < 1 || wrapper.version > 2) {
    throw FatbinError(fmt::format(
        "the program registered a fat binary wrapper {:#010x} version {}; {:#010x} with version 1 "
        "or 2 is expected: build the program with CUDA 13",
        wrapper.magic, wrapper.version, kWrapperMagic));
  }
  WrappedFatbins result;
  result.entries = read_fatbin(container_at(wrapper.data));
  if (wrapper.version == 2 && wrapper.objects) {
    for (const void* const* object = wrapper.objects; *object; ++object) {
      result.objects.push_back(read_fatbin(container_at(*object)));
    }
  }
  return result;
}

}  // namespace ridge::runtime

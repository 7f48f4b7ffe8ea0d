#include "harness/build/clang/fat_binary.h"

#include <cstdint>
#include <cstring>

namespace ridge::build {
namespace {

constexpr uint32_t kContainerMagic = 0xBA55ED50;
constexpr uint16_t kKindPtx = 1, kEntryVersion = 0x101;
constexpr uint64_t kFlag64Bit = 1, kFlagLinux = 0x10, kFlagArchitectureSpecific = 0x100000;

struct ContainerHeader {
  uint32_t magic = kContainerMagic;
  uint16_t version = 1, header_bytes = sizeof(ContainerHeader);
  uint64_t bytes = 0;  // of what follows
};
static_assert(sizeof(ContainerHeader) == 16);

struct EntryHeader {
  uint16_t kind = kKindPtx, version = kEntryVersion;
  uint32_t header_bytes = sizeof(EntryHeader);
  uint64_t payload_bytes = 0;
  uint32_t compressed_bytes = 0, options_offset = 0;
  uint16_t minor = 0, major = 0;
  uint32_t architecture = 0, name_offset = 0, name_bytes = 0;
  uint64_t flags = kFlag64Bit | kFlagLinux, reserved = 0, uncompressed_bytes = 0;
};
static_assert(sizeof(EntryHeader) == 64);

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::string fat_binary(const std::string& ptx, const std::string& architecture) {
  std::string text = ptx;
  text.resize((ptx.size() + 1 + 7) / 8 * 8);  // ends with a zero; entries begin at multiples of 8
  EntryHeader entry;
  entry.payload_bytes = text.size();
  entry.architecture = static_cast<uint32_t>(std::stoul(architecture));
  if (architecture.ends_with('a')) entry.flags |= kFlagArchitectureSpecific;
  ContainerHeader container;
  container.bytes = sizeof entry + text.size();
  std::string bytes;
  append(bytes, container);
  append(bytes, entry);
  return bytes + text;
}

}  // namespace ridge::build

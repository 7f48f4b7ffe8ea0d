// Reads a fat binary: the container in which nvcc stores PTX texts and cubins for several architectures.
//
//   container  u32 0xBA55ED50, u16 version = 1, u16 header bytes = 16, u64 bytes that follow
//   entry      00 u16 kind        02 u16 0x101
//              04 u32 header bytes (64 ELF, 80 PTX, more with strings)
//              08 u64 payload bytes (padded to 8)
//              10 u32 compressed bytes (exact; 0 = plain)
//              18 u16 minor       1a u16 major            1c u32 arch (90)
//              28 u64 flags                               38 u64 uncompressed bytes
//              the next entry begins at this + header bytes + payload bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ridge::runtime {

// An error in a fat binary or a cubin, with the numbers.
struct FatbinError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class ImageKind : uint8_t { ptx, elf, lto_ir, other };
enum class Packing : uint8_t { plain, lz4, zstd };

// One image in a fat binary. `payload` points into the container; text() unpacks it.
struct FatbinEntry {
  ImageKind kind = ImageKind::other;
  Packing packing = Packing::plain;
  uint32_t arch = 0;             // 90 for sm_90 and compute_90
  bool arch_specific = false;    // 90a
  bool family_specific = false;  // 100f
  uint64_t uncompressed_bytes = 0;
  std::span<const std::byte> payload;  // exact, without padding

  std::string arch_name() const;  // "90a"
  // PTX without its trailing zero bytes, or the bytes of the ELF file. Throws FatbinError.
  std::string text() const;
};

// All entries of one container. Throws FatbinError on damage; never reads outside `container`.
std::vector<FatbinEntry> read_fatbin(std::span<const std::byte> container);
// The container at `data` in a running program's memory; its header has the length. Throws
// FatbinError.
std::span<const std::byte> container_at(const void* data);

// The code that a virtual device of compute capability arch/10.arch%10 executes: the PTX with the
// highest arch that it can run, or nullptr. The cubin is only read for ptxas's decisions
// (registers, stack), so it must match the compute capability exactly.
const FatbinEntry* best_ptx(std::span<const FatbinEntry> entries, uint32_t device_arch);
const FatbinEntry* best_cubin(std::span<const FatbinEntry> entries, uint32_t device_arch);

// "sm_90a cubin, compute_80 PTX": the content, for the message when nothing fits.
std::string describe(std::span<const FatbinEntry> entries);

// The wrapper that __cudaRegisterFatBinary receives: one container, and in a program linked with
// -rdc=true (version 2) also the containers of the object files, whose PTX must be linked. Throws
// FatbinError.
struct WrappedFatbins {
  std::vector<FatbinEntry> entries;
  std::vector<std::vector<FatbinEntry>> objects;  // version 2 only
};
WrappedFatbins read_wrapper(const void* wrapper);

}  // namespace ridge::runtime

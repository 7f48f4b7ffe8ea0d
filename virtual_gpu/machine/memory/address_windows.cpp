#include "virtual_gpu/machine/memory/address_windows.h"

#include <sys/mman.h>

#include <stdexcept>

namespace ridge::machine {
namespace {

AddressWindows reserve() {
  constexpr uint64_t total =
      kSharedWindowBytes + kLocalWindowBytes + kParameterWindowBytes + kFunctionWindowBytes;
  constexpr uint64_t alignment = 1ull << kSharedRankShift;
  void* range =
      mmap(nullptr, total + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    throw std::runtime_error(
        "cannot reserve 1 GB of address space for shared and local memory; raise `ulimit -v`");
  }
  AddressWindows windows{};
  windows.begin = (reinterpret_cast<uint64_t>(range) + alignment - 1) & ~(alignment - 1);
  windows.shared = windows.begin;
  windows.local = windows.shared + kSharedWindowBytes;
  windows.parameter = windows.local + kLocalWindowBytes;
  windows.function = windows.parameter + kParameterWindowBytes;
  windows.end = windows.function + kFunctionWindowBytes;
  return windows;
}

}  // namespace

const AddressWindows& address_windows() {
  static const AddressWindows windows = reserve();
  return windows;
}

}  // namespace ridge::machine

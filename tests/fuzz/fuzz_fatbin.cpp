// Any bytes as a fat binary: its entries, each unpacked, and what looks like a cubin read.
#include "virtual_gpu/runtime/binary/cubin.h"
#include "virtual_gpu/runtime/binary/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ridge::runtime;
  try {
    const auto entries = read_fatbin({reinterpret_cast<const std::byte*>(data), size});
    describe(entries);
    best_ptx(entries, 90);
    best_cubin(entries, 90);
    for (const FatbinEntry& entry : entries) {
      try {
        const std::string text = entry.text();
        if (entry.kind == ImageKind::elf) read_cubin(text);
      } catch (const FatbinError&) {
      }
    }
  } catch (const FatbinError&) {
  }
  return 0;
}

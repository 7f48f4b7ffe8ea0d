// Any bytes as a cubin.
#include <cstddef>

#include "virtual_gpu/runtime/binary/cubin.h"
#include "virtual_gpu/runtime/binary/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    ridge::runtime::read_cubin({reinterpret_cast<const char*>(data), size});
  } catch (const ridge::runtime::FatbinError&) {
  }
  return 0;
}

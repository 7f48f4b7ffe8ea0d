// One program image: the PTX module of a fat binary (or several, linked), with what its cubin says. Read at
// the first use, not when the program starts.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/runtime/binary/cubin.h"

namespace ridge::runtime {

struct Image {
  std::shared_ptr<const ptx::Module> module;
  std::unordered_map<std::string, CubinKernel> cubin_kernels;  // by mangled name; empty without a cubin
  uint32_t ptx_arch = 0;                                       // 90 for compute_90
  uint32_t cubin_arch = 0;                                     // 0: no cubin
};

// Reads what `wrapper` (see __cudaRegisterFatBinary) holds for a device of this arch. Throws LoadError, whose
// message says what was found and which flags give PTX.
Image load_registered(const void* wrapper, uint32_t device_arch);
// The same for cudaLibraryLoadData: a fat binary, its wrapper, or PTX text.
Image load_data(const void* data, uint32_t device_arch);

}  // namespace ridge::runtime

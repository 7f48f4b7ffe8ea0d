// One program image: the PTX module of a fat binary (or several, linked), with the data of its
// cubin. Read at first use, not at program start.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "virtual_gpu/ptx/module.h"
#include "virtual_gpu/runtime/binary/cubin.h"

namespace ridge::runtime {

struct Image {
  // A program's own image that is not linked has no bodies of functions here: Binary::load() reads
  // them when a kernel needs them. The Binary locks the module together with the image.
  std::shared_ptr<ptx::Module> module;
  std::unordered_map<std::string, CubinKernel> cubin_kernels;  // by mangled name; empty without a cubin
  uint32_t ptx_arch = 0;                                       // 90 for compute_90
  uint32_t cubin_arch = 0;                                     // 0: no cubin
};

// Reads the content of `wrapper` (see __cudaRegisterFatBinary) for a device of this arch. Throws
// LoadError, whose message lists what was found and the flags that generate PTX.
Image load_registered(const void* wrapper, uint32_t device_arch);
// The same for cudaLibraryLoadData: a fat binary, its wrapper, or PTX text.
Image load_data(const void* data, uint32_t device_arch);

}  // namespace ridge::runtime

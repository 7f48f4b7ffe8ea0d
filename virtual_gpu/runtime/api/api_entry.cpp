// Entry points of the driver and of libraries loaded at run time, and the remaining functions of
// the interface.
#include <fmt/format.h>

#include <cstring>

#include "virtual_gpu/runtime/driver/driver_functions.h"
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/binary/registry.h"

using namespace ridge::runtime;

namespace {

// Like the driver: a missing function gives a null pointer and a status, not an error.
cudaError_t driver_entry_point(const char* symbol, void** function, unsigned version,
                               cudaDriverEntryPointQueryResult* status) {
  if (!symbol || !*symbol || !function || version > CUDART_VERSION) return cudaErrorInvalidValue;
  const DriverFunction found = driver_function(symbol);
  const bool too_old = found.address != nullptr && version < static_cast<unsigned>(found.since);
  *function = too_old ? nullptr : found.address;
  if (status) {
    *status = found.address == nullptr ? cudaDriverEntryPointSymbolNotFound
              : too_old                ? cudaDriverEntryPointVersionNotSufficent
                                       : cudaDriverEntryPointSuccess;
  }
  if (found.address == nullptr) {
    say(
        fmt::format("the program asks for the driver's {}, which the virtual GPU does not have: it was told "
                    "\"not found\"",
                    symbol));
  } else if (too_old) {
    say(fmt::format("the program asks for the driver's {} of CUDA {}.{}, but CUDA {}.{} was the first to have it", symbol,
                    version / 1000, version % 1000 / 10, found.since / 1000, found.since % 1000 / 10));
  }
  return cudaSuccess;
}

Binary* binary_of(cudaLibrary_t library) {
  auto* binary = reinterpret_cast<Binary*>(library);
  return registry().has(binary) ? binary : nullptr;
}

template <typename Use>
cudaError_t with_library(cudaLibrary_t library, Use use) {
  return call([&] {
    Binary* binary = binary_of(library);
    return binary ? use(*binary) : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* status) {
  return call([&] { return driver_entry_point(symbol, function, CUDART_VERSION, status); });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                             unsigned long long, cudaDriverEntryPointQueryResult* status) {
  return call([&] { return driver_entry_point(symbol, function, version, status); });
}

// Private tables of NVIDIA's libraries: a caller that gets an error works without them.
cudaError_t cudaGetExportTable(const void** table, const cudaUUID_t*) {
  if (table) *table = nullptr;
  return record(cudaErrorNotSupported);
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return call([&] {
    if (!library || !code) return cudaErrorInvalidValue;
    Binary* binary = registry().add(code, load_data);
    try {
      // Read the code now, since the program may free it after this call.
      for (const std::string& name : binary->kernel_names(current_device())) {
        registry().add_kernel(binary, nullptr, name.c_str());
      }
    } catch (...) {
      registry().remove(binary);
      throw;
    }
    *library = reinterpret_cast<cudaLibrary_t>(binary);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return with_library(library, [](Binary& binary) {
    registry().remove(&binary);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return with_library(library, [&](Binary& binary) {
    if (!kernel || !name) return cudaErrorInvalidValue;
    for (const std::string& known : binary.kernel_names(current_device())) {
      if (known != name) continue;
      *kernel = reinterpret_cast<cudaKernel_t>(binary.kernel(known));
      return cudaSuccess;
    }
    return cudaErrorSymbolNotFound;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return with_library(library, [&](Binary& binary) {
    if (!count) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(binary.kernel_names(current_device()).size());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t library) {
  return with_library(library, [&](Binary& binary) {
    if (!kernels) return cudaErrorInvalidValue;
    std::vector<std::string> names = binary.kernel_names(current_device());
    for (unsigned i = 0; i < count && i < names.size(); ++i) {
      kernels[i] = reinterpret_cast<cudaKernel_t>(binary.kernel(names[i]));
    }
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return with_library(library, [&](Binary& binary) {
    if (!name) return cudaErrorInvalidValue;
    Symbol symbol;
    try {
      symbol = binary.symbol(name, current_device());
    } catch (const std::runtime_error&) {
      return cudaErrorSymbolNotFound;
    }
    if (address) *address = reinterpret_cast<void*>(symbol.address);
    if (bytes) *bytes = symbol.bytes;
    return cudaSuccess;
  });
}

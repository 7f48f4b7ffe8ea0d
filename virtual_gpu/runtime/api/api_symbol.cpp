// __device__, __constant__ and __managed__ variables, identified by their host variables.
#include "virtual_gpu/runtime/work/copy.h"
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/binary/registry.h"

using namespace ridge::runtime;

namespace {

cudaError_t find_symbol(const void* host_variable, Symbol& symbol) {
  Variable* variable = registry().find_variable(host_variable);
  if (!variable) return cudaErrorInvalidSymbol;
  symbol = variable->binary->symbol(variable->name, current_device());
  return cudaSuccess;
}

// The address at `offset` in the symbol, which must have `bytes` bytes from there.
cudaError_t place_in_symbol(const void* host_variable, size_t bytes, size_t offset, void*& address) {
  Symbol symbol;
  if (cudaError_t error = find_symbol(host_variable, symbol); error != cudaSuccess) return error;
  if (offset > symbol.bytes || bytes > symbol.bytes - offset) return cudaErrorInvalidValue;
  address = reinterpret_cast<void*>(symbol.address + offset);
  return cudaSuccess;
}

cudaError_t copy_to_symbol(const void* symbol, const void* source, size_t bytes, size_t offset,
                           cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  return call([&] {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
      return cudaErrorInvalidMemcpyDirection;
    }
    void* destination = nullptr;
    cudaError_t error = place_in_symbol(symbol, bytes, offset, destination);
    return error != cudaSuccess ? error : copy_linear(destination, source, bytes, kind, stream, asynchronous);
  });
}

cudaError_t copy_from_symbol(void* destination, const void* symbol, size_t bytes, size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  return call([&] {
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
      return cudaErrorInvalidMemcpyDirection;
    }
    void* source = nullptr;
    cudaError_t error = place_in_symbol(symbol, bytes, offset, source);
    return error != cudaSuccess ? error : copy_linear(destination, source, bytes, kind, stream, asynchronous);
  });
}

}  // namespace

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return call([&] {
    if (!address) return cudaErrorInvalidValue;
    return place_in_symbol(symbol, 0, 0, *address);
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return call([&] {
    if (!bytes) return cudaErrorInvalidValue;
    Symbol found;
    if (cudaError_t error = find_symbol(symbol, found); error != cudaSuccess) return error;
    *bytes = found.bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_to_symbol(symbol, source, bytes, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to_symbol(symbol, source, bytes, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_from_symbol(destination, symbol, bytes, offset, kind, nullptr, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_from_symbol(destination, symbol, bytes, offset, kind, stream, true);
}

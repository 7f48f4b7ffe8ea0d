// The functions that nvcc's generated constructors call before main. They only record addresses;
// nothing is read or parsed, so a program with many kernels starts without delay.
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/binary/registry.h"

using namespace ridge::runtime;

namespace {

Binary* binary_of(void** handle) {
  return reinterpret_cast<Binary*>(handle);
}

}  // namespace

void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(registry().add(wrapper, load_registered));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  finish_work_of_all();
  registry().remove(binary_of(handle));
}

void __cudaRegisterFunction(void** handle, const char* host_stub, char*, const char* device_name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  registry().add_kernel(binary_of(handle), host_stub, device_name);
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, size_t bytes,
                       int, int) {
  registry().add_variable(binary_of(handle), host_variable, device_name, bytes);
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* device_name, int,
                              size_t bytes, int, int) {
  Variable* variable = registry().add_variable(binary_of(handle), host_pointer, device_name, bytes);
  variable->managed_pointer = host_pointer;
  binary_of(handle)->add_managed(variable);
}

void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}
void __cudaRegisterUnifiedTable(void**, void*) {}

// Called before the host first reads or writes a __managed__ variable.
char __cudaInitModule(void** handle) {
  cudaError_t error = call([&] {
    if (registry().has(binary_of(handle))) binary_of(handle)->place_managed_variables(current_device());
    return cudaSuccess;
  });
  return error == cudaSuccess;
}

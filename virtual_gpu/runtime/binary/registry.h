// The data that the program's constructors registered: images, and the host addresses of kernels
// and variables.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/runtime/api/cuda_api.h"
#include "virtual_gpu/runtime/binary/image.h"

namespace ridge::runtime {

struct Device;
class Binary;

// The object behind a cudaKernel_t or a cudaFunction_t.
struct Kernel {
  Binary* binary = nullptr;
  std::string name;  // mangled
  const void* host_stub = nullptr;  // what a program calls the kernel by, if nvcc compiled it
  // Set by cudaFuncSetAttribute.
  int max_dynamic_shared_bytes = -1;  // -1: default, 48 KB including the static part
  int carveout_percent = -1;
  bool allows_big_clusters = false;  // cudaFuncAttributeNonPortableClusterSizeAllowed
  int cluster[3] = {0, 0, 0};        // cudaFuncAttributeRequiredClusterWidth, ...
};

// A __device__, __constant__ or __managed__ variable.
struct Variable {
  Binary* binary = nullptr;
  std::string name;
  uint64_t bytes = 0;
  // Address at which generated code stores the pointer of a __managed__ variable.
  void** managed_pointer = nullptr;
};

struct Symbol {
  uint64_t address = 0, bytes = 0;
};

// A kernel that is ready to run on one device.
struct LoadedKernel {
  std::shared_ptr<const machine::Program> program;
  const machine::KernelInfo* info = nullptr;
  CubinKernel cubin;  // zeros without a cubin
  uint32_t ptx_arch = 0, cubin_arch = 0;
  uint32_t static_shared_bytes() const;
};

// A registered fat binary, or a library loaded by cudaLibraryLoadData.
class Binary {
 public:
  using Loader = Image (*)(const void* data, uint32_t device_arch);
  Binary(const void* data, Loader loader) : data_(data), loader_(loader) {}

  // Decodes on the first call for a device. Throws LoadError, whose message names the kernel.
  LoadedKernel load(const Kernel& kernel, Device& device);
  // Throws LoadError (cudaErrorInvalidSymbol) when the module has no such variable.
  Symbol symbol(const std::string& name, Device& device);
  // Sets the pointers of __managed__ variables.
  void place_managed_variables(Device& device);
  const Image& image(Device& device);
  void release_device(int ordinal);
  // Frees the memory of its variables on every device before the binary is unloaded.
  void free_variables();
  // The kernel by mangled name, created at the first call; nullptr when the image has none
  // (libraries only).
  Kernel* kernel(const std::string& name);
  std::vector<std::string> kernel_names(Device& device);
  void add_managed(Variable* variable) { managed_.push_back(variable); }

 private:
  struct Instance {
    std::unordered_map<std::string, Symbol> symbols;
    std::unordered_map<std::string, LoadedKernel> kernels;
  };
  const Image& image_locked(Device& device);
  Instance& instance_locked(Device& device);
  void allocate_variables(const ptx::Module& module, Instance& instance, Device& device);

  const void* data_;
  Loader loader_;
  std::recursive_mutex mutex_;
  std::unique_ptr<Image> image_;
  std::unordered_map<std::string, bool> reported_;  // failures that were already shown, by message
  std::map<int, Instance> instances_;           // by device
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels_;
  std::vector<Variable*> managed_;
};

class Registry {
 public:
  Binary* add(const void* data, Binary::Loader loader);
  void remove(Binary* binary);
  bool has(const Binary* binary) const;
  void add_kernel(Binary* binary, const void* host_stub, const char* name);
  Variable* add_variable(Binary* binary, const void* host_variable, const char* name, uint64_t bytes);

  // By host stub or by handle; nullptr when it is neither.
  Kernel* find_kernel(const void* stub_or_handle) const;
  Variable* find_variable(const void* host_variable) const;
  // Frees the device's variables and forgets its kernels: the next use loads them again.
  void release_device(int ordinal);

 private:
  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Binary>> binaries_;
  std::unordered_map<const void*, Kernel*> kernels_;  // by stub and by handle
  std::unordered_map<const void*, std::unique_ptr<Variable>> variables_;
};

// Never destroyed, because programs unregister from their own destructors. Touches no device.
Registry& registry();

}  // namespace ridge::runtime

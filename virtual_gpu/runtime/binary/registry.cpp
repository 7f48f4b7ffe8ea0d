#include "virtual_gpu/runtime/binary/registry.h"

#include <algorithm>

namespace ridge::runtime {

Binary* Registry::add(const void* data, Binary::Loader loader) {
  std::unique_lock lock(mutex_);
  binaries_.push_back(std::make_unique<Binary>(data, loader));
  return binaries_.back().get();
}

void Registry::remove(Binary* binary) {
  std::unique_lock lock(mutex_);
  if (std::none_of(binaries_.begin(), binaries_.end(),
                   [&](const auto& own) { return own.get() == binary; })) {
    return;
  }
  binary->free_variables();
  std::erase_if(kernels_, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(binaries_, [&](const auto& own) { return own.get() == binary; });
}

bool Registry::has(const Binary* binary) const {
  std::shared_lock lock(mutex_);
  return std::any_of(binaries_.begin(), binaries_.end(),
                     [&](const auto& own) { return own.get() == binary; });
}

void Registry::add_kernel(Binary* binary, const void* host_stub, const char* name) {
  std::unique_lock lock(mutex_);
  Kernel* kernel = binary->kernel(name);
  if (host_stub) kernels_[host_stub] = kernel;
  if (host_stub) kernel->host_stub = host_stub;
  kernels_[kernel] = kernel;
}

Variable* Registry::add_variable(Binary* binary, const void* host_variable, const char* name,
                                 uint64_t bytes) {
  std::unique_lock lock(mutex_);
  std::unique_ptr<Variable>& variable = variables_[host_variable];
  variable = std::make_unique<Variable>();
  variable->binary = binary;
  variable->name = name;
  variable->bytes = bytes;
  return variable.get();
}

Kernel* Registry::find_kernel(const void* stub_or_handle) const {
  std::shared_lock lock(mutex_);
  auto found = kernels_.find(stub_or_handle);
  return found == kernels_.end() ? nullptr : found->second;
}

Variable* Registry::find_variable(const void* host_variable) const {
  std::shared_lock lock(mutex_);
  auto found = variables_.find(host_variable);
  return found == variables_.end() ? nullptr : found->second.get();
}

void Registry::release_device(int ordinal) {
  std::shared_lock lock(mutex_);
  for (const auto& binary : binaries_)
    binary->release_device(ordinal);
}

Registry& registry() {
  static auto* the_registry = new Registry();
  return *the_registry;
}

}  // namespace ridge::runtime

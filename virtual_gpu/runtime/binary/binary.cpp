// Loads a program's module: translates PTX to code and places variables in device memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "text/demangled.h"
#include "virtual_gpu/ptx/parser.h"
#include "virtual_gpu/runtime/binary/load_error.h"
#include "virtual_gpu/runtime/binary/registry.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/messages.h"

namespace ridge::runtime {
namespace {

uint64_t type_bytes(const ptx::Variable& variable) {
  std::string_view digits = variable.type;
  size_t first = digits.find_first_of("0123456789");
  uint64_t bits = first == std::string_view::npos ? 8 : std::stoull(std::string(digits.substr(first)));
  if (variable.type.ends_with("x2")) bits *= 2;  // f16x2, bf16x2
  return std::max<uint64_t>(bits / 8, 1) * variable.vector_width;
}

bool lives_in_device_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

// "__constant__ weights (256 bytes)": the name of the memory in messages.
std::string origin_of(const ptx::Variable& variable, uint64_t bytes) {
  const char* space = variable.is_managed                      ? "__managed__"
                      : variable.space == ptx::Space::constant ? "__constant__"
                                                               : "__device__";
  return fmt::format("{} {} ({} bytes)", space, text::demangled(variable.name), bytes);
}

// Writes the initial values before the first launch, including addresses of other variables and
// functions.
void fill(const ptx::Variable& variable, const Symbol& symbol, const ptx::Module& module,
          const std::unordered_map<std::string, Symbol>& symbols) {
  auto* memory = reinterpret_cast<std::byte*>(symbol.address);
  std::memset(memory, 0, symbol.bytes);
  std::copy_n(variable.initial.begin(), std::min<uint64_t>(variable.initial.size(), symbol.bytes),
              reinterpret_cast<uint8_t*>(memory));
  for (const auto& relocation : variable.relocations) {
    auto target = symbols.find(relocation.symbol);
    uint64_t address = target != symbols.end() ? target->second.address
                                               : machine::function_address(module, relocation.symbol);
    if (address == 0) {
      throw LoadError(cudaErrorInvalidSource,
                      fmt::format("initialises {} with the address of {}, which it does not define",
                                  text::demangled(variable.name), text::demangled(relocation.symbol)));
    }
    if (relocation.offset + relocation.bytes > symbol.bytes) continue;
    address += static_cast<uint64_t>(relocation.addend);
    std::memcpy(memory + relocation.offset, &address, std::min<uint64_t>(relocation.bytes, sizeof address));
  }
}

bool has_dependent_launches(const ptx::Module& module) {
  return module.ptx_lines.contains("griddepcontrol");
}

}  // namespace

uint32_t LoadedKernel::static_shared_bytes() const {
  return cubin_arch != 0 ? cubin.static_shared_bytes : info->static_shared_bytes;
}

const Image& Binary::image_locked(Device& device) {
  if (image_) return *image_;
  image_ = std::make_unique<Image>(loader_(data_, device.arch()));
  if (process().settings.checks.contains("race") && has_dependent_launches(*image_->module))
    process().work.delay_helpers();
  return *image_;
}

const Image& Binary::image(Device& device) {
  std::lock_guard lock(mutex_);
  return image_locked(device);
}

void Binary::allocate_variables(const ptx::Module& module, Instance& instance, Device& device) {
  for (const ptx::Variable& variable : module.variables) {
    if (!lives_in_device_memory(variable) || variable.is_extern) continue;
    Symbol symbol;
    symbol.bytes = type_bytes(variable) * variable.element_count;
    MemoryKind kind = variable.is_managed ? MemoryKind::managed : MemoryKind::variable;
    if (allocate(device, symbol.bytes, kind, origin_of(variable, symbol.bytes).c_str(), symbol.address) !=
        cudaSuccess) {
      throw LoadError(cudaErrorMemoryAllocation,
                      fmt::format("has a variable {} of {}, for which there is no memory",
                                  text::demangled(variable.name), bytes_text(symbol.bytes)));
    }
    instance.symbols[variable.name] = symbol;
  }
  for (const ptx::Variable& variable : module.variables) {
    auto symbol = instance.symbols.find(variable.name);
    if (symbol != instance.symbols.end() && !variable.is_extern)
      fill(variable, symbol->second, module, instance.symbols);
  }
}

Binary::Instance& Binary::instance_locked(Device& device) {
  auto found = instances_.find(device.ordinal);
  if (found != instances_.end()) return found->second;
  Instance instance;
  allocate_variables(*image_locked(device).module, instance, device);
  return instances_[device.ordinal] = std::move(instance);
}

LoadedKernel Binary::load(const Kernel& kernel, Device& device) {
  std::lock_guard lock(mutex_);
  try {
    Instance& instance = instance_locked(device);
    auto found = instance.kernels.find(kernel.name);
    if (found != instance.kernels.end()) return found->second;
    const Image& image = image_locked(device);
    LoadedKernel loaded;
    const auto address_of = [&](const std::string& name) -> uint64_t {
      auto symbol = instance.symbols.find(name);
      return symbol == instance.symbols.end() ? 0 : symbol->second.address;
    };
    ptx::parse_bodies(*image.module, kernel.name);
    // Only counts of the SASS depend on these operands.
    const machine::DecodeOptions options{.shows_rounded_operands = !process().settings.report_path.empty()};
    loaded.program = machine::decode(image.module, kernel.name, address_of, options);
    loaded.info = &machine::info(*loaded.program);
    loaded.ptx_arch = image.ptx_arch;
    loaded.cubin_arch = image.cubin_arch;
    if (auto cubin = image.cubin_kernels.find(kernel.name); cubin != image.cubin_kernels.end()) {
      loaded.cubin = cubin->second;
    } else {
      loaded.cubin_arch = 0;
    }
    return instance.kernels[kernel.name] = loaded;
  } catch (const LoadError& error) {
    std::string message = fmt::format("the kernel {} {}", text::demangled(kernel.name), error.what());
    throw LoadError(error.code, message, !reported_.emplace(message, true).second);
  } catch (const ptx::ParseError& error) {
    std::string message = fmt::format("the kernel {} has PTX that cannot be read: {}",
                                      text::demangled(kernel.name), error.what());
    throw LoadError(cudaErrorInvalidPtx, message, !reported_.emplace(message, true).second);
  } catch (const machine::DecodeError& error) {
    std::string message =
        fmt::format("the kernel {} cannot be executed: {}", text::demangled(kernel.name), error.what());
    throw LoadError(cudaErrorInvalidPtx, message, !reported_.emplace(message, true).second);
  }
}

Symbol Binary::symbol(const std::string& name, Device& device) {
  std::lock_guard lock(mutex_);
  try {
    Instance& instance = instance_locked(device);
    auto found = instance.symbols.find(name);
    if (found != instance.symbols.end()) return found->second;
  } catch (const LoadError& error) {
    std::string message =
        fmt::format("the program that holds the variable {} {}", text::demangled(name), error.what());
    throw LoadError(error.code, message, !reported_.emplace(message, true).second);
  }
  // ptxas and nvcc remove variables that no kernel uses; NVIDIA's runtime then returns the same
  // error.
  throw LoadError(cudaErrorInvalidSymbol,
                  fmt::format("no kernel uses the variable {}, so it is not in the program", text::demangled(name)),
                  true);
}

void Binary::place_managed_variables(Device& device) {
  std::lock_guard lock(mutex_);
  for (Variable* variable : managed_) {
    *variable->managed_pointer = reinterpret_cast<void*>(symbol(variable->name, device).address);
  }
}

void Binary::release_device(int ordinal) {
  std::lock_guard lock(mutex_);
  instances_.erase(ordinal);
}

void Binary::free_variables() {
  std::lock_guard lock(mutex_);
  for (const auto& [ordinal, instance] : instances_) {
    for (const auto& [name, symbol] : instance.symbols) {
      release(symbol.address, {MemoryKind::variable, MemoryKind::managed});
    }
  }
  instances_.clear();
}

Kernel* Binary::kernel(const std::string& name) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<Kernel>& kernel = kernels_[name];
  if (!kernel) {
    kernel = std::make_unique<Kernel>();
    kernel->binary = this;
    kernel->name = name;
  }
  return kernel.get();
}

std::vector<std::string> Binary::kernel_names(Device& device) {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const ptx::Function& function : image_locked(device).module->functions) {
    if (function.is_entry && !function.is_declaration) names.push_back(function.name);
  }
  return names;
}

}  // namespace ridge::runtime

#include "virtual_gpu/machine/faults/place_names.h"

#include <fmt/format.h>

#include <cstring>

#include "virtual_gpu/machine/program/pointer_roots.h"

namespace ridge::machine {
namespace {

std::string name_shared(const Program& program, const LaunchConfig& config, uint64_t offset, uint32_t bytes) {
  const SharedArray* array = shared_array_at(program, offset);
  if (array == nullptr) return fmt::format("{} bytes at offset {} of shared memory", bytes, offset);
  const uint64_t size = array->bytes != 0
                            ? array->bytes
                            : program.info.static_shared_bytes + config.dynamic_shared_bytes - array->offset;
  const uint64_t inside = offset - array->offset;
  if (inside % bytes != 0) {
    return fmt::format("{} bytes at byte {} of the __shared__ array `{}` ({} bytes)", bytes, inside,
                       array->name, size);
  }
  return fmt::format("element {} of the __shared__ array `{}` ({} bytes, elements of {} counted)",
                     inside / bytes, array->name, size, bytes);
}

}  // namespace

std::vector<SharedSymbol> shared_symbols(const Program& program) {
  std::vector<SharedSymbol> symbols;
  for (const SharedArray& array : program.shared_arrays)
    symbols.push_back({array.name, array.offset, array.bytes});
  return symbols;
}

void add_shared_place(FaultCause& cause, const Program& program, uint64_t offset, std::string text) {
  const SharedArray* const array = shared_array_at(program, offset);
  if (array == nullptr) return;
  cause.values.emplace_back("shared_place", std::move(text));
  cause.values.emplace_back("shared_array", array->name);
  cause.values.emplace_back("shared_begin", std::to_string(array->offset));
  cause.values.emplace_back("shared_offset", std::to_string(offset));
}

const SharedArray* shared_array_at(const Program& program, uint64_t offset) {
  const SharedArray* found = nullptr;
  for (const SharedArray& array : program.shared_arrays) {
    if (array.offset <= offset && (array.bytes == 0 || offset < array.offset + uint64_t{array.bytes}))
      found = &array;
  }
  return found;
}

std::optional<AccessedArray> accessed_array(const Program& program, const LaunchConfig& config,
                                            const DeviceMemory& memory, uint32_t instruction) {
  const uint64_t roots = address_roots(program, instruction);
  if (roots & (PointerRoots::kUnknown | PointerRoots::kVariables)) return std::nullopt;
  std::optional<AccessedArray> found;
  for (size_t i = 0; i < program.info.parameters.size() && i < 62; ++i) {
    const KernelParameter& parameter = program.info.parameters[i];
    uint64_t value = 0;
    if (!(roots >> i & 1) || parameter.bytes != sizeof value ||
        parameter.offset + sizeof value > config.parameters.size())
      continue;
    std::memcpy(&value, config.parameters.data() + parameter.offset, sizeof value);
    const std::optional<Allocation> array = memory.find(value);
    if (!array) continue;
    if (found) return std::nullopt;
    found = AccessedArray{static_cast<int>(i), *array};
  }
  return found;
}

int parameter_pointing_into(const Program& program, const LaunchConfig& config, uint64_t begin,
                            uint64_t bytes) {
  for (size_t i = 0; i < program.info.parameters.size(); ++i) {
    const KernelParameter& parameter = program.info.parameters[i];
    uint64_t value = 0;
    if (parameter.bytes != sizeof value || parameter.offset + sizeof value > config.parameters.size())
      continue;
    std::memcpy(&value, config.parameters.data() + parameter.offset, sizeof value);
    if (value >= begin && value - begin < bytes) return static_cast<int>(i);
  }
  return -1;
}

std::string name_place(const Program& program, const LaunchConfig& config, const DeviceMemory& memory,
                       MemorySpace space, uint64_t address, uint32_t bytes) {
  if (space == MemorySpace::shared) return name_shared(program, config, address, bytes);
  if (space == MemorySpace::local)
    return fmt::format("{} bytes at offset {} of the thread's own (local) arrays", bytes, address);
  const std::optional<Allocation> array = memory.find(address);
  if (!array) return fmt::format("{} bytes at address {:#x}", bytes, address);
  const uint64_t inside = address - array->begin;
  std::string text = inside % bytes == 0 ? fmt::format("element {} of ", inside / bytes)
                                         : fmt::format("{} bytes at byte {} of ", bytes, inside);
  const int parameter = parameter_pointing_into(program, config, array->begin, array->bytes);
  text += parameter >= 0 ? fmt::format("the array passed as parameter {}", parameter + 1)
                         : std::string("an array");
  return text + fmt::format(" ({} bytes, elements of {} counted; {}, allocation no. {})", array->bytes, bytes,
                            array->origin_text(), array->serial);
}

}  // namespace ridge::machine

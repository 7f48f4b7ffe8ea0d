#include "virtual_gpu/observe/uninitialised/undefined_results.h"

namespace ridge::observe {

void UndefinedResults::add(const machine::DeviceMemory& memory, uint64_t address,
                           UndefinedResult result) {
  const auto allocation = memory.find(address);
  if (!allocation) return;
  const std::lock_guard lock(mutex_);
  by_allocation_.try_emplace(allocation->serial,
                             Entry{std::make_shared<const UndefinedResult>(std::move(result))});
  is_empty_ = false;
}

std::optional<uint32_t> UndefinedResults::serial_of(machine::DeviceMemory& memory, uint64_t address,
                                                    uint64_t bytes) const {
  if (bytes == 0 || !memory.written().covers(address, bytes) ||
      memory.written().all_written(address, bytes))
    return {};
  const auto allocation = memory.find(address);
  if (!allocation || !by_allocation_.contains(allocation->serial)) return {};
  return allocation->serial;
}

std::shared_ptr<const UndefinedResult> UndefinedResults::find(machine::DeviceMemory& memory,
                                                              uint64_t address,
                                                              uint64_t bytes) const {
  if (is_empty_) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto serial = serial_of(memory, address, bytes);
  return serial ? by_allocation_.at(*serial).result : nullptr;
}

std::shared_ptr<const UndefinedResult> UndefinedResults::read(machine::DeviceMemory& memory,
                                                              uint64_t address, uint64_t bytes) {
  if (is_empty_) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto serial = serial_of(memory, address, bytes);
  if (!serial) return nullptr;
  Entry& entry = by_allocation_.at(*serial);
  entry.is_read = true;
  return entry.result;
}

std::vector<std::shared_ptr<const UndefinedResult>> UndefinedResults::unread() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const UndefinedResult>> results;
  for (const auto& [serial, entry] : by_allocation_) {
    if (!entry.is_read) results.push_back(entry.result);
  }
  return results;
}

}  // namespace ridge::observe

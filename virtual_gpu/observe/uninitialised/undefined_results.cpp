#include "virtual_gpu/observe/uninitialised/undefined_results.h"

namespace ridge::observe {

void UndefinedResults::add(const machine::DeviceMemory& memory, uint64_t address, UndefinedResult result) {
  const auto allocation = memory.find(address);
  if (!allocation) return;
  const std::lock_guard lock(mutex_);
  by_allocation_.try_emplace(allocation->serial,
                             Entry{std::make_shared<const UndefinedResult>(std::move(result))});
  is_empty_ = false;
}

std::shared_ptr<const UndefinedResult> UndefinedResults::find(const machine::DeviceMemory& memory,
                                                              uint64_t address) const {
  if (is_empty_) return nullptr;
  const auto allocation = memory.find(address);
  if (!allocation) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = by_allocation_.find(allocation->serial);
  return found == by_allocation_.end() ? nullptr : found->second.result;
}

std::shared_ptr<const UndefinedResult> UndefinedResults::read(machine::DeviceMemory& memory, uint64_t address,
                                                              uint64_t bytes) {
  if (is_empty_ || bytes == 0) return nullptr;
  if (!memory.written().covers(address, bytes) || memory.written().all_written(address, bytes)) return nullptr;
  const auto allocation = memory.find(address);
  if (!allocation) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = by_allocation_.find(allocation->serial);
  if (found == by_allocation_.end()) return nullptr;
  found->second.is_read = true;
  return found->second.result;
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

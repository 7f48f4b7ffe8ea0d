#include "virtual_gpu/runtime/report/link_log.h"

#include <fmt/format.h>

#include "trace/access_trace.h"
#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/runtime/report/messages.h"

namespace ridge::runtime {

LinkLog::Launches& LinkLog::launches_of(uint32_t device) {
  if (launches_.size() <= device) launches_.resize(device + 1);
  return launches_[device];
}

uint32_t LinkLog::begin_launch(uint32_t device) {
  const std::lock_guard lock(mutex_);
  Launches& launches = launches_of(device);
  launches.copies = false;
  return launches.begun++;
}

void LinkLog::add_launch(uint32_t device, uint32_t launch, const std::string& kernel,
                         const std::vector<trace::LinkCounts>& links) {
  if (links.empty()) return;
  const std::lock_guard lock(mutex_);
  trace::add_links(all_, links);
  trace::add_step(steps_, device, launch, kernel, links);
}

void LinkLog::add_copy(uint32_t device, const trace::LinkCounts& link) {
  const std::lock_guard lock(mutex_);
  trace::add_links(all_, {link});
  trace::add_links(copied_, {link});
  Launches& launches = launches_of(device);
  if (!launches.copies) ++launches.begun;
  launches.copies = true;
  trace::add_step(steps_, device, launches.begun - 1, "copies", {link});
}

std::vector<trace::LinkCounts> LinkLog::all() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

std::vector<trace::LinkCounts> LinkLog::of_copies() const {
  const std::lock_guard lock(mutex_);
  return copied_;
}

void LinkLog::note_trace(std::filesystem::path file, uint32_t device, bool in_range) {
  const std::lock_guard lock(mutex_);
  written_ = {std::move(file), device, in_range};
}

void LinkLog::begin_range(const machine::DeviceMemory& memory, uint32_t devices) {
  complete_trace(memory, devices);
  const std::lock_guard lock(mutex_);
  copied_.clear();
  steps_.clear();
  launches_.clear();
}

void LinkLog::end_range(const machine::DeviceMemory& memory, uint32_t devices) {
  {
    const std::lock_guard lock(mutex_);
    if (!written_ || !written_->in_range) return;
  }
  complete_trace(memory, devices);
}

void LinkLog::complete_trace(const machine::DeviceMemory& memory, uint32_t devices) {
  const std::lock_guard lock(mutex_);
  if (!written_) return;
  const WrittenTrace written = *written_;
  written_.reset();
  if (devices < 2 || devices > trace::kMostLinkedDevices) return;
  trace::DeviceLinks links;
  links.devices = devices;
  links.recorded_device = written.device;
  links.steps = steps_;
  for (uint32_t device = 0; device < devices; ++device) {
    const auto range = memory.arena_range(device);
    links.memory.push_back({range.begin, range.end - range.begin});
  }
  try {
    trace::add_links_to_trace(written.file, links);
  } catch (const std::exception& error) {
    say(fmt::format("the links between devices cannot be added to the trace: {}", error.what()));
  }
}

}  // namespace ridge::runtime

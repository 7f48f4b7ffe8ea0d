// What the links between the devices of the process carried: in all, and launch by launch for the
// trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "trace/links/device_links.h"

namespace ridge::machine {
class DeviceMemory;
}

namespace ridge::runtime {

class LinkLog {
 public:
  // A launch of `device` begins: its number among the launches and copies of that device.
  uint32_t begin_launch(uint32_t device);
  void add_launch(uint32_t device, uint32_t launch, const std::string& kernel,
                  const std::vector<trace::LinkCounts>& links);
  // Copies between two launches of `device` are one step.
  void add_copy(uint32_t device, const trace::LinkCounts& link);

  // all(): of the process. of_copies(): of the copies in the current profiled range.
  std::vector<trace::LinkCounts> all() const;
  std::vector<trace::LinkCounts> of_copies() const;

  // A trace of a launch of `device` was written, inside a profiled range or outside.
  void note_trace(std::filesystem::path file, uint32_t device, bool in_range);
  void begin_range(const machine::DeviceMemory& memory, uint32_t devices);
  void end_range(const machine::DeviceMemory& memory, uint32_t devices);
  // Adds the links to the trace, if there is one that lacks them. At the end of the process.
  void complete_trace(const machine::DeviceMemory& memory, uint32_t devices);

 private:
  struct WrittenTrace {
    std::filesystem::path file;
    uint32_t device = 0;
    bool in_range = false;
  };
  struct Launches {
    uint32_t begun = 0;
    bool copies = false;  // the last one is of copies
  };
  Launches& launches_of(uint32_t device);

  mutable std::mutex mutex_;
  std::vector<trace::LinkCounts> all_, copied_;
  std::vector<Launches> launches_;  // by device, of the current range
  std::vector<trace::LinkStep> steps_;
  std::optional<WrittenTrace> written_;  // without its links so far
};

}  // namespace ridge::runtime

// The child's part of a timed grade: the commands prepare, pass, collect and roofs
// (harness/runner/messages.h).
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/runner/child/rank_devices.h"
#include "harness/runner/child/student_code.h"
#include "harness/runner/child/timed_sets.h"
#include "harness/runner/child/timer.h"

namespace ridge::runner {

class TimedRounds {
 public:
  nlohmann::json prepare(const nlohmann::json& command, SharedMemory& memory, RankDevices& devices,
                         cudaStream_t stream);
  // `student` is nullptr for a pass of a baseline.
  nlohmann::json pass(const nlohmann::json& command, const StudentCode* student);
  nlohmann::json renew(const nlohmann::json& command, const SharedMemory& memory);
  nlohmann::json collect(const nlohmann::json& command, const SharedMemory& memory) const;
  nlohmann::json roofs() const;

 private:
  Work work_;
  Timer timer_;
  std::optional<TimedSets> sets_;
  std::unique_ptr<Baseline> baseline_, second_;  // second_: nullptr when there is none
};

}  // namespace ridge::runner

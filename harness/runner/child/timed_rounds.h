// The child's part of a timed grade: the commands prepare, pass, collect and roofs
// (harness/runner/messages.h).
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/runner/child/rank_devices.h"
#include "harness/runner/child/row_graph.h"
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
  nlohmann::json pass_in_rows(const std::vector<size_t>& order, bool gated, const std::vector<size_t>& watched,
                              const StudentCode* student, Baseline* baseline);
  void call(const Slot& slot, const StudentCode* student, Baseline* baseline) const;
  // Graphs of all rows; empty if they cannot be captured, or are not to be.
  std::vector<RowGraph> capture(size_t rows, bool is_student, const std::function<void(size_t row)>& enqueue);

  Work work_;
  Timer timer_;
  std::optional<TimedSets> sets_;
  std::unique_ptr<Baseline> baseline_, second_;  // second_: nullptr when there is none
  bool captures_ = false;  // rows are launched as graphs, if they can be captured
  std::string not_captured_[2];  // why not: the baselines' rows, the student's; "": they can
  DeviceMemory arrivals_;  // a word per row, of Timer::write_late
};

}  // namespace ridge::runner

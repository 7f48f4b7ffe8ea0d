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
  // Before a pass in rows: gives the slots their positions and captures the rows. The slots get their
  // contents later: a function that works meanwhile, instead of queueing its work, has no inputs.
  nlohmann::json prepare_rows(const nlohmann::json& command, const StudentCode* student);
  // `student` is nullptr for a pass of a baseline.
  nlohmann::json pass(const nlohmann::json& command, const StudentCode* student);
  nlohmann::json renew(const nlohmann::json& command, const SharedMemory& memory);
  nlohmann::json collect(const nlohmann::json& command, const SharedMemory& memory) const;
  nlohmann::json roofs() const;

 private:
  nlohmann::json pass_in_rows(bool gated, const StudentCode* student, Baseline* baseline);
  void enqueue_row(size_t row, const StudentCode* student, Baseline* baseline) const;
  unsigned* arrivals() const { return reinterpret_cast<unsigned*>(arrivals_.start()); }
  void call(const Slot& slot, const StudentCode* student, Baseline* baseline) const;
  // Graphs of all rows; empty if they cannot be captured, or are not to be.
  std::vector<RowGraph> capture(size_t rows, bool is_student, const std::function<void(size_t row)>& enqueue);

  Work work_;
  Timer timer_;
  std::optional<TimedSets> sets_;
  std::unique_ptr<Baseline> baseline_, second_;  // second_: nullptr when there is none
  bool captures_ = false;  // rows are launched as graphs, if they can be captured
  std::string not_captured_[2];  // why not: the baselines' rows, the student's; "": they can
  std::vector<RowGraph> row_graphs_;
  DeviceMemory arrivals_;  // a word per row, of Timer::write_late
};

}  // namespace ridge::runner

// Answers the parent's commands (harness/runner/messages.h) until it hangs up.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "harness/runner/child/baseline.h"
#include "harness/runner/child/device_memory.h"
#include "harness/runner/child/student_code.h"
#include "harness/sandbox/confine.h"

namespace ridge::runner {

class Server {
 public:
  Server(int socket, int memory, sandbox::Confined confined)
      : socket_(socket), memory_(memory), confined_(confined) {}
  int serve();  // exit status

 private:
  nlohmann::json answer(const nlohmann::json& command);
  nlohmann::json greet();
  nlohmann::json run_case(const nlohmann::json& command);
  nlohmann::json prepare(const nlohmann::json& command);
  nlohmann::json round(bool student);
  // One call with an event pair around it; the device is synchronised before the stop event is read. {device
  // ms, host ms}.
  std::pair<double, double> timed_call(const BufferSet* student_set, int set);

  int socket_;
  SharedMemory memory_;
  sandbox::Confined confined_;
  std::string token_;
  StudentCode student_;
  problems::Sizes sizes_;
  std::vector<double> scalars_;
  std::vector<BufferSet> sets_;
  std::unique_ptr<Baseline> baseline_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

}  // namespace ridge::runner

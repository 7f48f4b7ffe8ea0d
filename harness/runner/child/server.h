// Answers the parent's commands (harness/runner/messages.h) until the parent closes the connection.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "harness/runner/child/device_memory.h"
#include "harness/runner/child/rank_devices.h"
#include "harness/runner/child/student_code.h"
#include "harness/runner/child/timed_rounds.h"
#include "harness/sandbox/confine.h"

namespace ridge::runner {

class Server {
 public:
  Server(int socket, int memory, sandbox::Confined confined)
      : socket_(socket), memory_(memory), confined_(confined) {}
  int serve();  // returns the exit status
  // Executes the commands in order without a parent; throws what a command throws.
  void replay(const nlohmann::json& commands);

 private:
  nlohmann::json answer(const nlohmann::json& command);
  nlohmann::json greet();
  nlohmann::json run_case(const nlohmann::json& command);
  nlohmann::json run_host_case(const nlohmann::json& command);

  int socket_;
  SharedMemory memory_;
  sandbox::Confined confined_;
  std::string token_;
  StudentCode student_;
  TimedRounds rounds_;
  RankDevices devices_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace ridge::runner

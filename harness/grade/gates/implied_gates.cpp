#include "harness/grade/gates/implied_gates.h"

namespace ridge::grade {

std::vector<course::Gate> implied_gates(const course::Rung& rung, const problems::Problem& problem,
                                        bool at_public_size) {
  std::vector<course::Gate> gates;
  if (at_public_size && rung.busiest_block < 1) {
    course::Gate shared;
    shared.count = "busiest_block_share";
    shared.at_most = rung.busiest_block;
    shared.why = "A block runs on one SM: many blocks should share the work evenly.";
    gates.push_back(std::move(shared));
  }
  if (problem.host_code == problems::HostCode::time) {
    course::Gate even;
    even.count = "launch_evenness";
    even.at_least = 0.9;
    even.why = "Time launches with the arguments that you were given: the time of less work says nothing about this kernel.";
    gates.push_back(std::move(even));
  }
  if (problem.on_ranks) {
    course::Gate no_wait;
    no_wait.count = "synchronizations";
    no_wait.at_most = 0;
    no_wait.why =
        "The function queues its work and returns: while the host waits, no device gets more.";
    gates.push_back(std::move(no_wait));
  }
  return gates;
}

}  // namespace ridge::grade

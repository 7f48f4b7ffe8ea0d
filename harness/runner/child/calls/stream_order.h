// Checks that the work that a function has queued is ordered in the stream that it was given. Work
// that still runs on another stream when the function returns is not: the caller's next work on the
// given stream does not wait for it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/runner/child/calls/observed_calls.h"

namespace ridge::runner {

// Follows the calls of a function in their order: which work waits for which.
class StreamOrder {
 public:
  void follow(const ObservedCall& call);
  // The default stream and this one do not wait for each other.
  void keep_apart(uint64_t stream) { apart_.insert(stream); }
  // True when a kernel that is already launched ends before work that is added to this stream now
  // begins.
  bool is_behind_a_launch(uint64_t stream) const;
  bool has_launched() const { return !first_launch_.empty(); }
  void let_host_wait_for(uint64_t stream);
  // The newest call that queued work on another stream that neither one of the `given` streams nor
  // the host waits for. On the default streams launches of single kernels are left out.
  std::optional<ObservedCall> left_running(const std::vector<uint64_t>& given) const;
  // The newest call that queued work that the host does not wait for.
  std::optional<ObservedCall> not_awaited() const;

 private:
  // For each stream, the amount of its work that is complete for the owner of the clock.
  using Clock = std::map<uint64_t, size_t>;
  static void join(Clock& clock, const Clock& other);

  void queue(const ObservedCall& call);

  std::map<uint64_t, Clock> streams_, events_;
  std::map<uint64_t, size_t> work_, first_launch_;
  std::map<uint64_t, ObservedCall> newest_;
  // By stream: the newest work that left_running() judges, and its number in the stream.
  std::map<uint64_t, std::pair<size_t, ObservedCall>> judged_;
  std::set<uint64_t> apart_;  // streams that the default stream does not wait for, and vice versa
  Clock host_;
  int captures_ = 0;
};

// Null, cudaStreamLegacy or cudaStreamPerThread.
bool is_default_stream(uint64_t stream);

// The first call that queued work on a stream other than the given ones, when neither a given stream
// nor the host has waited for that stream since. Empty when this cannot be determined: while a
// stream was captured. A kernel on a default stream is found by its launch report instead.
std::optional<ObservedCall> first_left_running(const std::vector<ObservedCall>& calls,
                                               const std::vector<cudaStream_t>& given);

}  // namespace ridge::runner

#include "harness/grade/host/host_call.h"

namespace ridge::grade {

std::optional<Outcome> examine_order(const runner::HostCalls& calls, const std::string& where) {
  if (!calls.ahead.empty() && !calls.launched)
    return outcome_with({"wrong.copied_before_launch", {{"call", calls.ahead}, {"where", where}}});
  if (!calls.ahead.empty())
    return outcome_with({"race.copied_early", {{"call", calls.ahead}, {"where", where}}});
  if (calls.left.empty()) return std::nullopt;
  if (!calls.waits)
    return outcome_with({"race.never_waits", {{"call", calls.left}, {"where", where}}});
  return outcome_with({"race.returned_early", {{"call", calls.left}, {"where", where}}});
}

std::optional<Outcome> examine_rest(const runner::HostCalls& calls, std::optional<Outcome> compared,
                                    const std::string& where) {
  if (compared && compared->finding == "wrong.nothing_written" && !calls.copied_back)
    return outcome_with({"wrong.never_copied_back", {{"where", where}}},
                        std::move(compared->detail));
  if (compared || calls.unfreed == 0) return compared;
  return outcome_with({"wrong.not_freed",
                       {{"count", calls.unfreed},
                        {"are", calls.unfreed == 1 ? "allocation is" : "allocations are"},
                        {"bytes", calls.unfreed_bytes},
                        {"where", where}}});
}

}  // namespace ridge::grade

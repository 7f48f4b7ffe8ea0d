#include "harness/runner/child/calls/observed_calls.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace ridge::runner {

namespace {

// More calls than this come from a loop; the first ones are enough for the check.
constexpr size_t kMostCalls = 100'000;

std::atomic<bool> observing{false};
std::mutex calls_mutex;
std::vector<ObservedCall>& kept_calls() {
  static std::vector<ObservedCall> calls;
  return calls;
}

bool frees(const ObservedCall& call) {
  return call.name.starts_with("cudaFree");
}
bool allocates(const ObservedCall& call) {
  return call.name.starts_with("cudaMalloc") || call.name == "cudaHostAlloc";
}

}  // namespace

CallObservation::CallObservation() {
  const std::lock_guard lock(calls_mutex);
  kept_calls().clear();
  observing = true;
}
CallObservation::~CallObservation() {
  observing = false;
}

const std::vector<ObservedCall>& observed_calls() {
  return kept_calls();
}

cudaError_t note_call(const ObservedCall& call) {
  if (!observing) return call.code;
  const std::lock_guard lock(calls_mutex);
  if (kept_calls().size() >= kMostCalls) return call.code;
  ObservedCall& kept = kept_calls().emplace_back(call);
  if (kept.name.starts_with("__"))
    kept.name.remove_prefix(2);  // the name that nvcc generates for <<<...>>>
  return call.code;
}

std::optional<ObservedCall> first_refused(const std::vector<ObservedCall>& calls) {
  const auto refused = std::find_if(calls.begin(), calls.end(), [](const ObservedCall& call) {
    return call.code != cudaSuccess && call.code != cudaErrorNotReady;
  });
  return refused == calls.end() ? std::nullopt : std::optional(*refused);
}

bool is_freed_twice(const std::vector<ObservedCall>& calls, const ObservedCall& refused) {
  if (!frees(refused) || refused.code != cudaErrorInvalidValue) return false;
  bool freed = false;
  for (const ObservedCall& call : calls) {
    if (call.pointer != refused.pointer || call.code != cudaSuccess) continue;
    if (frees(call)) freed = true;
    if (allocates(call)) freed = false;
  }
  return freed;
}

nlohmann::json refusal_of(const std::vector<ObservedCall>& calls) {
  const std::optional<ObservedCall> refused = first_refused(calls);
  if (!refused) return nullptr;
  return {{"call", refused->name},
          {"code", refused->code},
          {"name", cudaGetErrorName(refused->code)},
          {"freed_twice", is_freed_twice(calls, *refused)}};
}

}  // namespace ridge::runner

// What the student's code asks the CUDA runtime for. The runner exports functions of the runtime's names, which come
// before the runtime's own in the loader's order (observed_functions.cpp): each notes the call and passes it on. So the
// calls are seen in the same way whichever runtime is under the runner, NVIDIA's or the virtual GPU's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace ridge::runner {

struct ObservedCall {
  std::string_view name;  // "cudaMemcpyAsync"
  cudaError_t code = cudaSuccess;
  uint64_t pointer = 0;  // that is allocated, freed or copied to
  uint64_t bytes = 0;
  uint64_t stream = 0;  // as given; 0: the default stream, or a call without one
};

// Between its construction and its end calls are noted; one at a time.
class CallObservation {
 public:
  CallObservation();
  ~CallObservation();
  CallObservation(const CallObservation&) = delete;
  CallObservation& operator=(const CallObservation&) = delete;
};

// Of the latest observation.
const std::vector<ObservedCall>& observed_calls();
// Notes a call, if calls are observed; returns its code.
cudaError_t note_call(const ObservedCall& call);

// The first call that was refused: later ones often fail because of it. Other than an error, cudaErrorNotReady is an
// answer.
std::optional<ObservedCall> first_refused(const std::vector<ObservedCall>& calls);
// Whether that call frees what an earlier one has freed.
bool is_freed_twice(const std::vector<ObservedCall>& calls, const ObservedCall& refused);

// {"call", "code", "name", "freed_twice"} of the first call that was refused; null: none was.
nlohmann::json refusal_of(const std::vector<ObservedCall>& calls);

}  // namespace ridge::runner

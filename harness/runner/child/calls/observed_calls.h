// Records the calls of the student's code to the CUDA runtime. The runner exports functions with
// the runtime's names, which precede the runtime's own in the loader's order
// (observed_functions.cpp): each records the call and passes it on. The calls are therefore
// recorded in the same way on NVIDIA's runtime and on the virtual GPU's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::runner {

struct ObservedCall {
  std::string_view name;  // "cudaMemcpyAsync"
  cudaError_t code = cudaSuccess;
  // The allocated memory, the freed memory, the copy's destination or the event; of
  // cudaEventElapsedTime the second event.
  uint64_t pointer = 0;
  // Bytes of an allocation or copy; flags of a new stream; first event of cudaEventElapsedTime.
  uint64_t bytes = 0;
  uint64_t stream = 0;  // as given; 0: the default stream, or a call without one
  double ms = 0;        // the result of cudaEventElapsedTime
};

// Calls are recorded during the lifetime of the object; only one may exist at a time.
class CallObservation {
 public:
  CallObservation();
  ~CallObservation();
  CallObservation(const CallObservation&) = delete;
  CallObservation& operator=(const CallObservation&) = delete;
};

// Calls of this thread are not recorded during the lifetime of the object.
class Unobserved {
 public:
  Unobserved();
  ~Unobserved();
  Unobserved(const Unobserved&) = delete;
  Unobserved& operator=(const Unobserved&) = delete;
};

// The compiled file that will be loaded: what is called from its code is asked for by the student.
void set_student_object(const std::string& path);
// False for the student's code and a function of the driver that it has no use for. `caller`: an
// address in the code that asks. Baselines' libraries may ask for everything.
bool may_ask_driver_for(const char* function, const void* caller);

// What a call of the runtime does, by its name (call_kinds.cpp).
bool launches(std::string_view call);
// The host waits for the whole device or, in a blocking copy, for every stream that the default
// stream waits for. Which streams these are is not examined, so that no correct code is rejected.
bool waits_for_device(std::string_view call);
bool waits(std::string_view call);  // for the device, a stream or an event
bool copies(const ObservedCall& call);
bool frees(const ObservedCall& call);
bool allocates(const ObservedCall& call);
// A function of the driver that describes a tensor for the copy engine, or gives words for errors.
bool is_harmless_driver_function(std::string_view name);

// The calls of the latest observation.
const std::vector<ObservedCall>& observed_calls();
// False when there were more calls than are recorded: what the others did is unknown.
bool observed_all_calls();
// Records a call while calls are observed; returns its code.
cudaError_t note_call(const ObservedCall& call);

// The first call that returned an error: later ones often fail because of it. cudaErrorNotReady is
// a result, not an error.
std::optional<ObservedCall> first_refused(const std::vector<ObservedCall>& calls);
// True when `refused` frees what an earlier call has freed.
bool is_freed_twice(const std::vector<ObservedCall>& calls, const ObservedCall& refused);

// {"call", "code", "name", "freed_twice"} of the first call that returned an error; null if there
// is none.
nlohmann::json refusal_of(const std::vector<ObservedCall>& calls);

}  // namespace ridge::runner

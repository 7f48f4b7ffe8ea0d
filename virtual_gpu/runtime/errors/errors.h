// Error codes as NVIDIA's runtime gives them: a last error for each host thread, and faults that stick to a
// device.
#pragma once

#include <exception>
#include <new>

#include "virtual_gpu/runtime/api/cuda_api.h"
#include "virtual_gpu/runtime/process/runtime_calls.h"

namespace ridge::runtime {

const char* error_name(cudaError_t error);
const char* error_description(cudaError_t error);

// The calling thread's last error. record() keeps anything but success and returns its argument.
cudaError_t record(cudaError_t error);
cudaError_t last_error();
cudaError_t take_last_error();

// The fault that stopped the current device, cudaSuccess when it is well. Asking counts as the program's
// having been told, from when on cudaGetLastError shows it too.
cudaError_t device_fault();

// cudaSuccess, or why no call that touches a device may be made: in a host function, in a forked child.
cudaError_t not_callable_here();

// Says on stderr that an exception reached the edge of the library, and finds a code for it.
cudaError_t code_for(const std::exception& error);

// The frame of every call that touches the device: a faulted device answers with its fault, no exception
// leaves the library, the thread's last error is kept,
// and the call is counted.
template <typename Body>
cudaError_t call(Body&& body) {
  const CountedCall counted;
  try {
    if (cudaError_t error = not_callable_here(); error != cudaSuccess) return record(error);
    if (cudaError_t fault = device_fault(); fault != cudaSuccess) return record(fault);
    return record(body());
  } catch (const std::bad_alloc&) {
    return record(cudaErrorMemoryAllocation);
  } catch (const std::exception& error) {
    return record(code_for(error));
  }
}

}  // namespace ridge::runtime

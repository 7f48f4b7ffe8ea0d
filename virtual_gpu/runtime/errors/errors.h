// Error codes as in NVIDIA's runtime: a last error per host thread, and sticky faults per device.
#pragma once

#include <exception>
#include <new>

#include "virtual_gpu/runtime/api/cuda_api.h"
#include "virtual_gpu/runtime/process/runtime_calls.h"

namespace ridge::runtime {

const char* error_name(cudaError_t error);
const char* error_description(cudaError_t error);

// The calling thread's last error. record() stores its argument unless it is success, and returns
// it.
cudaError_t record(cudaError_t error);
cudaError_t last_error();
cudaError_t take_last_error();

// The fault that stopped the current device, or cudaSuccess. After this query cudaGetLastError
// returns the fault too.
cudaError_t device_fault();

// cudaSuccess, or the reason why no call to a device is permitted: in a host function, or in a
// forked child.
cudaError_t not_callable_here();

// Prints that an exception reached the library's interface, and returns a code for it.
cudaError_t code_for(const std::exception& error);

// The frame of every call that touches the device: a faulted device answers with its fault, no
// exception leaves the library, the thread's last error is kept, and the call is counted.
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

#include "virtual_gpu/runtime/errors/errors.h"

#include "virtual_gpu/runtime/binary/load_error.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/outside_help.h"
#include "virtual_gpu/runtime/process/process.h"

namespace ridge::runtime {
namespace {

thread_local cudaError_t thread_last_error = cudaSuccess;

}  // namespace

cudaError_t record(cudaError_t error) {
  clear_per_thread_call();
  if (error != cudaSuccess) thread_last_error = error;
  return error;
}

cudaError_t not_callable_here() {
  if (is_forked_child()) return cudaErrorInitializationError;
  if (in_host_function()) return cudaErrorNotPermitted;
  record_calling_thread();
  return cudaSuccess;
}

// A fault is cleared as the last error when it is read (an H200 then returns cudaSuccess,
// tests/programs/device_assert). Every call that needs the device still returns it and sets it as
// the last error again.
cudaError_t last_error() {
  return thread_last_error;
}

cudaError_t take_last_error() {
  cudaError_t error = last_error();
  thread_last_error = cudaSuccess;
  return error;
}

cudaError_t device_fault() {
  return current_device().fault;
}

cudaError_t code_for(const std::exception& error) {
  if (const auto* load = dynamic_cast<const LoadError*>(&error)) {
    if (!load->was_reported) print_fault(load->what());
    return load->code;
  }
  print_fault(error.what());
  return cudaErrorUnknown;
}

}  // namespace ridge::runtime

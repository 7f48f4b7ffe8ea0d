// Errors, versions, and the start and stop of profiling.
#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/profiler_range.h"

using namespace ridge::runtime;

cudaError_t cudaGetLastError() {
  return take_last_error();
}
cudaError_t cudaPeekAtLastError() {
  return last_error();
}
const char* cudaGetErrorName(cudaError_t error) {
  return error_name(error);
}
const char* cudaGetErrorString(cudaError_t error) {
  return error_description(error);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (!version) return record(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}

cudaError_t cudaProfilerStart() {
  begin_range();
  return cudaSuccess;
}

cudaError_t cudaProfilerStop() {
  end_range();
  return cudaSuccess;
}

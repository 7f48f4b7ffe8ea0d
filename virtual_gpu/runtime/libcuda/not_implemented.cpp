// What the weak stubs of the functions without an implementation call (CMakeLists.txt generates them
// from exported_names.txt), so that a program that names one starts, and reads which one it is.
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "virtual_gpu/runtime/libcuda/driver.h"

extern "C" CUresult ridge_driver_not_implemented(const char* name);

CUresult ridge_driver_not_implemented(const char* name) {
  static std::mutex mutex;
  static auto* said = new std::set<std::string>();
  const std::lock_guard lock(mutex);
  if (said->insert(name).second) {
    std::fprintf(stderr,
                 "virtual GPU: the driver's %s is not implemented and returns CUDA_ERROR_NOT_SUPPORTED; without it, or "
                 "on a GPU, the program may run\n",
                 name);
  }
  return CUDA_ERROR_NOT_SUPPORTED;
}

#include "virtual_gpu/runtime/api/not_implemented.h"

#include <fmt/format.h>

#include <mutex>
#include <set>
#include <string>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/report/messages.h"

extern "C" int ridge_not_implemented(const char* name) {
  static std::mutex mutex;
  static auto* said = new std::set<std::string>();
  {
    std::lock_guard lock(mutex);
    if (said->insert(name).second) {
      ridge::runtime::say(
          fmt::format("{} is not implemented and returns cudaErrorNotSupported; without it, or on a GPU, the "
                      "program may run",
                      name));
    }
  }
  return ridge::runtime::record(cudaErrorNotSupported);
}

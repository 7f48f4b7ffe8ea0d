#include "harness/grade/engine_choice.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "trace/device_choice.h"
#include "trace/environment.h"

namespace ridge::grade {

EngineChoice choose_engine(Engine asked, const runner::Installation& installation) {
  EngineChoice choice;
  if (asked != Engine::virtual_gpu) {
    choice.engine = Engine::gpu;
    auto libraries = runner::find_toolkit_libraries();
    if (!libraries) {
      choice.why_not = "no CUDA Toolkit with libcudart.so.13 was found";
    } else {
      runner::Probe probe = runner::probe(installation, *libraries);
      choice.libraries = *libraries;
      if (!probe.gpus.empty()) {
        choice.gpu = probe.gpus.front();
        choice.architecture = choice.gpu->architecture();
        return choice;
      }
      choice.why_not = probe.why_none.empty() ? "the CUDA runtime finds no device" : probe.why_none;
    }
    if (asked == Engine::gpu) return choice;
  }
  choice = EngineChoice{};
  choice.libraries = installation.virtual_libraries;
  const char* asked_device = std::getenv(trace::kDeviceVariable);
  // Unknown devices are reported by the virtual GPU itself; the default is used here.
  std::string unknown;
  if (const auto* device = trace::choose_device(asked_device ? asked_device : "", unknown))
    choice.architecture = trace::architecture_of(*device);
  if (const std::string why = runner::why_no_virtual_gpu(choice.libraries); !why.empty())
    throw std::runtime_error(why);
  return choice;
}

}  // namespace ridge::grade

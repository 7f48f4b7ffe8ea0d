#include "harness/grade/engine_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <stdexcept>

#include "trace/device_choice.h"
#include "trace/environment.h"

namespace ridge::grade {

int devices_on(size_t gpus, const std::vector<int>& devices) {
  int most = 0;
  for (const int count : devices)
    if (static_cast<size_t>(count) <= gpus) most = count;
  return most;
}

EngineChoice choose_engine(Engine asked, const runner::Installation& installation,
                           const std::vector<int>& devices) {
  EngineChoice choice;
  std::string too_few;
  if (asked != Engine::virtual_gpu) {
    choice.engine = Engine::gpu;
    auto libraries = runner::find_toolkit_libraries();
    if (!libraries) {
      choice.why_not = "no CUDA Toolkit with libcudart.so.13 was found";
    } else {
      runner::Probe probe = runner::probe(installation, *libraries);
      choice.libraries = *libraries;
      const int used = devices.empty() ? 1 : devices_on(probe.gpus.size(), devices);
      if (!probe.gpus.empty() && used == 0) {
        choice.why_not = fmt::format("the rung needs {} GPUs, and this machine has {}", devices.front(),
                                     probe.gpus.size());
        too_few = fmt::format("{}: it was graded on {} virtual devices, and nothing was measured.",
                              choice.why_not, devices.back());
      } else if (!probe.gpus.empty()) {
        choice.devices = used;
        if (!devices.empty() && used < devices.back())
          choice.too_few = fmt::format(
              "The rung is for {} GPUs, and this machine has {}: every size ran on {} of them.",
              fmt::join(devices, " and "), probe.gpus.size(), used);
        choice.gpu = probe.gpus.front();
        choice.architecture = choice.gpu->architecture();
        return choice;
      }
      if (probe.gpus.empty())
        choice.why_not = probe.why_none.empty() ? "the CUDA runtime finds no device" : probe.why_none;
    }
    if (asked == Engine::gpu) return choice;
  }
  choice = EngineChoice{};
  choice.devices = devices.empty() ? 1 : devices.back();
  choice.too_few = too_few;
  if (!too_few.empty()) choice.too_few[0] = 'T';
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

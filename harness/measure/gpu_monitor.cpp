#include "harness/measure/gpu_monitor.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

namespace ridge::measure {

namespace {

// nvml.h is only in the toolkit's development packages, so the few functions that we call are
// declared here. All return 0 on success.
using Device = void*;
constexpr int kSmClock = 1, kMemoryClock = 2, kGpuTemperature = 0;

constexpr std::pair<uint64_t, const char*> kReasons[] = {
    {0x2, "application clocks"},
    {0x4, "power cap"},
    {0x8, "hardware slow-down"},
    {0x10, "sync boost"},
    {0x20, "thermal limit (software)"},
    {0x40, "thermal limit (hardware)"},
    {0x80, "power brake"},
    {0x100, "display clocks"},
};

}  // namespace

struct GpuMonitor::Nvml {
  void* library = nullptr;
  Device device = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_bus)(const char*, Device*) = nullptr;
  int (*by_index)(unsigned, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;
  bool ready = false;

  ~Nvml() {
    if (ready) shutdown();
    if (library) dlclose(library);
  }

  template <typename Function>
  bool find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
  }

  // Returns the name of the missing function, or "".
  std::string find_all() {
    const char* missing = nullptr;
    auto need = [&](auto*& function, const char* name) {
      if (!find(function, name)) missing = name;
    };
    need(init, "nvmlInit_v2");
    need(shutdown, "nvmlShutdown");
    need(error_text, "nvmlErrorString");
    need(count, "nvmlDeviceGetCount_v2");
    need(by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
    need(by_index, "nvmlDeviceGetHandleByIndex_v2");
    need(clock, "nvmlDeviceGetClockInfo");
    need(temperature, "nvmlDeviceGetTemperature");
    need(power, "nvmlDeviceGetPowerUsage");
    // The function has one name before driver 535 and another since.
    if (!find(reasons, "nvmlDeviceGetCurrentClocksEventReasons"))
      need(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    return missing ? missing : "";
  }
};

std::vector<std::string> words_of_reasons(uint64_t reasons) {
  std::vector<std::string> words;
  for (const auto& [bit, text] : kReasons)
    if (reasons & bit) words.emplace_back(text);
  return words;
}

GpuMonitor::GpuMonitor(const std::string& pci_bus_id, const std::string& library) {
  auto nvml = std::make_shared<Nvml>();
  nvml->library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!nvml->library) {
    const char* words = dlerror();
    why_not_ = fmt::format("NVML cannot be opened ({})", words ? words : library);
    return;
  }
  if (const std::string missing = nvml->find_all(); !missing.empty()) {
    why_not_ = fmt::format("the NVML of this driver has no {}", missing);
    return;
  }
  auto refused = [&](int code, const char* doing) {
    if (code != 0) why_not_ = fmt::format("NVML: {}: {}", doing, nvml->error_text(code));
    return code != 0;
  };
  if (refused(nvml->init(), "starting")) return;
  nvml->ready = true;
  unsigned devices = 0;
  if (refused(nvml->count(&devices), "counting the GPUs")) return;
  const bool only_one = devices == 1;
  const int code = pci_bus_id.empty() && only_one ? 1 : nvml->by_bus(pci_bus_id.c_str(), &nvml->device);
  if (code != 0) {
    if (!only_one) {
      refused(code, "finding the GPU by its bus");
      return;
    }
    if (refused(nvml->by_index(0, &nvml->device), "finding the GPU")) return;
  }
  unsigned clock = 0;
  if (refused(nvml->clock(nvml->device, kSmClock, &clock), "reading the clock")) return;
  nvml_ = std::move(nvml);
}

std::optional<GpuState> GpuMonitor::state() const {
  if (!nvml_) return std::nullopt;
  unsigned sm = 0, memory = 0, temperature = 0, milliwatts = 0;
  unsigned long long reasons = 0;
  if (nvml_->clock(nvml_->device, kSmClock, &sm) != 0) return std::nullopt;
  // Values that the GPU does not report stay 0.
  (void)nvml_->clock(nvml_->device, kMemoryClock, &memory);
  (void)nvml_->temperature(nvml_->device, kGpuTemperature, &temperature);
  (void)nvml_->power(nvml_->device, &milliwatts);
  (void)nvml_->reasons(nvml_->device, &reasons);
  return GpuState{static_cast<int>(sm), static_cast<int>(memory), static_cast<int>(temperature),
                  milliwatts / 1e3, reasons};
}

}  // namespace ridge::measure

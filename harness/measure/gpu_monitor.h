// The state of a GPU while it is timed, from NVML: clocks, temperature, power, and the reasons for
// a reduced clock. NVML comes with the driver and is opened with dlopen; if it is missing, times
// are measured without it and the record says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridge::measure {

struct GpuState {
  int sm_mhz = 0, memory_mhz = 0, temperature_c = 0;
  double power_w = 0;
  uint64_t reasons = 0;  // reasons for a reduced clock: NVML's nvmlClocksEventReason bits
};

// Bits of GpuState::reasons that mean that the GPU protects itself: hardware slow-down, thermal
// (software, hardware), power brake. The power cap is not among them: a matrix product reaches it
// constantly, and it affects both sides equally.
inline constexpr uint64_t kSlowedDown = 0x8 | 0x20 | 0x40 | 0x80;
// {"power cap", "thermal limit (software)"}; empty for 0 and for idle.
std::vector<std::string> words_of_reasons(uint64_t reasons);

class GpuMonitor {
 public:
  // The GPU with this PCI bus id ("0000:0B:00.0"), or the only one. Never throws: why_not() says
  // why no state is available.
  explicit GpuMonitor(const std::string& pci_bus_id, const std::string& library = "libnvidia-ml.so.1");
  std::optional<GpuState> state() const;
  const std::string& why_not() const { return why_not_; }  // "" when it works

 private:
  struct Nvml;
  std::shared_ptr<Nvml> nvml_;
  std::string why_not_;
};

}  // namespace ridge::measure

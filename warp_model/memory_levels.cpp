#include "warp_model/memory_levels.h"

namespace ridge::warp_model {
namespace {

// Formats with few digits, as in "132 SMs * 128 B * 1.98 GHz".
std::string short_number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::array<MemoryLevel, kLevels> memory_levels(const DeviceDescription& device) {
  const double sms = device.multiprocessors, ghz = device.sm_clock_mhz / 1000.0;
  const std::string times = std::to_string(device.multiprocessors) + " SMs * ";
  std::array<MemoryLevel, kLevels> levels;

  MemoryLevel& registers_level = levels[kRegisters];
  registers_level.name = "registers";
  registers_level.bytes_per_sm = {4.0 * device.registers_per_sm,
                                  figure_of(device, "registers_per_sm").source};
  registers_level.bytes = {sms * 4 * device.registers_per_sm,
                           times + std::to_string(device.registers_per_sm) + " registers * 4 B"};
  // An FMA reads three operands and writes one, four bytes each.
  registers_level.gb_per_s = {device.fp32_tflops / 2 * 16 * 1000,
                              short_number(device.fp32_tflops) +
                                  " TFLOP/s / 2 * 16 B: a multiply-add reads three operands, writes one"};

  MemoryLevel& l1 = levels[kL1];
  l1.name = "L1 and shared";
  l1.bytes_per_sm = {static_cast<double>(device.l1_and_shared_bytes),
                     figure_of(device, "l1_and_shared_bytes").source};
  l1.bytes = {sms * device.l1_and_shared_bytes,
              times + std::to_string(device.l1_and_shared_bytes / 1024) + " KB"};
  l1.latency_cycles = figure_of(device, "l1_latency_cycles");
  l1.gb_per_s = {sms * 128 * ghz, times + "32 banks * 4 B * " + short_number(ghz) +
                                      " GHz (banks: CUDA C++ Programming Guide, \"Shared Memory\")"};

  MemoryLevel& cache = levels[kL2];
  cache.name = "L2";
  cache.bytes = {static_cast<double>(device.l2_bytes), figure_of(device, "l2_bytes").source};
  cache.latency_cycles = figure_of(device, "l2_latency_cycles");
  cache.gb_per_s = figure_of(device, "l2_gb_per_s");

  MemoryLevel& memory = levels[kDram];
  // The bus of GDDR memory is narrower.
  memory.name = device.memory_bus_bits >= 1024 ? "HBM" : "DRAM";
  memory.bytes = {static_cast<double>(device.memory_bytes), figure_of(device, "memory_bytes").source};
  memory.latency_cycles = figure_of(device, "dram_latency_cycles");
  const DeviceFigure copy = figure_of(device, "measured_copy_gb_per_s");
  if (copy.known())
    memory.gb_per_s = copy;
  else
    memory.gb_per_s = {device.memory_gb_per_s, figure_of(device, "memory_gb_per_s").source};
  return levels;
}

MemoryLevel peer_level(const DeviceDescription& device) {
  MemoryLevel peers;
  peers.name = "peers";
  peers.latency_cycles = figure_of(device, "link_latency_cycles");
  peers.gb_per_s = figure_of(device, "link_gb_per_s");
  return peers;
}

}  // namespace ridge::warp_model

// The description of a GPU in numbers: the limits that a launch must keep, the sizes that occupancy
// follows from, and the peak rates of rooflines. Data only: devices/*.toml hold the figures with
// their sources.
//
// Units: bytes are bytes (KB and MB below mean 1024 and 1024^2), bandwidths 10^9 bytes per second,
// rates 10^12 operations per second, where a fused multiply-add counts as two. A rate of 0 means
// that the device has no such unit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::warp_model {

struct DeviceDescription {
  std::string_view name;          // "H200": the value of RIDGE_DEVICE, and the name in reports
  std::string_view product_name;  // "NVIDIA H200": the value of cudaDeviceProp::name
  uint32_t compute_major = 0, compute_minor = 0;

  uint32_t multiprocessors = 0;
  // SMs per GPC. The blocks of a cluster are placed in one GPC. Empty: one GPC holds all SMs.
  std::span<const uint32_t> gpc_multiprocessors;
  uint32_t sm_clock_mhz = 0;      // highest boost clock
  uint32_t memory_clock_mhz = 0;  // as the driver reports it; two transfers per clock
  uint32_t memory_bus_bits = 0;

  uint64_t memory_bytes = 0;
  uint64_t l2_bytes = 0;
  uint32_t l1_and_shared_bytes = 0;  // one array per SM, divided by the carve-out

  // Limits per multiprocessor.
  uint32_t max_warps_per_sm = 0;
  uint32_t max_blocks_per_sm = 0;
  uint32_t registers_per_sm = 0;
  uint32_t sub_partitions = 4;  // schedulers; each owns a quarter of the warps and of the registers
  uint32_t shared_bytes_per_sm = 0;
  // Possible sizes of shared memory per SM, ascending.
  std::span<const uint32_t> shared_carveouts_kb;

  // Limits per block.
  uint32_t max_threads_per_block = 1024;
  uint32_t max_block_x = 1024, max_block_y = 1024, max_block_z = 64;
  uint32_t max_grid_x = 0x7fffffff, max_grid_y = 65535, max_grid_z = 65535;
  uint32_t registers_per_block = 65536;
  uint32_t max_registers_per_thread = 255;
  uint32_t shared_bytes_per_block = 48 * 1024;  // without cudaFuncSetAttribute
  uint32_t shared_bytes_per_block_optin = 0;    // with cudaFuncSetAttribute
  uint32_t shared_bytes_reserved = 0;           // the system's part of every block
  // The shared memory of a block is rounded up to this.
  uint32_t shared_granularity_bytes = 0;
  uint32_t register_granularity = 256;          // a warp's registers are rounded up to this
  uint32_t named_barriers_per_sm = 0;           // 0 = not a limit

  // Peak rates, from NVIDIA's data sheet.
  double memory_gb_per_s = 0;
  double fp32_tflops = 0, fp64_tflops = 0;
  double fp16_tensor_tflops = 0, bf16_tensor_tflops = 0, tf32_tensor_tflops = 0, fp8_tensor_tflops = 0;
  // The measured rate of a device-to-device copy (bytes read + written); 0 = not measured.
  double measured_copy_gb_per_s = 0;

  uint32_t max_threads_per_sm() const { return max_warps_per_sm * 32; }
};

// H200, H100, A100, RTX4090, T4: the first is the default.
std::span<const DeviceDescription> devices();
const DeviceDescription& default_device();

// Finds a device by name. Case, spaces, dashes, a leading "NVIDIA" and a trailing "(virtual)" are
// ignored; "" is the default device. nullptr when there is none: unknown_device_message() is the
// text for the user.
const DeviceDescription* find_device(std::string_view name);
// Every known name, the most similar to `name` (fewest letters to change) first.
std::vector<std::string_view> nearest_device_names(std::string_view name);
std::string unknown_device_message(std::string_view name);

}  // namespace ridge::warp_model

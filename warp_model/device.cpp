#include "warp_model/device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

namespace ridge::warp_model {
namespace {

constexpr uint64_t kKilo = 1024, kMega = 1024 * 1024;
constexpr uint64_t kGigaDecimal = 1'000'000'000;

// Carve-outs: CUDA C++ Programming Guide, "Compute Capabilities" (7.5, 8.0, 8.9, 9.0), the same steps as
// cuda_occupancy.h's cudaOccAlignUpShmemSizeVoltaPlus.
constexpr std::array<uint32_t, 10> kCarveoutsHopper{0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
constexpr std::array<uint32_t, 8> kCarveoutsAmpere{0, 8, 16, 32, 64, 100, 132, 164};
constexpr std::array<uint32_t, 6> kCarveoutsAda{0, 8, 16, 32, 64, 100};
constexpr std::array<uint32_t, 2> kCarveoutsTuring{32, 64};

// Compute capability 9.0. Limits: CUDA C++ Programming Guide, table "Technical Specifications per Compute
// Capability"; 256 KB of L1 and shared memory an SM: "NVIDIA H100 Tensor Core GPU Architecture" white paper.
// Granularities, the reserved 1 KB and the barrier numbers: cuda_occupancy.h of CUDA 13.0.
DeviceDescription hopper() {
  DeviceDescription d;
  d.compute_major = 9;
  d.compute_minor = 0;
  d.l1_and_shared_bytes = 256 * kKilo;
  d.max_warps_per_sm = 64;
  d.max_blocks_per_sm = 32;
  d.registers_per_sm = 65536;
  d.shared_bytes_per_sm = 228 * kKilo;
  d.shared_carveouts_kb = kCarveoutsHopper;
  d.shared_bytes_per_block_optin = 227 * kKilo;
  d.shared_bytes_reserved = kKilo;
  d.shared_granularity_bytes = 128;
  d.named_barriers_per_sm = 64;
  return d;
}

// NVIDIA H200 data sheet (SXM): 141 GB HBM3e, 4.8 TB/s, FP32 67, FP64 34, and with sparsity (halved here)
// TF32 989, BF16 and FP16 1979, FP8 3958 TFLOP/s. 132 SMs: 132 * 128 lanes * 2 * 1.98 GHz = 66.9 TFLOP/s, the
// data sheet's 67. L2: the 60 MB that cudaDeviceProp::l2CacheSize reports on an H200. Clock: 1980 MHz held in
// our float roofline run. Memory clock: 3201 MHz on a 6144-bit bus is 4.9 TB/s at the pins. Device copy: 4255
// to 4267 GB/s measured on an H200 with CUDA 13.0.
DeviceDescription h200() {
  DeviceDescription d = hopper();
  d.name = "H200";
  d.product_name = "NVIDIA H200";
  d.multiprocessors = 132;
  d.sm_clock_mhz = 1980;
  d.memory_clock_mhz = 3201;
  d.memory_bus_bits = 6144;
  d.memory_bytes = 141 * kGigaDecimal;
  d.l2_bytes = 60 * kMega;
  d.memory_gb_per_s = 4800;
  d.fp32_tflops = 66.9;
  d.fp64_tflops = 33.5;
  d.fp16_tensor_tflops = d.bf16_tensor_tflops = 989.4;
  d.tf32_tensor_tflops = 494.7;
  d.fp8_tensor_tflops = 1978.9;
  d.measured_copy_gb_per_s = 4260;
  return d;
}

// NVIDIA H100 data sheet (SXM5, 80 GB): 3.35 TB/s HBM3, the same SMs and rates as the H200; L2 50 MB (white
// paper). 2619 MHz on a 5120-bit bus is 3352 GB/s.
DeviceDescription h100() {
  DeviceDescription d = hopper();
  d.name = "H100";
  d.product_name = "NVIDIA H100 80GB HBM3";
  d.multiprocessors = 132;
  d.sm_clock_mhz = 1980;
  d.memory_clock_mhz = 2619;
  d.memory_bus_bits = 5120;
  d.memory_bytes = 80 * kGigaDecimal;
  d.l2_bytes = 50 * kMega;
  d.memory_gb_per_s = 3352;
  d.fp32_tflops = 66.9;
  d.fp64_tflops = 33.5;
  d.fp16_tensor_tflops = d.bf16_tensor_tflops = 989.4;
  d.tf32_tensor_tflops = 494.7;
  d.fp8_tensor_tflops = 1978.9;
  return d;
}

// "NVIDIA A100 Tensor Core GPU Architecture" white paper and data sheet (SXM4, 80 GB): 108 SMs at 1410 MHz,
// 192 KB of L1 and shared memory an SM, L2 40 MB, 2039 GB/s; dense rates FP32 19.5, FP64 9.7, TF32 156, BF16
// and FP16 312.
DeviceDescription a100() {
  DeviceDescription d;
  d.name = "A100";
  d.product_name = "NVIDIA A100-SXM4-80GB";
  d.compute_major = 8;
  d.compute_minor = 0;
  d.multiprocessors = 108;
  d.sm_clock_mhz = 1410;
  d.memory_clock_mhz = 1593;
  d.memory_bus_bits = 5120;
  d.memory_bytes = 80 * kGigaDecimal;
  d.l2_bytes = 40 * kMega;
  d.l1_and_shared_bytes = 192 * kKilo;
  d.max_warps_per_sm = 64;
  d.max_blocks_per_sm = 32;
  d.registers_per_sm = 65536;
  d.shared_bytes_per_sm = 164 * kKilo;
  d.shared_carveouts_kb = kCarveoutsAmpere;
  d.shared_bytes_per_block_optin = 163 * kKilo;
  d.shared_bytes_reserved = kKilo;
  d.shared_granularity_bytes = 128;
  d.memory_gb_per_s = 2039;
  d.fp32_tflops = 19.5;
  d.fp64_tflops = 9.7;
  d.fp16_tensor_tflops = d.bf16_tensor_tflops = 312;
  d.tf32_tensor_tflops = 156;
  return d;
}

// "NVIDIA Ada GPU Architecture" white paper, appendix A (GeForce RTX 4090): 128 SMs at 2520 MHz, 128 KB of L1
// and shared memory an SM, L2 72 MB, 24 GB GDDR6X at 1008 GB/s; dense rates FP32 82.6, BF16 and FP16 with
// FP32 accumulate 165.2, TF32 82.6, FP8 with FP32 accumulate 330.3; FP64 is 1/64 of FP32.
DeviceDescription rtx4090() {
  DeviceDescription d;
  d.name = "RTX4090";
  d.product_name = "NVIDIA GeForce RTX 4090";
  d.compute_major = 8;
  d.compute_minor = 9;
  d.multiprocessors = 128;
  d.sm_clock_mhz = 2520;
  d.memory_clock_mhz = 10501;
  d.memory_bus_bits = 384;
  d.memory_bytes = 24 * kKilo * kMega;
  d.l2_bytes = 72 * kMega;
  d.l1_and_shared_bytes = 128 * kKilo;
  d.max_warps_per_sm = 48;
  d.max_blocks_per_sm = 24;
  d.registers_per_sm = 65536;
  d.shared_bytes_per_sm = 100 * kKilo;
  d.shared_carveouts_kb = kCarveoutsAda;
  d.shared_bytes_per_block_optin = 99 * kKilo;
  d.shared_bytes_reserved = kKilo;
  d.shared_granularity_bytes = 128;
  d.memory_gb_per_s = 1008;
  d.fp32_tflops = 82.6;
  d.fp64_tflops = 1.29;
  d.fp16_tensor_tflops = d.bf16_tensor_tflops = 165.2;
  d.tf32_tensor_tflops = 82.6;
  d.fp8_tensor_tflops = 330.3;
  return d;
}

// NVIDIA T4 data sheet: 40 SMs at 1590 MHz, 16 GB GDDR6 at 320 GB/s, FP32 8.1, FP16 tensor 65. "NVIDIA Turing
// GPU Architecture" white paper: 96 KB of L1 and shared memory an SM, L2 4 MB on TU104, FP64 1/32 of FP32.
DeviceDescription t4() {
  DeviceDescription d;
  d.name = "T4";
  d.product_name = "Tesla T4";
  d.compute_major = 7;
  d.compute_minor = 5;
  d.multiprocessors = 40;
  d.sm_clock_mhz = 1590;
  d.memory_clock_mhz = 5001;
  d.memory_bus_bits = 256;
  d.memory_bytes = 16 * kKilo * kMega;
  d.l2_bytes = 4 * kMega;
  d.l1_and_shared_bytes = 96 * kKilo;
  d.max_warps_per_sm = 32;
  d.max_blocks_per_sm = 16;
  d.registers_per_sm = 65536;
  d.shared_bytes_per_sm = 64 * kKilo;
  d.shared_carveouts_kb = kCarveoutsTuring;
  d.shared_bytes_per_block_optin = 64 * kKilo;
  d.shared_bytes_reserved = 0;
  d.shared_granularity_bytes = 256;
  d.memory_gb_per_s = 320;
  d.fp32_tflops = 8.1;
  d.fp64_tflops = 0.25;
  d.fp16_tensor_tflops = 65;
  return d;
}

// "nvidia H-200 (virtual)" -> "h200": what two people may write for the same device.
std::string plain(std::string_view name) {
  std::string result;
  for (char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  for (std::string_view prefix : {"nvidia", "tesla", "geforce"}) {
    if (result.starts_with(prefix)) result.erase(0, prefix.size());
  }
  constexpr std::string_view kSuffix = "virtual";
  if (result.ends_with(kSuffix)) result.erase(result.size() - kSuffix.size());
  return result;
}

// Levenshtein's distance: letters to insert, delete or replace.
size_t letters_to_change(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t replaced = diagonal + (from[i - 1] != to[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::span<const DeviceDescription> devices() {
  static const std::array<DeviceDescription, 5> all{h200(), h100(), a100(), rtx4090(), t4()};
  return all;
}

const DeviceDescription& default_device() {
  return devices().front();
}

const DeviceDescription* find_device(std::string_view name) {
  if (name.empty()) return &default_device();
  const std::string wanted = plain(name);
  for (const DeviceDescription& device : devices()) {
    if (wanted == plain(device.name) || wanted == plain(device.product_name)) return &device;
  }
  return nullptr;
}

std::vector<std::string_view> nearest_device_names(std::string_view name) {
  const std::string wanted = plain(name);
  std::vector<std::string_view> names;
  for (const DeviceDescription& device : devices())
    names.push_back(device.name);
  std::stable_sort(names.begin(), names.end(), [&](std::string_view a, std::string_view b) {
    return letters_to_change(wanted, plain(a)) < letters_to_change(wanted, plain(b));
  });
  return names;
}

std::string unknown_device_message(std::string_view name) {
  const std::vector<std::string_view> names = nearest_device_names(name);
  std::string message = "there is no device named \"" + std::string(name) + "\"; the nearest is \"" +
                        std::string(names.front()) + "\", and the others are";
  for (size_t i = 1; i < names.size(); ++i) {
    message += (i == 1 ? " \"" : ", \"") + std::string(names[i]) + "\"";
  }
  return message + ".";
}

}  // namespace ridge::warp_model

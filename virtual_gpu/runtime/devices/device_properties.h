// cudaDeviceProp and cudaDeviceAttr values of a described device.
#pragma once

#include <optional>

#include "virtual_gpu/runtime/api/cuda_api.h"
#include "warp_model/device.h"

namespace ridge::runtime {

uint64_t persisting_l2_bytes(const warp_model::DeviceDescription& device);
cudaDeviceProp device_properties(const warp_model::DeviceDescription& device, int ordinal);
// nullopt for an unknown attribute.
std::optional<int> device_attribute(const warp_model::DeviceDescription& device, int ordinal,
                                    cudaDeviceAttr attribute);

}  // namespace ridge::runtime

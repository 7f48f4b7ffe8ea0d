// The choice of a device on a page.
#pragma once

#include <nlohmann/json.hpp>

#include "warp_model/device.h"

namespace ridge::view {

inline nlohmann::json device_names() {
  nlohmann::json names = nlohmann::json::array();
  for (const warp_model::DeviceDescription& device : warp_model::devices())
    names.push_back(device.name);
  return names;
}

}  // namespace ridge::view

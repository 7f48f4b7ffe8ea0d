#include "trace/device_choice.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "text/whole_file.h"
#include "warp_model/device_file.h"

namespace ridge::trace {

const warp_model::DeviceDescription* choose_device(std::string_view asked, std::string& error) {
  if (const auto* device = warp_model::find_device(asked)) return device;
  const std::string path(asked);
  if (!asked.ends_with(".toml") && asked.find('/') == std::string_view::npos) {
    error = warp_model::unknown_device_message(asked);
    return nullptr;
  }
  // Reject device files and pipes, whose reading would not end.
  constexpr uintmax_t kMostBytes = 1 << 20;
  std::error_code gone;
  if (std::filesystem::exists(path, gone) && !std::filesystem::is_regular_file(path, gone)) {
    error = path + " is not a file; `--as` takes the name of a device or a file like those in warp_model/devices";
    return nullptr;
  }
  if (const uintmax_t bytes = std::filesystem::file_size(path, gone); !gone && bytes > kMostBytes) {
    error = path + " has " + std::to_string(bytes) + " bytes, and a description of a device has at most " +
            std::to_string(kMostBytes);
    return nullptr;
  }
  std::string description;
  try {
    description = text::read_file(path);
  } catch (const std::runtime_error& unreadable) {
    error = std::string("the device description: ") + unreadable.what();
    return nullptr;
  }
  const auto* device = warp_model::read_device(description, error);
  if (device == nullptr) error = "the device description " + path + ": " + error;
  return device;
}

std::string architecture_of(const warp_model::DeviceDescription& device) {
  const std::string numbers = std::to_string(device.compute_major) + std::to_string(device.compute_minor);
  return device.compute_major >= 9 ? numbers + "a" : numbers;
}

}  // namespace ridge::trace

#include "warp_model/device.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <stdexcept>

#include "warp_model/device_file.h"

namespace ridge::warp_model {
namespace {

// Normalises a device name: "nvidia H-200 (virtual)" and "H200" both become "h200".
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

// Levenshtein distance: number of letters to insert, delete or replace.
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
  static const std::vector<DeviceDescription> all = [] {
    std::vector<DeviceDescription> read;
    for (const std::string_view text : built_in_device_texts()) {
      std::string error;
      const DeviceDescription* device = read_device(text, error);
      if (device == nullptr) throw std::logic_error("a built-in device description is wrong: " + error);
      read.push_back(*device);
    }
    return read;
  }();
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
  return message + "; a path of a .toml file takes a description from there.";
}

}  // namespace ridge::warp_model

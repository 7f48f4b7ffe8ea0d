#include "harness/course/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "harness/course/table_reader.h"
#include "warp_model/device.h"

namespace ridge::course {

namespace {

std::string key_of(const warp_model::DeviceDescription& device) {
  std::string key = "nvidia-" + std::string(device.name);
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return key;
}

Target read_figures(TableReader& reader, std::string_view device) {
  Target target{0, 0, std::string(device)};
  for (auto [key, value] : {std::pair{"pass", &target.pass}, std::pair{"gold", &target.gold}}) {
    const std::optional<double> percent = reader.number_if_there(key);
    if (!percent)
      reader.fail(key, fmt::format("\"target\" has no \"{}\"", key), "percent of the baseline");
    if (!(*percent > 0))
      reader.fail(key, fmt::format("\"{}\" is {}", key, *percent), "percent above 0");
    *value = *percent;
  }
  if (target.gold < target.pass)
    reader.fail("gold", fmt::format("gold = {} is under pass = {}", target.gold, target.pass),
                "pass <= gold");
  return target;
}

}  // namespace

const Target& Targets::on(std::string_view gpu) const {
  const auto own = std::find_if(of_devices.begin(), of_devices.end(),
                                [&](const Target& target) { return target.device == gpu; });
  return own == of_devices.end() ? *this : *own;
}

Targets read_targets(TableReader reader) {
  std::string measured_on = reader.text_if_there("measured_on");
  if (measured_on.empty()) measured_on = key_of(warp_model::default_device());
  Targets targets;
  std::string keys;
  for (const warp_model::DeviceDescription& device : warp_model::devices()) {
    const std::string key = key_of(device);
    keys += (keys.empty() ? "" : ", ") + key;
    if (key == measured_on)
      static_cast<Target&>(targets) = read_figures(reader, device.product_name);
    std::optional<TableReader> own = reader.table_if_there(key);
    if (!own) continue;
    if (key == measured_on)
      reader.fail(key, fmt::format("\"target\" has the figures of {} twice", key),
                  "those of other devices than \"measured_on\"");
    targets.of_devices.push_back(read_figures(*own, device.product_name));
    own->no_other_keys();
  }
  if (targets.device.empty())
    reader.fail("measured_on", fmt::format("\"measured_on\" is {}", measured_on), "one of " + keys);
  reader.no_other_keys();
  return targets;
}

}  // namespace ridge::course

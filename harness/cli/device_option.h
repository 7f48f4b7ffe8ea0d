// --as: selects the device that the virtual GPU simulates.
#pragma once

#include <CLI/CLI.hpp>

namespace ridge::cli {

// Adds the option. The device's name (or the absolute path of its file) is put into the environment
// for the virtual GPU. An unknown name is a UsageError that lists the known ones.
void add_device_option(CLI::App& command);

}  // namespace ridge::cli

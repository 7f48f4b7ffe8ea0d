// --as: the device that the virtual GPU is to be.
#pragma once

#include <CLI/CLI.hpp>

namespace ridge::cli {

// Adds the option. When it is given, the device's name (or the whole path of its file) is put into the
// environment, for the virtual GPU below; a name that is none is a UsageError with those that are.
void add_device_option(CLI::App& command);

}  // namespace ridge::cli

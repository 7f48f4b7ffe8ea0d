#include "harness/cli/device_option.h"

#include <cstdlib>
#include <filesystem>

#include "harness/cli/terminal/exit_status.h"
#include "trace/device_choice.h"
#include "trace/environment.h"

namespace ridge::cli {

void add_device_option(CLI::App& command) {
  const auto choose = [](const std::string& asked) {
    std::string error;
    if (!trace::choose_device(asked, error)) throw UsageError("--as: " + error);
    std::error_code ignored;
    const bool is_file = std::filesystem::exists(asked, ignored);
    setenv(trace::kDeviceVariable, (is_file ? std::filesystem::absolute(asked).string() : asked).c_str(), 1);
  };
  command
      .add_option_function<std::string>("--as", choose,
                                        "the device that the virtual GPU is to be: H200 (default), H100, "
                                        "A100, RTX4090, T4, or a file like those "
                                        "in warp_model/devices")
      ->option_text("NAME|FILE");
}

}  // namespace ridge::cli

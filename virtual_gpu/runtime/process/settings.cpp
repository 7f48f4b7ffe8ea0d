#include "virtual_gpu/runtime/process/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <string_view>

#include "trace/device_choice.h"
#include "trace/environment.h"

namespace ridge::runtime {
namespace {

constexpr int kMaxDevices = 16;
constexpr unsigned kMaxHostThreads = 1024;

template <typename T>
bool parse_number(std::string_view text, T lowest, T highest, T& value) {
  T number{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < lowest || number > highest)
    return false;
  value = number;
  return true;
}

void read_checks(std::string_view text, Settings& settings) {
  settings.checks.clear();
  if (text == "none") return;
  while (!text.empty()) {
    std::string check(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), check.size() + 1));
    if (check == "all") {
      settings.checks = all_checks();
    } else if (check == "leak") {
      settings.leak_check = true;
    } else if (all_checks().contains(check)) {
      settings.checks.insert(check);
    } else {
      settings.warnings.push_back(
          fmt::format("{}={}: \"{}\" is not a check, and is ignored; the checks are all, none, leak, {}",
                      trace::kChecksVariable, text.empty() ? check : check + ",...", check,
                      fmt::join(all_checks(), ", ")));
    }
  }
}

const warp_model::DeviceDescription* device_or_default(std::string_view asked,
                                                       std::vector<std::string>& warnings) {
  std::string error;
  if (const auto* device = trace::choose_device(asked, error)) return device;
  warnings.push_back(fmt::format("{}; using {}", error, warp_model::default_device().name));
  return &warp_model::default_device();
}

}  // namespace

const std::set<std::string>& all_checks() {
  static const std::set<std::string> checks{"barrier", "bounds", "deadlock", "race", "uninitialised"};
  return checks;
}

Settings read_settings(const std::function<const char*(const char* name)>& variable) {
  Settings settings;
  auto text_of = [&](const char* name) {
    const char* value = variable(name);
    return std::string_view(value ? value : "");
  };
  auto number = [&](const char* name, auto lowest, auto highest, auto& value, std::string_view unit) {
    std::string_view text = text_of(name);
    if (text.empty() || parse_number(text, lowest, highest, value)) return;
    settings.warnings.push_back(
        fmt::format("{}={} is ignored: give {} from {} to {}", name, text, unit, lowest, highest));
  };

  settings.report_path = text_of(trace::kReportVariable);
  settings.report_summary = text_of(trace::kReportSummaryVariable) == "1";
  settings.graded = text_of(trace::kGradedVariable) == "1";
  settings.trace_path = text_of(trace::kTraceVariable);
  if (auto blocks = text_of(trace::kTraceBlocksVariable); !blocks.empty()) settings.trace_blocks = blocks;
  settings.trace_kernel = text_of(trace::kTraceKernelVariable);
  number(trace::kTraceLaunchVariable, uint64_t{1}, uint64_t{1} << 32, settings.trace_launch,
         "a number of a launch");
  number(trace::kTraceLimitVariable, uint64_t{1024}, uint64_t{1} << 40, settings.trace_limit_bytes, "bytes");
  number(trace::kThreadsVariable, 1u, kMaxHostThreads, settings.host_threads, "a number of threads");
  number(trace::kTimeLimitVariable, 0.0, 1e6, settings.time_limit_s, "seconds");
  number(trace::kBlockOrderVariable, uint64_t{1}, uint64_t{1} << 32, settings.order_seed, "a seed");
  number(trace::kDevicesVariable, 1, kMaxDevices, settings.device_count, "a number of devices");

  settings.host_apart = text_of(trace::kHostApartVariable) == "1";
  settings.cold_caches = text_of(trace::kCachesVariable) == "cold";
  settings.launches_block =
      !text_of("CUDA_LAUNCH_BLOCKING").empty() && text_of("CUDA_LAUNCH_BLOCKING") != "0";

  settings.checks = all_checks();
  if (auto checks = text_of(trace::kChecksVariable); !checks.empty()) read_checks(checks, settings);

  settings.device = device_or_default(text_of(trace::kDeviceVariable), settings.warnings);
  return settings;
}

}  // namespace ridge::runtime

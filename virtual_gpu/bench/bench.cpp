// ridge bench virtual-gpu: the speed of the virtual GPU in warp-instructions per second.
//
// Each benchmark is one launch in a fresh process on the virtual GPU. Time and instruction count
// are those of the launch report: the time is what a user waits. The result is the best of several
// repeats, because disturbances of a CPU measurement only make it slower.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "trace/environment.h"
#include "trace/launch_report.h"
#include "virtual_gpu/machine/native/native_code.h"

extern char** environ;

namespace {

namespace fs = std::filesystem;

struct Measurement {
  std::string name;
  bool checks = true;
  unsigned threads = 1;
  double seconds = 0;          // of the launch
  double process_seconds = 0;  // of the whole program
  double cpu_seconds = 0;      // ... on all cores together
  uint64_t warp_instructions = 0;
};

const std::vector<std::string> kBenchmarks = {
    "sgemm-naive-512", "sgemm-naive-1024", "sgemm-tiled-1024",  "sgemm-blocked-2048",
    "gather-10M",      "vector-add-16M",   "transpose-4096",    "sum-shuffle-16M",
    "mma-2048",        "wgmma-tma-4096",   "hadamard-shuffle",  "mma-bf16",
    "mma-int8",        "mma-f64",          "sgemm-async4-1024", "sgemm-async16-1024"};

// Programs with many launches or much PTX: the time of the whole process counts, and no report is
// written.
const std::vector<std::string> kProcesses = {"start-up", "start-up-ptx", "launches-10k"};

fs::path own_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

// The environment of this process with some variables set; returns "NAME=value" strings.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    std::string text = *entry;
    bool replaced = std::any_of(settings.begin(), settings.end(),
                                [&](const auto& setting) { return text.starts_with(setting.first + "="); });
    if (!replaced) result.push_back(text);
  }
  for (const auto& [name, value] : settings)
    result.push_back(name + "=" + value);
  return result;
}

struct Process {
  double seconds, cpu_seconds;
};

Process run_process(const fs::path& program, const std::string& argument,
                    const std::vector<std::string>& environment) {
  std::string program_text = program.string(), argument_text = argument;
  std::vector<char*> arguments = {program_text.data(), argument_text.data(), nullptr};
  std::vector<std::string> copies = environment;
  std::vector<char*> variables;
  for (std::string& copy : copies)
    variables.push_back(copy.data());
  variables.push_back(nullptr);
  auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (int error = posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), variables.data());
      error != 0)
    throw std::runtime_error(
        fmt::format("cannot start {}: {}", program.string(), std::generic_category().message(error)));
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(
        fmt::format("{} {} failed: its message is above", program.filename().string(), argument));
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          seconds(used.ru_utime) + seconds(used.ru_stime)};
}

Measurement measure(const std::string& name, bool checks, unsigned threads, int repeats) {
  fs::path report = fs::temp_directory_path() / fmt::format("ridge-bench-{}.jsonl", getpid());
  Measurement best{name, checks, threads};
  const bool is_process = std::find(kProcesses.begin(), kProcesses.end(), name) != kProcesses.end();
  for (int i = 0; i < repeats; ++i) {
    fs::remove(report);
    auto environment = environment_with({{ridge::trace::kReportVariable, is_process ? "" : report.string()},
                                         {ridge::trace::kChecksVariable, checks ? "all" : "none"},
                                         {ridge::trace::kThreadsVariable, std::to_string(threads)},
                                         {"LD_LIBRARY_PATH", (own_folder() / "../lib/virtual").string()}});
    const Process process = run_process(own_folder() / "ridge-bench-kernels", name, environment);
    if (i == 0 || process.seconds < best.process_seconds) best.process_seconds = process.seconds;
    if (i == 0 || process.cpu_seconds < best.cpu_seconds) best.cpu_seconds = process.cpu_seconds;
    if (is_process) continue;
    auto launches = ridge::trace::read_reports(report);
    if (launches.size() != 1)
      throw std::runtime_error(
          fmt::format("{}: expected one launch, the report has {}", name, launches.size()));
    if (i == 0 || launches[0].host_seconds < best.seconds) best.seconds = launches[0].host_seconds;
    best.warp_instructions = launches[0].warp_instructions;
  }
  fs::remove(report);
  return best;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{
      "How fast the virtual GPU executes, in million warp-instructions per second.\n"
      "Example: ridge bench virtual-gpu --only sgemm"};
  bool json = false;
  std::string only;
  int repeats = 3;
  app.add_flag("--json", json,
               "a list of objects: name, seconds, warp_instructions, checks, threads, cpu_seconds");
  app.add_option("--only", only, "benchmarks whose name contains this");
  app.add_option("--repeats", repeats, "runs of each; the best counts")->check(CLI::Range(1, 100));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // 2: wrong usage, as in all commands
  }

  unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<unsigned> thread_counts = {1};
  if (cores > 1) thread_counts.push_back(cores);
  nlohmann::json list = nlohmann::json::array();
  if (!json) {
    fmt::print("native code: {}\n", ridge::machine::native_tier_text());
    fmt::print("{:<20} {:>7} {:>8} {:>9} {:>9} {:>13} {:>15} {:>12} {:>9}\n", "benchmark", "checks",
               "threads", "seconds", "cpu s", "M warp-instr", "M a s and core", "to no checks", "speed-up");
  }
  bool any = false;
  // without_checks, one_thread: the same benchmark's seconds, 0 when it was not measured.
  auto add = [&](const Measurement& m, double seconds, double without_checks, double one_thread) {
    any = true;
    if (json) {
      list.push_back({{"name", m.name},
                      {"seconds", seconds},
                      {"warp_instructions", m.warp_instructions},
                      {"checks", m.checks},
                      {"threads", m.threads},
                      {"cpu_seconds", m.cpu_seconds}});
      return;
    }
    double millions = static_cast<double>(m.warp_instructions) / 1e6;
    const auto ratio = [](double of, double to) {
      return of > 0 && to > 0 ? fmt::format("{:.2f}", of / to) : "";
    };
    fmt::print("{:<20} {:>7} {:>8} {:>9.3f} {:>9.3f} {:>13.1f} {:>15.1f} {:>12} {:>9}\n", m.name,
               m.checks ? "on" : "off", m.threads, seconds, m.cpu_seconds, millions,
               millions / seconds / m.threads, ratio(seconds, without_checks), ratio(one_thread, seconds));
    std::fflush(stdout);
  };
  for (const std::string& name : kBenchmarks) {
    if (name.find(only) == std::string::npos) continue;
    std::vector<double> without_checks;
    for (bool checks : {false, true}) {
      double one_thread = 0;
      for (size_t i = 0; i < thread_counts.size(); ++i) {
        Measurement m = measure(name, checks, thread_counts[i], repeats);
        if (!checks) without_checks.push_back(m.seconds);
        add(m, m.seconds, checks ? without_checks[i] : 0, i > 0 ? one_thread : 0);
        if (i == 0) one_thread = m.seconds;
      }
    }
  }
  for (const std::string& name : kProcesses) {
    if (name.find(only) == std::string::npos) continue;
    Measurement m = measure(name, true, cores, std::max(repeats, 5));
    add(m, m.process_seconds, 0, 0);
  }
  if (!any) {
    fmt::print(stderr, "ridge bench: no benchmark's name contains '{}'; there are: {}, {}\n", only,
               fmt::join(kBenchmarks, ", "), fmt::join(kProcesses, ", "));
    return 2;
  }
  if (json) fmt::print("{}\n", list.dump(2));
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "ridge bench: {}\n", error.what());
  return 1;
}

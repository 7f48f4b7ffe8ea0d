#include "harness/grade/gates/nsight_counters.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/build/process.h"
#include "harness/build/toolkit.h"
#include "harness/grade/scratch_folder.h"
#include "harness/runner/messages.h"

namespace ridge::grade {

namespace {

namespace fs = std::filesystem;

// The fields of one line of CSV in quotes, as ncu writes it.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  bool quoted = false;
  std::string field;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.push_back(std::move(field));
      field.clear();
    } else if (c != '\r') {
      field += c;
    }
  }
  fields.push_back(std::move(field));
  return fields;
}

std::string lines_with(const std::string& text, const std::string& mark) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);)
    if (line.find(mark) != std::string::npos) found += (found.empty() ? "" : " ") + line;
  return found;
}

// Writes the runner's commands and their inputs to files.
fs::path write_replay(const course::Rung& rung, const fs::path& object, const fs::path& folder) {
  const problems::Problem& problem = problems::find_problem(rung.problem);
  const problems::Case given = problems::make_case(
      problem, rung.is_timed() ? rung.gpu_size : rung.virtual_size, problems::Draw::uniform, 1);
  int64_t bytes = 0;
  const auto plans = runner::plan_buffers(given.buffers, 0, bytes);
  const fs::path memory = folder / "memory";
  std::ofstream stream(memory, std::ios::binary);
  for (size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].read) continue;
    stream.seekp(plans[i].in_offset);
    stream.write(reinterpret_cast<const char*>(given.initial[i].data()), plans[i].bytes);
  }
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("cannot write {}", memory.string()));
  fs::resize_file(memory, static_cast<uintmax_t>(bytes));
  const nlohmann::json commands = {{{"do", "greet"}},
                                   {{"do", "load"},
                                    {"object", fs::absolute(object).string()},
                                    {"entry", rung.entry},
                                    {"problem", rung.problem}},
                                   {{"do", "case"},
                                    {"sizes", given.sizes},
                                    {"scalars", given.scalars},
                                    {"buffers", plans},
                                    {"map_bytes", bytes},
                                    {"profiled", true}}};
  const fs::path file = folder / "replay.json";
  std::ofstream(file) << nlohmann::json{{"memory", memory.string()}, {"commands", commands}}.dump();
  return file;
}

}  // namespace

const std::vector<CounterKind>& counter_kinds() {
  static const std::vector<CounterKind> kinds = {
      {"gpu__time_duration.sum", "", "how long the kernel ran, under the profiler and with cold caches"},
      {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "%",
       "how busy DRAM was; above 85 the kernel waits for memory, and only fewer bytes help"},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%",
       "how busy the busiest unit of the SMs was; when this and DRAM are both low, warps wait for each other "
       "or for answers"},
      {"dram__bytes_read.sum", "",
       "what came from DRAM; more than the inputs' size means that something was read twice"},
      {"dram__bytes_write.sum", "",
       "what went to DRAM; more than the outputs' size means partly written sectors"},
      {"lts__t_sector_hit_rate.pct", "%", "share of the sectors requested from L2 that were in it"},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "", "loads from global memory, one per warp"},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "",
       "sectors of 32 bytes that those loads touched: 4 per load when 32 lanes read neighbouring floats"},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "",
       "times that shared memory had to answer once more because two lanes wanted one bank"},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", "%",
       "warps resident on an SM, of the most it can hold: what there is to switch to while some wait"},
      {"smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
       "cycles in which a scheduler had an instruction to issue"},
      {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "warps",
       "warps waiting for global or local memory at any moment an instruction is issued: more loads in "
       "flight help"},
      {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "warps",
       "warps waiting at __syncthreads()"},
  };
  return kinds;
}

Counters counters_in(const std::string& printed) {
  Counters counters;
  std::istringstream lines(printed);
  std::string line;
  while (std::getline(lines, line) && !line.starts_with("\"ID\"")) {
  }
  if (!line.starts_with("\"ID\"")) {
    if (printed.find("ERR_NVGPUCTRPERM") != std::string::npos)
      counters.why_not =
          "this user may not read the GPU's counters (ERR_NVGPUCTRPERM); an administrator can allow it with "
          "the driver's "
          "option NVreg_RestrictProfilingToAdminUsers=0";
    else if (const std::string errors = lines_with(printed, "==ERROR=="); !errors.empty())
      counters.why_not = "ncu could not read the counters: " + errors;
    else
      counters.why_not = "ncu saw no kernel";
    return counters;
  }
  const std::vector<std::string> names = fields_of(line);
  std::vector<std::string> units;
  while (std::getline(lines, line)) {
    std::vector<std::string> fields = fields_of(line);
    if (fields.size() != names.size()) continue;
    if (units.empty() && fields.front().empty()) {  // the row of units below the names
      units = fields;
      continue;
    }
    auto column = [&](std::string_view name) {
      return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    KernelCounters kernel;
    if (size_t at = column("Kernel Name"); at < names.size()) kernel.kernel = fields[at];
    for (const CounterKind& kind : counter_kinds()) {
      const size_t at = column(kind.metric);
      std::string value = at < names.size() ? fields[at] : "";
      if (!value.empty() && kind.unit.empty() && at < units.size() && !units[at].empty())
        value += " " + units[at];
      if (!value.empty() && !kind.unit.empty()) value += fmt::format(" {}", kind.unit);
      kernel.values.push_back(std::move(value));
    }
    counters.kernels.push_back(std::move(kernel));
  }
  if (counters.kernels.empty()) counters.why_not = "ncu saw no kernel";
  return counters;
}

Counters read_counters(const course::Rung& rung, const fs::path& object, const fs::path& libraries,
                       const fs::path& cache) {
  Counters counters;
  const auto toolkit = build::find_toolkit();
  const fs::path ncu = toolkit ? toolkit->folder / "bin" / "ncu" : fs::path();
  std::error_code ignored;
  if (!toolkit || !fs::exists(ncu, ignored)) {
    counters.why_not = "Nsight Compute is not installed (apt-get install cuda-nsight-compute-13-0)";
    return counters;
  }
  const ScratchFolder scratch(cache);
  const fs::path replay = write_replay(rung, object, scratch.path());
  std::string metrics;
  for (const CounterKind& kind : counter_kinds())
    metrics += fmt::format("{}{}", metrics.empty() ? "" : ",", kind.metric);
  // Leave the clocks as they are: locking them would affect other users of the GPU.
  const build::Finished finished = build::run(
      {ncu.string(), "--clock-control", "none", "--profile-from-start", "off", "--csv", "--page", "raw",
       "--metrics", metrics, runner::find_installation().runner.string(), "--replay", replay.string()},
      {{"LD_LIBRARY_PATH", libraries.string()}, {"TMPDIR", scratch.path().string()}});
  if (!finished.started) {
    counters.why_not = "ncu could not be started: " + finished.output;
    return counters;
  }
  return counters_in(finished.output);
}

}  // namespace ridge::grade

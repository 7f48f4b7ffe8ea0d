#include "harness/report/store/json.h"

namespace ridge::report {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostDetailBytes = 16 * 1024;  // limits the stored output of a program

// A student's program may print invalid UTF-8; it is replaced by U+FFFD and does not throw.
std::string dumped(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json limit(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json state_json(const measure::GpuState& state) {
  return {{"sm_mhz", state.sm_mhz},
          {"memory_mhz", state.memory_mhz},
          {"temperature_c", state.temperature_c},
          {"power_w", state.power_w},
          {"reasons", measure::words_of_reasons(state.reasons)}};
}

ordered_json gpu_json(const measure::GpuRecord& gpu) {
  ordered_json json = {{"watched", gpu.watched},
                       {"why_not", gpu.why_not},
                       {"warm_up_seconds", gpu.warm_up_seconds},
                       {"steady", gpu.steady}};
  if (!gpu.watched) return json;
  json["sm_mhz_low"] = gpu.sm_mhz_low;
  json["sm_mhz"] = gpu.sm_mhz;
  json["sm_mhz_high"] = gpu.sm_mhz_high;
  json["temperature_c"] = gpu.temperature_c;
  json["power_w"] = gpu.power_w;
  json["reasons"] = measure::words_of_reasons(gpu.reasons);
  json["before"] = state_json(gpu.before);
  json["after"] = state_json(gpu.after);
  return json;
}

ordered_json roof_json(const measure::Roofs& roofs, const measure::RoofPlace& place) {
  return {{"percent", place.percent},
          {"bound", measure::to_string(place.bound)},
          {"gigabytes_per_second", roofs.gb_per_s},
          {"bandwidth_source", roofs.bandwidth_source},
          {"teraflops", roofs.tflops},
          {"rate_source", roofs.rate_source},
          {"launch_ms", roofs.launch_ms},
          {"memory_ms", place.memory_ms},
          {"compute_ms", place.compute_ms}};
}

ordered_json library_json(const runner::BaselineReport& report) {
  ordered_json trials = ordered_json::array();
  for (const runner::BaselineTrial& trial : report.trials)
    trials.push_back({{"name", trial.name}, {"time_ms", trial.time_ms}});
  return {{"library", report.library}, {"chosen", report.chosen}, {"trials", trials}};
}

void add_figures(ordered_json& json, const grade::Result& result) {
  // Each kernel has a register at least; clang writes PTX, of which neither is known.
  json["registers"] = result.registers > 0 ? ordered_json(result.registers) : ordered_json();
  json["spill_bytes"] = result.registers > 0 ? ordered_json(result.spill_bytes) : ordered_json();
  json["shared_bytes"] = result.shared_bytes;
  json["sandbox"] = result.sandbox;
  json["measured"] = result.measured ? measured_json(*result.measured) : ordered_json(nullptr);
  json["gates"] = ordered_json::array();
  for (const grade::GateResult& gate : result.gates) {
    json["gates"].push_back({{"count", gate.gate.count},
                             {"at_most", limit(gate.gate.at_most)},
                             {"at_least", limit(gate.gate.at_least)},
                             {"value", gate.skipped.empty() ? ordered_json(gate.value) : ordered_json()},
                             {"passed", gate.passed},
                             {"why", gate.gate.why}});
    if (!gate.skipped.empty()) json["gates"].back()["skipped"] = gate.skipped;
  }
  if (result.traffic) {
    const grade::Traffic& traffic = *result.traffic;
    json["traffic"] = {{"operations", traffic.operations}, {"useful_bytes", traffic.useful_bytes},
                       {"l1_bytes", traffic.l1_bytes},     {"l2_bytes", traffic.l2_bytes},
                       {"dram_bytes", traffic.dram_bytes}, {"peak_teraflops", traffic.peak_tflops}};
  }
  if (result.links) {
    ordered_json links = ordered_json::array();
    for (const trace::LinkCounts& link : result.links->links)
      links.push_back({{"source", link.source},
                       {"destination", link.destination},
                       {"kind", link.kind},
                       {"bytes", link.bytes},
                       {"requests", link.requests},
                       {"requests_by_sectors", link.requests_by_sectors}});
    json["links"] = {{"ideal_bytes", result.links->ideal_bytes}, {"of", links}};
  }
  if (!result.counted_size.empty()) json["counted_size"] = result.counted_size;
  json["counts"] = ordered_json::array();
  for (const grade::CountRow& row : result.counts) {
    json["counts"].push_back({{"line", row.line},
                              {"what", row.what},
                              {"requests", row.requests},
                              {"sectors", row.sectors},
                              {"ideal_sectors", row.ideal_sectors},
                              {"wavefronts", row.wavefronts},
                              {"ideal_wavefronts", row.ideal_wavefronts}});
  }
}

void add_finding(ordered_json& json, const grade::Result& result) {
  json["finding"] = result.finding;
  json["error_map"] = result.error_map ? error_map_json(*result.error_map) : ordered_json();
}

}  // namespace

ordered_json measured_json(const grade::Measured& measured) {
  ordered_json json = {{"time_ms", measured.time_ms},
          {"baseline_ms", measured.baseline_ms},
          {"percent", measured.percent},
          {"percent_low", measured.percent_low},
          {"percent_high", measured.percent_high},
          {"gigabytes_per_second", measured.gigabytes_per_second},
          {"gigaflops", measured.gigaflops},
          {"rounds", measured.rounds},
          {"baseline", measured.baseline},
          {"discarded", measured.discarded},
          {"throttled", measured.throttled},
          {"ungated", measured.ungated},
          {"roof", roof_json(measured.roofs, measured.place)},
          {"library", library_json(measured.library)},
          {"gpu", gpu_json(measured.gpu)}};
  if (measured.target.pass > 0) {
    json["pass_percent"] = measured.target.pass;
    json["gold_percent"] = measured.target.gold;
    json["target_device"] = measured.target.device;
  }
  if (measured.in_a_row > 1) json["calls_in_a_row"] = measured.in_a_row;
  if (!measured.not_captured.empty()) json["not_captured"] = measured.not_captured;
  if (const auto& second = measured.second)
    json["second"] = {{"baseline", second->baseline}, {"time_ms", second->time_ms},
                      {"times", second->times},       {"times_low", second->times_low},
                      {"times_high", second->times_high}, {"at_least", second->at_least}};
  return json;
}

const char* engine_name(grade::Engine engine) {
  switch (engine) {
    case grade::Engine::gpu:
      return "gpu";
    case grade::Engine::virtual_gpu:
      return "virtual";
    case grade::Engine::automatic:
      break;
  }
  return "auto";
}

ordered_json error_map_json(const grade::ErrorMap& map) {
  return {{"array", map.array},
          {"rows", map.rows},
          {"columns", map.columns},
          {"elements_per_cell", map.elements_per_cell},
          {"lines", map.lines}};
}

grade::ErrorMap error_map_from(const nlohmann::json& json) {
  return {json.at("array"), json.at("rows"), json.at("columns"), json.at("elements_per_cell"),
          json.at("lines")};
}

std::string figures_json(const grade::Result& result) {
  ordered_json json;
  json["size"] = result.size;
  json["summary"] = result.summary;
  json["next"] = result.next;
  json["detail"] = result.detail.substr(0, kMostDetailBytes);
  add_finding(json, result);
  json["cases"] = result.cases;
  add_figures(json, result);
  return dumped(json, -1);
}

std::string conditions_json(const grade::Result& result) {
  const grade::Conditions& conditions = result.conditions;
  ordered_json json;
  json["ridge"] = RIDGE_VERSION;
  json["toolkit"] = conditions.toolkit;
  json["flags"] = conditions.flags;
  json["headers_sha256"] = conditions.headers_sha256;
  json["device_asked"] = conditions.device_asked;
  json["hidden_sizes"] = conditions.hidden_sizes;
  return dumped(json, -1);
}

std::string results_json(std::span<const Graded> results) {
  ordered_json document;
  document["schema"] = kJsonSchema;
  document["results"] = ordered_json::array();
  for (const Graded& graded : results) {
    const grade::Result& result = graded.result;
    ordered_json json;
    json["rung"] = graded.rung->path();
    json["title"] = graded.rung->title;
    json["source"] = graded.solution ? "solution" : !graded.file.empty() ? "file" : "student";
    if (!graded.file.empty()) json["file"] = graded.file;
    json["verdict"] = grade::to_string(result.verdict);
    json["passed"] = grade::passed(result.verdict);
    json["summary"] = result.summary;
    json["next"] = result.next;
    json["detail"] = result.detail;
    add_finding(json, result);
    json["engine"] = engine_name(result.engine);
    json["device"] = result.device;
    json["compiler"] = result.conditions.toolkit;  // "13.0": nvcc's CUDA; "clang 19.1.7"
    json["size"] = result.size;
    json["seconds"] = result.seconds;
    json["stages"] = ordered_json::object();
    for (const measure::StageTime& stage : result.stages)
      json["stages"][stage.name] = stage.seconds;
    json["seed"] = fmt::format("{:016x}", result.seed);
    json["hidden_sizes"] = result.conditions.hidden_sizes;
    add_figures(json, result);
    for (const auto& [count, value] : result.all_counts)
      json["all_counts"][count] = value;
    document["results"].push_back(std::move(json));
  }
  return dumped(document, 1) + "\n";
}

}  // namespace ridge::report

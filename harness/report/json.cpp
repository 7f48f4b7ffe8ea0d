#include "harness/report/json.h"

namespace ridge::report {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostDetailBytes = 16 * 1024;  // of what a program printed, a store need not keep megabytes

// A student's program may print bytes that are no UTF-8; they become U+FFFD rather than an exception.
std::string dumped(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json limit(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json measured_json(const grade::Measured& measured) {
  return {{"time_ms", measured.time_ms},           {"baseline_ms", measured.baseline_ms},
          {"percent", measured.percent},           {"percent_low", measured.percent_low},
          {"percent_high", measured.percent_high}, {"gigabytes_per_second", measured.gigabytes_per_second},
          {"gigaflops", measured.gigaflops},       {"rounds", measured.rounds},
          {"baseline", measured.baseline}};
}

void add_figures(ordered_json& json, const grade::Result& result) {
  json["registers"] = result.registers;
  json["spill_bytes"] = result.spill_bytes;
  json["shared_bytes"] = result.shared_bytes;
  json["sandbox"] = result.sandbox;
  json["measured"] = result.measured ? measured_json(*result.measured) : ordered_json(nullptr);
  json["gates"] = ordered_json::array();
  for (const grade::GateResult& gate : result.gates) {
    json["gates"].push_back({{"count", gate.gate.count},
                             {"at_most", limit(gate.gate.at_most)},
                             {"at_least", limit(gate.gate.at_least)},
                             {"value", gate.value},
                             {"passed", gate.passed},
                             {"why", gate.gate.why}});
  }
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

}  // namespace

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

std::string figures_json(const grade::Result& result) {
  ordered_json json;
  json["size"] = result.size;
  json["summary"] = result.summary;
  json["next"] = result.next;
  json["detail"] = result.detail.substr(0, kMostDetailBytes);
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
    json["source"] = graded.solution ? "solution" : "student";
    json["verdict"] = grade::to_string(result.verdict);
    json["passed"] = grade::passed(result.verdict);
    json["summary"] = result.summary;
    json["next"] = result.next;
    json["detail"] = result.detail;
    json["engine"] = engine_name(result.engine);
    json["device"] = result.device;
    json["size"] = result.size;
    json["seconds"] = result.seconds;
    add_figures(json, result);
    if (result.measured) {
      json["measured"]["pass_percent"] = graded.rung->target.pass;
      json["measured"]["gold_percent"] = graded.rung->target.gold;
    }
    document["results"].push_back(std::move(json));
  }
  return dumped(document, 1) + "\n";
}

}  // namespace ridge::report

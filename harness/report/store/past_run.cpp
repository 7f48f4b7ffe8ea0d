#include "harness/report/store/past_run.h"

#include <algorithm>

#include "harness/report/store/json.h"

namespace ridge::report {

namespace {

std::optional<double> number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

void add_row(PastRun& run, const std::string& what, double requests, double sectors, double wavefronts) {
  if (what == "global load") run.load_sectors += sectors;
  if (what == "global store") run.store_sectors += sectors;
  if (what.starts_with("global")) run.requests += requests;
  if (what.starts_with("shared")) run.shared_wavefronts += wavefronts;
}

void read_figures(const nlohmann::json& figures, PastRun& run) {
  run.size = figures.value("size", "");
  run.counted_size = figures.value("counted_size", "");
  if (const auto measured = figures.find("measured"); measured != figures.end() && measured->is_object()) {
    run.percent = number(*measured, "percent");
    run.time_ms = number(*measured, "time_ms");
    const auto roof = measured->value("roof", nlohmann::json::object());
    run.roof_percent = number(roof, "percent").value_or(0);
    if (run.roof_percent > 0) run.bound = roof.value("bound", "");
  }
  for (const auto& gate : figures.value("gates", nlohmann::json::array())) {
    if (gate.contains("skipped")) continue;
    run.gates.push_back({gate.value("count", ""), number(gate, "at_most"), number(gate, "at_least"),
                         number(gate, "value").value_or(0)});
  }
  for (const auto& row : figures.value("counts", nlohmann::json::array()))
    add_row(run, row.value("what", ""), number(row, "requests").value_or(0),
            number(row, "sectors").value_or(0), number(row, "wavefronts").value_or(0));
}

}  // namespace

PastRun past_run(const StoredRun& stored) {
  PastRun run;
  run.number = stored.number;
  run.verdict = stored.verdict;
  run.device = stored.device;
  run.percent = stored.percent;
  try {
    read_figures(nlohmann::json::parse(stored.figures), run);
  } catch (const nlohmann::json::exception&) {
  }
  return run;
}

PastRun past_run(const grade::Result& result) {
  PastRun run;
  run.verdict = result.verdict;
  run.device = result.device;
  run.size = result.size;
  run.counted_size = result.counted_size;
  if (result.measured) {
    run.percent = result.measured->percent;
    run.time_ms = result.measured->time_ms;
    run.roof_percent = result.measured->place.percent;
    if (run.roof_percent > 0) run.bound = measure::to_string(result.measured->place.bound);
  }
  for (const grade::GateResult& gate : result.gates)
    if (gate.skipped.empty()) run.gates.push_back({gate.gate.count, gate.gate.at_most, gate.gate.at_least, gate.value});
  for (const grade::CountRow& row : result.counts)
    add_row(run, row.what, static_cast<double>(row.requests), static_cast<double>(row.sectors),
            static_cast<double>(row.wavefronts));
  return run;
}

bool is_right(const PastRun& run) {
  return run.verdict == grade::Verdict::slow || grade::passed(run.verdict);
}

double nearness(const PastGate& gate) {
  double near = 1;
  if (gate.at_most && gate.value > *gate.at_most) near = (*gate.at_most + 1) / (gate.value + 1);
  if (gate.at_least && gate.value < *gate.at_least)
    near = std::min(near, (gate.value + 1) / (*gate.at_least + 1));
  return std::clamp(near, 0.0, 1.0);
}

}  // namespace ridge::report

#include "virtual_gpu/runtime/report/findings.h"

#include "virtual_gpu/runtime/process/process.h"
#include "virtual_gpu/runtime/report/report_file.h"

namespace ridge::runtime {
namespace {

std::string_view check_name(machine::Fault::Kind kind) {
  using Kind = machine::Fault::Kind;
  switch (kind) {
    case Kind::out_of_bounds:
      return "out_of_bounds";
    case Kind::misaligned:
      return "misaligned";
    case Kind::barrier:
      return "barrier";
    case Kind::deadlock:
      return "deadlock";
    case Kind::time_limit:
      return "time_limit";
    case Kind::trap:
      return "trap";
    case Kind::assertion:
      return "assertion";
    case Kind::unknown_instruction:
      return "unknown_instruction";
    case Kind::invalid_launch:
      return "invalid_launch";
    case Kind::uninitialised:
      return "uninitialised";
    case Kind::race:
      return "race";
    case Kind::internal:
      return "internal";
  }
  return "unknown";
}

std::array<uint32_t, 3> triple(const machine::Dim3& d) {
  return {d.x, d.y, d.z};
}

}  // namespace

trace::Finding finding_of(const machine::Fault& fault) {
  std::vector<trace::NamedValue> values;
  for (const auto& [name, text] : fault.cause.values)
    values.push_back({name, text});
  return {std::string(check_name(fault.kind)),
          fault.message,
          fault.file,
          fault.line,
          fault.ptx_line,
          triple(fault.block),
          triple(fault.thread),
          fault.called_from,
          fault.cause.id,
          fault.advice,
          std::move(values)};
}

void report_undefined_result(const observe::UndefinedResult& result) {
  trace::LaunchReport report;
  report.kernel = result.kernel;
  report.range = process().profiler_range;
  report.findings.push_back(finding_of(result.fault));
  append_to_report(trace::to_json_line(report));
}

void report_race_of_copy(const std::string& message, unsigned device) {
  trace::LaunchReport report;
  report.kernel = "a copy between devices";
  report.range = process().profiler_range;
  trace::Finding finding;
  finding.check = check_name(machine::Fault::Kind::race);
  finding.message = message;
  finding.cause = "peer_copy";
  finding.values.push_back({"device", std::to_string(device)});
  report.findings.push_back(std::move(finding));
  append_to_report(trace::to_json_line(report));
}

}  // namespace ridge::runtime

#include "trace/launch_report.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

namespace ridge::trace {
namespace {

using Json = nlohmann::json;

// The fields by name, once, for writing and for reading.
template <typename Counts, typename Visit>
void visit_counts(Counts& counts, Visit visit) {
  visit("file", counts.file);
  visit("line", counts.line);
  visit("ptx_line", counts.ptx_line);
  visit("text", counts.text);
  visit("space", counts.space);
  visit("kind", counts.kind);
  visit("executions", counts.executions);
  visit("lanes", counts.lanes);
  visit("requests", counts.requests);
  visit("sectors", counts.sectors);
  visit("ideal_sectors", counts.ideal_sectors);
  visit("tags", counts.tags);
  visit("wavefronts", counts.wavefronts);
  visit("ideal_wavefronts", counts.ideal_wavefronts);
  visit("bytes", counts.bytes);
}

template <typename FindingType, typename Visit>
void visit_finding(FindingType& finding, Visit visit) {
  visit("check", finding.check);
  visit("message", finding.message);
  visit("file", finding.file);
  visit("line", finding.line);
  visit("ptx_line", finding.ptx_line);
  visit("block", finding.block);
  visit("thread", finding.thread);
}

// All but the version and the two lists.
template <typename Report, typename Visit>
void visit_report(Report& report, Visit visit) {
  visit("kernel", report.kernel);
  visit("device", report.device);
  visit("range", report.range);
  visit("grid", report.grid);
  visit("block", report.block);
  visit("registers_per_thread", report.registers_per_thread);
  visit("static_shared_bytes", report.static_shared_bytes);
  visit("dynamic_shared_bytes", report.dynamic_shared_bytes);
  visit("local_bytes_per_thread", report.local_bytes_per_thread);
  visit("occupancy", report.occupancy);
  visit("occupancy_limiter", report.occupancy_limiter);
  visit("warp_instructions", report.warp_instructions);
  visit("thread_instructions", report.thread_instructions);
  visit("barriers", report.barriers);
  visit("divergent_branches", report.divergent_branches);
  visit("host_seconds", report.host_seconds);
  visit("host_threads", report.host_threads);
  visit("checks", report.checks);
}

struct Writer {
  Json& object;
  template <typename T>
  void operator()(const char* field, const T& value) {
    object[field] = value;
  }
};

// Missing fields keep their default and unknown ones are skipped: an older or a newer minor change is still
// readable.
struct Reader {
  const Json& object;

  template <typename T>
  void operator()(const char* field, T& value) const {
    const auto found = object.find(field);
    if (found == object.end() || found->is_null()) return;
    read(field, *found, value);
  }

  [[noreturn]] static void wrong(const char* field, const char* wanted, const Json& value) {
    throw std::runtime_error(
        fmt::format("field \"{}\" should be {} but is {}", field, wanted, text_of(value)));
  }

  static std::string text_of(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
  }

  static void read(const char* field, const Json& value, std::string& out) {
    if (!value.is_string()) wrong(field, "a text", value);
    out = value.get<std::string>();
  }
  static void read(const char* field, const Json& value, bool& out) {
    if (!value.is_boolean()) wrong(field, "true or false", value);
    out = value.get<bool>();
  }
  static void read(const char* field, const Json& value, double& out) {
    if (!value.is_number()) wrong(field, "a number", value);
    out = value.get<double>();
  }
  template <typename T>
  requires std::is_unsigned_v<T>
  static void read(const char* field, const Json& value, T& out) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max()) {
      wrong(field, "a whole number, not negative and not too large", value);
    }
    out = value.get<T>();
  }
  static void read(const char* field, const Json& value, std::array<uint32_t, 3>& out) {
    if (!value.is_array() || value.size() != out.size()) wrong(field, "three whole numbers", value);
    for (size_t k = 0; k < out.size(); ++k)
      read(field, value[k], out[k]);
  }
};

const Json* list(const Json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return nullptr;
  if (!found->is_array()) Reader::wrong(field, "a list", *found);
  return &*found;
}

LaunchReport from_json(const Json& object) {
  if (!object.is_object()) throw std::runtime_error("this is not a report but " + Reader::text_of(object));
  uint32_t version = 0;
  Reader{object}("version", version);
  if (version == 0)
    throw std::runtime_error("the report has no version, so it was not written by Ridgepoint");
  if (version > kReportVersion) {
    throw std::runtime_error(fmt::format(
        "the report has version {} and this program reads up to {}: it was written by a newer Ridgepoint; "
        "rebuild this one (./ridge) or delete the file",
        version, kReportVersion));
  }
  LaunchReport report;
  report.version = static_cast<int>(version);
  visit_report(report, Reader{object});
  if (const Json* counts = list(object, "instructions")) {
    for (const Json& item : *counts) {
      if (!item.is_object()) Reader::wrong("instructions", "a list of objects", *counts);
      visit_counts(report.instructions.emplace_back(), Reader{item});
    }
  }
  if (const Json* findings = list(object, "findings")) {
    for (const Json& item : *findings) {
      if (!item.is_object()) Reader::wrong("findings", "a list of objects", *findings);
      visit_finding(report.findings.emplace_back(), Reader{item});
    }
  }
  return report;
}

}  // namespace

std::string to_json_line(const LaunchReport& report) {
  Json object = Json::object();
  object["version"] = report.version;
  visit_report(report, Writer{object});
  Json& instructions = object["instructions"] = Json::array();
  for (const InstructionCounts& counts : report.instructions) {
    visit_counts(counts, Writer{instructions.emplace_back(Json::object())});
  }
  Json& findings = object["findings"] = Json::array();
  for (const Finding& finding : report.findings)
    visit_finding(finding, Writer{findings.emplace_back(Json::object())});
  // A path or a printf may hold bytes that are no UTF-8: they become replacement characters, never an
  // exception.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<LaunchReport> read_reports(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw std::runtime_error(fmt::format(
        "{}: there is no such report, or it cannot be read; run the program on the virtual GPU first",
        file.string()));
  }
  std::vector<LaunchReport> reports;
  std::string line;
  for (size_t number = 1; std::getline(stream, line); ++number) {
    if (line.empty()) continue;
    const bool ends_the_file = stream.eof();  // no newline after it: a writer that is not done, or was killed
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_discarded()) {
      if (ends_the_file) break;
      throw std::runtime_error(
          fmt::format("{}:{}: this line is damaged ({} bytes, not JSON); delete the file and run again",
                      file.string(), number, line.size()));
    }
    try {
      reports.push_back(from_json(object));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
  }
  return reports;
}

}  // namespace ridge::trace

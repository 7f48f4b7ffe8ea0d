#include "trace/launch_report.h"

#include <algorithm>
#include <fstream>

#include "trace/reports/report_fields.h"
#include "trace/reports/report_json.h"

namespace ridge::trace {
namespace {

constexpr const char* kSummaryField = "range_summary";

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
  read_list(object, "instructions", report.instructions, [](auto& item, Reader r) { visit_counts(item, r); });
  read_list(object, "branches", report.branches, [](auto& item, Reader r) { visit_branch(item, r); });
  read_list(object, "classes", report.classes, [](auto& item, Reader r) { visit_class(item, r); });
  read_list(object, "links", report.links, [](auto& item, Reader r) { visit_link(item, r); });
  read_list(object, "opcodes", report.opcodes, [](auto& item, Reader r) { visit_opcode(item, r); });
  read_list(object, "findings", report.findings, [](auto& item, Reader r) {
    visit_finding(item, r);
    read_list(r.object, "values", item.values, [](auto& value, Reader of) { visit_value(value, of); });
  });
  return report;
}

}  // namespace

double l1_path_bytes(const LaunchReport& report) {
  constexpr uint64_t kSectorBytes = 32, kPassBytes = 128;
  uint64_t bytes =
      kPassBytes * (report.sass_instructions > 0 ? report.sass_shared_wavefronts : report.shared_wavefronts);
  for (const InstructionCounts& one : report.instructions)
    if (one.space == "global" || one.space == "local")
      bytes += std::max(kSectorBytes * one.sectors, kPassBytes * one.requests);
  return static_cast<double>(bytes);
}

std::string to_json_line(const LaunchReport& report) {
  Json object = Json::object();
  object["version"] = report.version;
  visit_report(report, Writer{object});
  write_list(object, "instructions", report.instructions,
             [](auto& item, Writer w) { visit_counts(item, w); });
  write_list(object, "branches", report.branches, [](auto& item, Writer w) { visit_branch(item, w); });
  write_list(object, "classes", report.classes, [](auto& item, Writer w) { visit_class(item, w); });
  if (!report.links.empty())
    write_list(object, "links", report.links, [](auto& item, Writer w) { visit_link(item, w); });
  write_list(object, "opcodes", report.opcodes, [](auto& item, Writer w) { visit_opcode(item, w); });
  write_list(object, "findings", report.findings, [](auto& item, Writer w) {
    visit_finding(item, w);
    write_list(w.object, "values", item.values, [](auto& value, Writer of) { visit_value(value, of); });
  });
  // A path or the output of printf may contain invalid UTF-8, which is replaced and does not throw.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void add_links(std::vector<LinkCounts>& links, const std::vector<LinkCounts>& more) {
  for (const LinkCounts& one : more) {
    const auto same = std::find_if(links.begin(), links.end(), [&](const LinkCounts& link) {
      return link.source == one.source && link.destination == one.destination && link.kind == one.kind;
    });
    if (same == links.end()) {
      links.push_back(one);
      continue;
    }
    same->bytes += one.bytes;
    same->requests += one.requests;
    same->strong_requests += one.strong_requests;
    for (size_t size = 0; size < one.requests_by_sectors.size(); ++size)
      same->requests_by_sectors[size] += one.requests_by_sectors[size];
  }
}

std::string to_json_line(const RangeSummary& summary) {
  Json object = Json::object();
  object["version"] = kReportVersion;
  visit_summary(summary, Writer{object});
  if (!summary.links.empty())
    write_list(object, "links", summary.links, [](auto& item, Writer w) { visit_link(item, w); });
  return object.dump() + "\n";
}

std::vector<RangeSummary> read_range_summaries(const std::filesystem::path& file) {
  std::vector<RangeSummary> summaries;
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    // The line of a launch: much longer, and not needed.
    if (line.find(kSummaryField) == std::string::npos) continue;
    const Json object = Json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains(kSummaryField)) continue;
    RangeSummary& summary = summaries.emplace_back();
    visit_summary(summary, Reader{object});
    read_list(object, "links", summary.links, [](auto& item, Reader r) { visit_link(item, r); });
  }
  return summaries;
}

LaunchReport parse_report(std::string_view line) {
  const Json object = Json::parse(line, nullptr, false);
  if (object.is_discarded()) throw std::runtime_error("the report is no JSON");
  return from_json(object);
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
    // No newline: the writer is not finished, or was killed.
    const bool ends_the_file = stream.eof();
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_discarded()) {
      if (ends_the_file) break;
      throw std::runtime_error(
          fmt::format("{}:{}: this line is damaged ({} bytes, not JSON); delete the file and run again",
                      file.string(), number, line.size()));
    }
    if (object.is_object() && object.contains(kSummaryField)) continue;
    try {
      reports.push_back(from_json(object));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), number, error.what()));
    }
  }
  return reports;
}

}  // namespace ridge::trace

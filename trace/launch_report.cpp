#include "trace/launch_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

namespace ridge::trace {
namespace {

using Json = nlohmann::json;

constexpr const char* kSummaryField = "range_summary";

// Lists the fields with their names once, for writing and for reading.
template <typename Counts, typename Visit>
void visit_counts(Counts& counts, Visit visit) {
  visit("file", counts.file);
  visit("line", counts.line);
  visit("ptx_line", counts.ptx_line);
  visit("text", counts.text);
  visit("opcode", counts.opcode);
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
  visit("l1_hits", counts.l1_hits);
  visit("l2_sectors", counts.l2_sectors);
  visit("l2_hits", counts.l2_hits);
  visit("dram_bytes", counts.dram_bytes);
  visit("sass_executions", counts.sass_executions);
  visit("sass_wavefronts", counts.sass_wavefronts);
  visit("sass_ideal_wavefronts", counts.sass_ideal_wavefronts);
  visit("sass_loop_load_wavefronts", counts.sass_loop_load_wavefronts);
}

template <typename Branch, typename Visit>
void visit_branch(Branch& branch, Visit visit) {
  visit("file", branch.file);
  visit("line", branch.line);
  visit("ptx_line", branch.ptx_line);
  visit("text", branch.text);
  visit("executions", branch.executions);
  visit("divergences", branch.divergences);
}

template <typename Class, typename Visit>
void visit_class(Class& counts, Visit visit) {
  visit("name", counts.name);
  visit("in_code", counts.in_code);
  visit("executed", counts.executed);
}

template <typename Opcode, typename Visit>
void visit_opcode(Opcode& counts, Visit visit) {
  visit("opcode", counts.opcode);
  visit("executed", counts.executed);
}

template <typename Summary, typename Visit>
void visit_summary(Summary& summary, Visit visit) {
  visit("range_summary", summary.range);
  visit("launches", summary.launches);
  visit("last_number", summary.last_number);
  visit("copies", summary.copies);
  visit("copied_bytes", summary.copied_bytes);
  visit("fills", summary.fills);
  visit("filled_bytes", summary.filled_bytes);
  visit("api_calls", summary.api_calls);
  visit("launch_calls", summary.launch_calls);
  visit("synchronizations", summary.synchronizations);
  visit("allocations", summary.allocations);
  visit("graph_launches", summary.graph_launches);
  visit("graph_instantiations", summary.graph_instantiations);
}

template <typename Link, typename Visit>
void visit_link(Link& link, Visit visit) {
  visit("source", link.source);
  visit("destination", link.destination);
  visit("kind", link.kind);
  visit("bytes", link.bytes);
  visit("requests", link.requests);
  visit("strong_requests", link.strong_requests);
  visit("of_32", link.requests_by_sectors[0]);
  visit("of_64", link.requests_by_sectors[1]);
  visit("of_96", link.requests_by_sectors[2]);
  visit("of_128", link.requests_by_sectors[3]);
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
  visit("called_from", finding.called_from);
  visit("cause", finding.cause);
  visit("advice", finding.advice);
}

template <typename Value, typename Visit>
void visit_value(Value& value, Visit visit) {
  visit("name", value.name);
  visit("text", value.text);
}

// All fields except the version and the lists.
template <typename Report, typename Visit>
void visit_report(Report& report, Visit visit) {
  visit("kernel", report.kernel);
  visit("device", report.device);
  visit("device_number", report.device_number);
  visit("range", report.range);
  visit("number", report.number);
  visit("on_default_stream", report.on_default_stream);
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
  visit("may_begin_early", report.may_begin_early);
  visit("early_load_bytes", report.early_load_bytes);
  visit("divergent_branches", report.divergent_branches);
  visit("shared_requests", report.shared_requests);
  visit("shared_wavefronts", report.shared_wavefronts);
  visit("shared_conflicts", report.shared_conflicts);
  visit("blocks_per_sm", report.blocks_per_sm);
  visit("warps_per_sm", report.warps_per_sm);
  visit("limit_threads", report.limit_threads);
  visit("limit_blocks", report.limit_blocks);
  visit("limit_registers", report.limit_registers);
  visit("limit_shared_memory", report.limit_shared_memory);
  visit("shared_carveout_bytes", report.shared_carveout_bytes);
  visit("l1_bytes", report.l1_bytes);
  visit("sass_instructions", report.sass_instructions);
  visit("sass_code_bytes", report.sass_code_bytes);
  visit("sass_shared_wavefronts", report.sass_shared_wavefronts);
  visit("sass_shared_conflicts", report.sass_shared_conflicts);
  visit("spill_loads_in_code", report.spill_loads_in_code);
  visit("spill_stores_in_code", report.spill_stores_in_code);
  visit("spill_loads", report.spill_loads);
  visit("spill_stores", report.spill_stores);
  visit("copy_groups", report.copy_groups);
  visit("wgmma_drains", report.wgmma_drains);
  visit("instructions_behind_copies", report.instructions_behind_copies);
  visit("wgmma_groups", report.wgmma_groups);
  visit("instructions_behind_wgmma", report.instructions_behind_wgmma);
  visit("l1_load_sectors", report.l1_load_sectors);
  visit("l1_load_hits", report.l1_load_hits);
  visit("l2_read_sectors", report.l2_read_sectors);
  visit("l2_write_sectors", report.l2_write_sectors);
  visit("l2_atomic_sectors", report.l2_atomic_sectors);
  visit("l2_read_hits", report.l2_read_hits);
  visit("dram_read_bytes", report.dram_read_bytes);
  visit("dram_write_bytes", report.dram_write_bytes);
  visit("ideal_bytes", report.ideal_bytes);
  visit("peer_ideal_bytes", report.peer_ideal_bytes);
  visit("cache_sample", report.cache_sample);
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

// Missing fields keep their defaults and unknown ones are skipped, so that reports of other minor
// versions remain readable.
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

template <typename Item, typename Visit>
void read_list(const Json& object, const char* field, std::vector<Item>& items, Visit visit) {
  const Json* listed = list(object, field);
  if (listed == nullptr) return;
  for (const Json& item : *listed) {
    if (!item.is_object()) Reader::wrong(field, "a list of objects", *listed);
    visit(items.emplace_back(), Reader{item});
  }
}

template <typename Item, typename Visit>
void write_list(Json& object, const char* field, const std::vector<Item>& items, Visit visit) {
  Json& listed = object[field] = Json::array();
  for (const Item& item : items)
    visit(item, Writer{listed.emplace_back(Json::object())});
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

#include "harness/report/text/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/store/json.h"
#include "harness/report/text/error_map_text.h"
#include "harness/report/text/fold.h"
#include "harness/report/text/measured_text.h"
#include "text/layout.h"
#include "text/numbers.h"

namespace ridge::report {

namespace {

// The columns of a table by engine. `value` is "" when there is nothing to show.
struct Column {
  std::string name;   // in CSV and JSON, with its unit
  std::string title;  // in the table; "": not in the table
  std::string (*value)(const grade::BenchRow& row);
  std::string (*shown)(const grade::BenchRow& row) = nullptr;  // for the table, if different

  std::string cell(const grade::BenchRow& row) const { return shown ? shown(row) : value(row); }
};

template <double (*of)(const grade::BenchRow&), int places>
std::string number(const grade::BenchRow& row) {
  return fmt::format("{:.{}f}", of(row), places);
}

template <auto member, int places>
std::string measured(const grade::BenchRow& row) {
  return row.measured ? fmt::format("{:.{}f}", (*row.measured).*member, places) : "";
}

std::string rate(const grade::BenchRow& row) {
  return row.measured ? text::work_rate(row.measured->gigabytes_per_second, row.measured->gigaflops) : "";
}

const std::vector<Column>& measured_columns() {
  static const std::vector<Column> columns = {
      {"time_ms", "ms", measured<&grade::Measured::time_ms, 4>},
      {"gigabytes_per_second", "rate", measured<&grade::Measured::gigabytes_per_second, 0>, rate},
      {"gigaflops", "", measured<&grade::Measured::gigaflops, 0>},
      {"baseline_ms", "baseline ms", measured<&grade::Measured::baseline_ms, 4>},
      {"percent", "% of it", measured<&grade::Measured::percent, 1>},
      {"roof_percent", "% of roof",
       [](const grade::BenchRow& row) {
         return row.measured && row.measured->place.percent > 0
                    ? fmt::format("{:.1f}", row.measured->place.percent)
                    : "";
       }},
      {"bound_by", "bound by",
       [](const grade::BenchRow& row) {
         return row.measured && row.measured->place.percent > 0
                    ? std::string(measure::to_string(row.measured->place.bound))
                    : "";
       }},
      {"rounds", "rounds",
       [](const grade::BenchRow& row) {
         return row.measured ? fmt::format("{}", row.measured->rounds) : "";
       }},
  };
  return columns;
}

template <const char* name>
std::string count(const grade::BenchRow& row) {
  if (row.launches.empty()) return "";
  const double value = row.count(name);
  return value == static_cast<double>(static_cast<int64_t>(value)) ? fmt::format("{:.0f}", value)
                                                                   : fmt::format("{:.2f}", value);
}

constexpr char kWarpInstructions[] = "warp_instructions", kSectors[] = "sectors_per_request",
               kConflicts[] = "bank_conflicts", kBlocks[] = "blocks";

const std::vector<Column>& counted_columns() {
  static const std::vector<Column> columns = {
      {"blocks", "blocks", count<kBlocks>},
      {"warp_instructions", "warp instructions", count<kWarpInstructions>},
      {"sectors_per_request", "sectors per request", count<kSectors>},
      {"bank_conflicts", "bank conflicts", count<kConflicts>},
      {"dram_bytes_over_ideal", "DRAM bytes / ideal",
       [](const grade::BenchRow& row) {
         double moved = 0, ideal = 0;
         for (const trace::LaunchReport& launch : row.launches) {
           moved += static_cast<double>(launch.dram_read_bytes + launch.dram_write_bytes);
           ideal += static_cast<double>(launch.ideal_bytes);
         }
         return ideal > 0 ? fmt::format("{:.2f}", moved / ideal) : std::string();
       }},
      {"occupancy_percent", "occupancy %",
       [](const grade::BenchRow& row) {
         return row.launches.empty() ? std::string()
                                     : fmt::format("{:.0f}", 100 * row.launches.front().occupancy);
       }},
  };
  return columns;
}

const std::vector<Column>& columns_for(const grade::Bench& bench) {
  return bench.engine == grade::Engine::gpu ? measured_columns() : counted_columns();
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (char c : text)
    result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string right_aligned(const std::string& text, size_t columns) {
  const size_t width = text::columns_of(text);
  return std::string(columns > width ? columns - width : 0, ' ') + text;
}

}  // namespace

// For a terminal that is too narrow for the columns.
std::string flowing_values(const grade::BenchRow& row, const std::vector<Column>& columns,
                           const Style& style) {
  std::string text;
  for (const Column& column : columns)
    if (const std::string value = column.cell(row); !value.empty())
      text += fmt::format("{}{} {}", text.empty() ? "    " : ", ", column.title, value);
  return fitted(text + "\n", style);
}

std::string bench_table(const grade::Bench& bench, const Style& style) {
  std::vector<Column> columns = columns_for(bench);
  std::erase_if(columns, [](const Column& column) { return column.title.empty(); });
  size_t first = 4;
  std::vector<size_t> widths;
  for (const Column& column : columns)
    widths.push_back(text::columns_of(column.title));
  for (const grade::BenchRow& row : bench.rows) {
    first = std::max(first, text::columns_of(row.what));
    for (size_t i = 0; i < columns.size(); ++i)
      widths[i] = std::max(widths[i], text::columns_of(columns[i].cell(row)));
  }
  size_t all = first;
  for (const size_t width : widths)
    all += 2 + width;
  const bool flows = style.narrow && all > static_cast<size_t>(style.width);
  std::string header = text::padded("", first);
  for (size_t i = 0; i < columns.size(); ++i)
    header += "  " + right_aligned(columns[i].title, widths[i]);
  std::string text =
      style.paint(Colour::dim,
                  fmt::format("{} on {}", bench.engine == grade::Engine::gpu ? "measured" : "modelled",
                              bench.device)) +
      "\n" + (flows ? "" : style.paint(Colour::bold, header) + "\n");
  bool explained = false;
  for (const grade::BenchRow& row : bench.rows) {
    text += flows ? row.what : text::padded(row.what, first);
    if (row.outcome) {
      text += fmt::format("  {}: {}\n",
                          style.paint(Colour::red, std::string(grade::to_string(row.outcome->verdict))),
                          row.outcome->summary);
      // Often every size fails in the same way: explain the first only.
      if (!explained)
        text += text::indented(detail_text(*row.outcome, static_cast<size_t>(style.width) - 4), 4);
      explained = true;
      continue;
    }
    for (size_t i = 0; i < columns.size() && !flows; ++i)
      text += "  " + right_aligned(columns[i].cell(row), widths[i]);
    text += "\n";
    if (flows) text += flowing_values(row, columns, style);
    if (row.measured && row.what != row.size) {  // the row of a library
      text +=
          style.paint(Colour::dim, fmt::format("    {}; {}", row.size, row.measured->library.library)) + "\n";
      if (const std::string choice = library_words(row.measured->library);
          row.measured->library.trials.size() > 1)
        text += style.paint(Colour::dim, "    " + choice) + "\n";
    }
  }
  if (!bench.rows.empty() && bench.rows.back().measured)
    text += style.paint(Colour::dim, gpu_words(*bench.rows.back().measured)) + "\n";
  return text;
}

std::string bench_csv(const grade::Bench& bench) {
  std::string text = "what,size,bytes,operations,verdict";
  for (const Column& column : columns_for(bench))
    text += "," + column.name;
  text += "\n";
  for (const grade::BenchRow& row : bench.rows) {
    text += fmt::format("{},{},{:.0f},{:.0f},{}", quoted(row.what), quoted(row.size), row.bytes,
                        row.operations, row.outcome ? grade::to_string(row.outcome->verdict) : "ok");
    for (const Column& column : columns_for(bench))
      text += "," + quoted(row.outcome ? "" : column.value(row));
    text += "\n";
  }
  return text;
}

std::string bench_json(const grade::Bench& bench) {
  nlohmann::ordered_json document = {{"schema", kJsonSchema},
                                     {"engine", engine_name(bench.engine)},
                                     {"device", bench.device},
                                     {"rows", nlohmann::ordered_json::array()}};
  for (const grade::BenchRow& row : bench.rows) {
    nlohmann::ordered_json json = {
        {"what", row.what}, {"size", row.size}, {"bytes", row.bytes}, {"operations", row.operations}};
    json["verdict"] = row.outcome ? std::string(grade::to_string(row.outcome->verdict)) : "ok";
    if (row.outcome) json["why"] = row.outcome->summary + "\n" + row.outcome->detail;
    if (row.measured) {
      json["measured"] = measured_json(*row.measured);
    } else if (!row.outcome) {
      for (const Column& column : columns_for(bench))
        json[column.name] = column.value(row);
    }
    document["rows"].push_back(std::move(json));
  }
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ridge::report

#include "harness/cli/course_checks/rows_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace ridge::cli {

using nlohmann::ordered_json;

std::string rows_to_json(const std::vector<CheckRow>& rows) {
  ordered_json list = ordered_json::array();
  for (const CheckRow& row : rows) {
    ordered_json& one =
        list.emplace_back(ordered_json{{"rung", row.rung},
                                       {"what", row.what},
                                       {"expected", row.expected},
                                       {"got", row.got},
                                       {"ok", row.ok},
                                       {"summary", row.summary},
                                       {"seconds", std::round(10 * row.seconds) / 10}});
    if (row.percent) one["percent"] = std::round(10 * *row.percent) / 10;
    if (!row.sha256.empty()) one["sha256"] = row.sha256;
  }
  return list.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<CheckRow> rows_from_json(std::string_view text, const std::string& shown) {
  std::vector<CheckRow> rows;
  try {
    for (const ordered_json& one : ordered_json::parse(text)) {
      CheckRow& row = rows.emplace_back();
      row.rung = one.at("rung");
      row.what = one.at("what");
      row.expected = one.at("expected");
      row.got = one.at("got");
      row.ok = one.at("ok");
      row.summary = one.value("summary", "");
      row.seconds = one.value("seconds", 0.0);
      row.sha256 = one.value("sha256", "");
      if (one.contains("percent")) row.percent = one.at("percent");
    }
  } catch (const nlohmann::json::exception& error) {
    throw course::CourseError(fmt::format(
        "{} is not a table of a check ({}); give a file that `ridge check -o` has written, or none",
        shown, error.what()));
  }
  return rows;
}

}  // namespace ridge::cli

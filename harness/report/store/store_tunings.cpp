// The store's table of tunings: the best setting per rung, device and file.
#include <chrono>
#include <nlohmann/json.hpp>

#include "harness/report/store/store.h"

namespace ridge::report {

namespace {

constexpr int64_t kTuningsVersion = 3;  // the first version of the tables with one for tunings

}  // namespace

void Store::record_tuning(const Tuned& tuned) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  Statement insert = database_.prepare(
      "INSERT INTO tunings (rung, at_ms, device, file_sha256, setting, percent, tries, candidates) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, tuned.rung)
      .bind(2, int64_t{std::chrono::duration_cast<std::chrono::milliseconds>(now).count()})
      .bind(3, tuned.device)
      .bind(4, tuned.file_sha256)
      .bind(5, nlohmann::json(tuned.setting).dump())
      .bind(6, tuned.percent)
      .bind(7, tuned.tries)
      .bind(8, tuned.candidates)
      .step();
}

std::optional<Tuned> Store::best_tuning(const std::string& rung, const std::string& file_sha256,
                                        const std::string& device) {
  if (version_ < kTuningsVersion) return std::nullopt;
  Statement row = database_.prepare(
      "SELECT at_ms, device, setting, percent, tries, candidates FROM tunings "
      "WHERE rung = ?1 AND file_sha256 = ?2 AND (?3 = '' OR device = ?3) ORDER BY percent DESC LIMIT 1");
  row.bind(1, rung).bind(2, file_sha256).bind(3, device);
  if (!row.step()) return std::nullopt;
  Tuned tuned;
  tuned.rung = rung;
  tuned.file_sha256 = file_sha256;
  tuned.at_ms = row.number(0);
  tuned.device = row.text(1);
  const auto setting = nlohmann::json::parse(row.text(2), nullptr, false);
  if (!setting.is_object()) return std::nullopt;
  for (const auto& [name, value] : setting.items()) {
    if (!value.is_number_integer()) return std::nullopt;
    tuned.setting[name] = value.get<int64_t>();
  }
  tuned.percent = row.real(3);
  tuned.tries = row.number(4);
  tuned.candidates = row.number(5);
  return tuned;
}

}  // namespace ridge::report

#include "harness/report/store/run_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <stdexcept>

#include "harness/build/sha256.h"
#include "harness/report/store/json.h"

namespace ridge::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

bool is_utf8(const std::string& text) {
  try {
    (void)json(text).dump();
    return true;
  } catch (const json::type_error&) {
    return false;
  }
}

std::string hex_of(const std::string& bytes) {
  std::string hex;
  for (const char byte : bytes)
    hex += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return hex;
}

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoul(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

ordered_json json_of(const StoredRun& run, const std::optional<text::LineChange>& change) {
  ordered_json result;
  result["run"] = run.number;
  result["rung"] = run.rung;
  result["origin"] = name_of(run.origin);
  result["at"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<time_t>(run.at_ms / 1000)));
  result["at_ms"] = run.at_ms;
  result["verdict"] = grade::to_string(run.verdict);
  result["passed"] = grade::passed(run.verdict);
  result["engine"] = engine_name(run.engine);
  result["device"] = run.device;
  result["percent"] = run.percent ? ordered_json(*run.percent) : ordered_json(nullptr);
  result["changed"] =
      change ? ordered_json{{"added", change->added}, {"removed", change->removed}} : ordered_json(nullptr);
  result["seconds"] = run.seconds;
  result["seed"] = fmt::format("{:016x}", run.seed);
  result["source_sha256"] = run.source_sha256;
  if (is_utf8(run.source))
    result["source"] = run.source;
  else
    result["source_hex"] = hex_of(run.source);
  result["figures"] = ordered_json::parse(run.figures, nullptr, false);
  result["conditions"] = ordered_json::parse(run.conditions, nullptr, false);
  return result;
}

uint64_t seed_from(const std::string& text) {
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != text.npos)
    throw std::invalid_argument(fmt::format("the seed \"{}\" is not one of 16 hexadecimal digits", text));
  return std::stoull(text, nullptr, 16);
}

// The library's message without its own name and number.
std::string plain_words(const json::exception& error) {
  const std::string text = error.what();
  const size_t end = text.find("] ");
  return end == text.npos ? text : text.substr(end + 2);
}

StoredRun run_of(const json& text) {
  StoredRun run;
  run.number = text.at("run");
  run.rung = text.at("rung");
  run.origin = text.at("origin") == name_of(Origin::solution) ? Origin::solution : Origin::student;
  run.at_ms = text.at("at_ms");
  run.verdict = grade::verdict_from(text.at("verdict").get<std::string>());
  run.engine =
      text.at("engine") == engine_name(grade::Engine::gpu) ? grade::Engine::gpu : grade::Engine::virtual_gpu;
  run.device = text.at("device");
  if (!text.at("percent").is_null()) run.percent = text.at("percent");
  run.seconds = text.at("seconds");
  run.seed = seed_from(text.at("seed").get<std::string>());
  run.source_sha256 = text.at("source_sha256");
  run.source =
      text.contains("source_hex") ? bytes_of(text.at("source_hex")) : text.at("source").get<std::string>();
  run.figures = text.at("figures").dump();
  run.conditions = text.at("conditions").dump();
  if (build::sha256(run.source) != run.source_sha256) {
    throw std::runtime_error(
        fmt::format("the source of run {} is not the one it was written with (its SHA-256 "
                    "differs): somebody changed the file",
                    run.number));
  }
  return run;
}

}  // namespace

std::string runs_json(std::span<const StoredRun> runs,
                      std::span<const std::optional<text::LineChange>> changes) {
  ordered_json document;
  document["schema"] = kJsonSchema;
  document["runs"] = ordered_json::array();
  for (size_t i = 0; i < runs.size(); ++i)
    document["runs"].push_back(json_of(runs[i], changes[i]));
  return document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<StoredRun> runs_from_json(const std::string& text, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    return std::runtime_error(fmt::format("{}: {}; `ridge history --json` writes such a file", name, why));
  };
  try {
    const json document = json::parse(text);
    if (document.at("schema") > kJsonSchema) {
      throw std::runtime_error(
          fmt::format("{}: it was written by a newer ridge (schema {}, this one knows {}); "
                      "update this clone with `git pull`",
                      name, document.at("schema").dump(), kJsonSchema));
    }
    std::vector<StoredRun> runs;
    for (const json& run : document.at("runs"))
      runs.push_back(run_of(run));
    return runs;
  } catch (const json::exception& error) {
    throw refuse(fmt::format("it is no JSON of runs ({})", plain_words(error)));
  } catch (const std::logic_error& error) {  // an invalid verdict or number
    throw refuse(error.what());
  }
}

}  // namespace ridge::report

#include "harness/report/store/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/report/store/json.h"
#include "harness/report/store/run_json.h"
#include "harness/report/tables/history_table.h"
#include "harness/report/tables/table.h"
#include "harness/report/text/text.h"
#include "text/layout.h"

namespace ridge::report {
namespace {

using nlohmann::json;

// The answers were right, regardless of speed.
bool right(grade::Verdict verdict) {
  return grade::passed(verdict) || verdict == grade::Verdict::slow;
}

// The counts without the course's limits, which may have changed.
json counts_in(const json& figures) {
  json counts = figures.value("counts", json::array());
  for (const json& gate : figures.value("gates", json::array()))
    counts.push_back({gate.value("count", ""), gate.value("value", 0.0)});
  return counts;
}

std::string sizes_text(const json& sizes) {
  std::string text;
  for (const json& extents : sizes) {
    std::string one;
    for (const json& extent : extents)
      one += (one.empty() ? "" : " x ") + extent.dump();
    text += (text.empty() ? "" : ", ") + one;
  }
  return text.empty() ? "none drawn" : text;
}

void note_differences(const StoredRun& then, const grade::Result& now, Replay& replay) {
  const json conditions = object_in(then.conditions);
  const auto note = [&](const char* what, const std::string& old_text, const std::string& new_text) {
    if (!old_text.empty() && !new_text.empty() && old_text != new_text)
      replay.differences.push_back(fmt::format("{}: {} then, {} now", what, old_text, new_text));
  };
  note("ridge", conditions.value("ridge", ""), object_in(conditions_json(now)).value("ridge", ""));
  note("CUDA Toolkit", conditions.value("toolkit", ""), now.conditions.toolkit);
  const auto flags = conditions.value("flags", std::vector<std::string>{});
  note("nvcc's flags", fmt::format("{}", fmt::join(flags, " ")),
       fmt::format("{}", fmt::join(now.conditions.flags, " ")));
  if (replay.same_engine && then.device != now.device) note("device", then.device, now.device);
  note("sandbox", object_in(then.figures).value("sandbox", ""), now.sandbox);
  const std::string headers = conditions.value("headers_sha256", "");
  if (!headers.empty() && !now.conditions.headers_sha256.empty() && headers != now.conditions.headers_sha256)
    replay.differences.push_back("the lab's headers are not those that the run was compiled with");
}

}  // namespace

Replay compare_replay(const StoredRun& then, const grade::Result& now) {
  Replay replay;
  replay.same_engine = then.engine == now.engine;
  replay.same_verdict =
      replay.same_engine ? then.verdict == now.verdict : right(then.verdict) == right(now.verdict);
  const json conditions = object_in(then.conditions);
  if (conditions.contains("hidden_sizes"))
    replay.same_hidden_sizes = conditions.at("hidden_sizes") == json(now.conditions.hidden_sizes);
  if (replay.same_engine && then.engine == grade::Engine::virtual_gpu && then.device == now.device)
    replay.same_counts = counts_in(object_in(then.figures)) == counts_in(object_in(figures_json(now)));
  if (then.percent && now.measured) replay.percent_difference = now.measured->percent - *then.percent;
  note_differences(then, now, replay);
  return replay;
}

std::string replay_heading(const StoredRun& then, const Style& style) {
  return fmt::format(
      "{}  {}\n", style.paint(Colour::bold, fmt::format("run {}", then.number)),
      style.paint(Colour::dim, fmt::format("{} ({}), {}, seed {:016x}", then.rung, name_of(then.origin),
                                           local_time(then.at_ms), then.seed)));
}

std::string show_replay(const StoredRun& then, const grade::Result& now, const Replay& replay,
                        const Style& style) {
  std::vector<std::vector<Cell>> rows = {{{}, {"then", Colour::dim}, {"now", Colour::dim}}};
  const auto mark = [&](bool same) { return Cell{same ? "✓" : "✗", same ? Colour::green : Colour::red}; };
  rows.push_back({{"verdict"},
                  {std::string(to_string(then.verdict)), colour_of(then.verdict)},
                  {std::string(to_string(now.verdict)), colour_of(now.verdict)},
                  mark(replay.same_verdict)});
  const json old_sizes = object_in(then.conditions).value("hidden_sizes", json());
  const std::string drawn = sizes_text(json(now.conditions.hidden_sizes));
  if (replay.same_hidden_sizes)
    rows.push_back({{"hidden sizes"}, {sizes_text(old_sizes)}, {drawn}, mark(*replay.same_hidden_sizes)});
  else
    rows.push_back({{"hidden sizes"}, {"not kept"}, {drawn}, {"the run is of an older ridge", Colour::dim}});
  if (then.engine == grade::Engine::virtual_gpu && replay.same_engine &&
      (!outcome_of(then).empty() || !replay.same_counts))
    rows.push_back({{"counts"},
                    {outcome_of(then)},
                    {replay.same_counts ? "the same" : "not the same"},
                    mark(replay.same_counts)});
  if (replay.percent_difference) {
    rows.push_back({{"of the library"},
                    {fmt::format("{:.1f}%", *then.percent)},
                    {fmt::format("{:.1f}%", now.measured->percent)},
                    {fmt::format("{:+.1f} points", *replay.percent_difference)}});
  }
  std::string text = table_of(rows, style);
  for (const std::string& difference : replay.differences)
    text += fmt::format("not as it was: {}\n", difference);
  std::string end;
  if (replay.agrees() && replay.same_engine)
    end = style.paint(Colour::green, fmt::format("Run {} is confirmed.", then.number));
  else if (replay.agrees())
    end = style.paint(Colour::green,
                      fmt::format("The answers of run {} are confirmed, on another engine.", then.number));
  else
    end = style.paint(Colour::red, fmt::format("Run {} is not confirmed.", then.number));
  text += end + "\n";
  if (!replay.same_verdict) text += text::wrapped("Now: " + now.summary, static_cast<size_t>(style.width), 0);
  return text;
}

}  // namespace ridge::report

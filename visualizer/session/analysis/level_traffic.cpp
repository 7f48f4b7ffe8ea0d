#include "visualizer/session/analysis/level_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "text/numbers.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {
namespace {

using warp_model::kDram;
using warp_model::kL1;
using warp_model::kL2;
using warp_model::kRegisters;

constexpr double kSector = 32, kWavefront = 128;  // bytes

using ByLine = std::map<uint32_t, LineBytes>;

void add(ByLine& lines, uint32_t line, double bytes, double ideal) {
  if (bytes <= 0) return;
  LineBytes& one = lines[line];
  one.line = line;
  one.bytes += bytes, one.ideal += ideal;
}

std::vector<LineBytes> sorted(const ByLine& lines) {
  std::vector<LineBytes> list;
  for (const auto& [number, one] : lines)
    list.push_back(one);
  std::stable_sort(list.begin(), list.end(),
                   [](const LineBytes& a, const LineBytes& b) { return a.bytes > b.bytes; });
  return list;
}

struct Sums {
  uint64_t sectors = 0, ideal_sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
  double lane_bytes = 0;
};

void fill_upper_levels(LaunchTraffic& traffic, const Sums& sums) {
  LevelTraffic& top = traffic.levels[kRegisters];
  top.counted = true;
  top.bytes = top.ideal = sums.lane_bytes;
  top.formula = "bytes that active lanes asked for, all warps together";
  top.ideal_formula = "the same: this is what the program says";
  LevelTraffic& l1 = traffic.levels[kL1];
  l1.counted = true;
  l1.bytes = kSector * static_cast<double>(sums.sectors) + kWavefront * static_cast<double>(sums.wavefronts);
  l1.ideal =
      kSector * static_cast<double>(sums.ideal_sectors) + kWavefront * static_cast<double>(sums.ideal_wavefronts);
  l1.formula = fmt::format("{} sectors * 32 B + {} wavefronts of shared memory * 128 B",
                           text::with_thousands(sums.sectors), text::with_thousands(sums.wavefronts));
  l1.ideal_formula = fmt::format("{} sectors and {} wavefronts would do for the same bytes",
                                 text::with_thousands(sums.ideal_sectors), text::with_thousands(sums.ideal_wavefronts));
}

// The report has lines of the file that an instruction was inlined from; a trace has those of the
// kernel's own file.
std::unordered_map<uint32_t, uint32_t> own_lines(const trace::TraceLaunch& launch) {
  std::unordered_map<uint32_t, uint32_t> lines;
  for (const trace::TraceInstruction& one : launch.instructions)
    if (one.line != 0) lines.emplace(one.ptx_line, one.line);
  return lines;
}

// A launch that is alone in its device's work moves what the rung says that a device must.
bool is_the_only_launch(const trace::DeviceLinks& links) {
  return std::all_of(links.steps.begin(), links.steps.end(),
                     [](const trace::LinkStep& step) { return step.launch == 0; });
}

LevelTraffic of_peers(const trace::LaunchReport& report, const trace::AccessTrace& trace) {
  LevelTraffic peers;
  peers.counted = true;
  uint64_t from = 0, to = 0;
  for (const trace::LinkCounts& link : report.links)
    (link.kind == "load" ? from : to) += link.bytes;
  peers.bytes = static_cast<double>(from + to);
  peers.formula = fmt::format("{} B loaded from other devices + {} B stored or added there, in sectors of 32 B",
                              text::with_thousands(from), text::with_thousands(to));
  if (trace.notes.ideal_link_bytes > 0 && is_the_only_launch(trace.links)) {
    peers.ideal = static_cast<double>(trace.notes.ideal_link_bytes);
    peers.ideal_formula = trace.notes.ideal_link_formula;
  } else {
    peers.ideal = static_cast<double>(report.peer_ideal_bytes);
    peers.ideal_formula = "each byte of other devices that is touched once, in sectors of 32 B";
  }
  return peers;
}

void of_report(LaunchTraffic& traffic, const trace::LaunchReport& report, const LoadedTrace& trace) {
  const trace::TraceLaunch& launch = trace.launch();
  const auto own = own_lines(launch);
  Sums sums;
  std::array<ByLine, warp_model::kLevels> lines;
  for (const trace::InstructionCounts& one : report.instructions) {
    const bool shared = one.space == "shared";
    const auto found = own.find(one.ptx_line);
    const uint32_t line = found == own.end() ? one.line : found->second;
    if (one.space.empty() || one.space == "constant") continue;
    sums.lane_bytes += static_cast<double>(one.bytes);
    sums.sectors += one.sectors, sums.ideal_sectors += one.ideal_sectors;
    if (shared) sums.wavefronts += one.wavefronts, sums.ideal_wavefronts += one.ideal_wavefronts;
    add(lines[kRegisters], line, static_cast<double>(one.bytes), static_cast<double>(one.bytes));
    add(lines[kL1], line,
        kSector * static_cast<double>(one.sectors) +
            (shared ? kWavefront * static_cast<double>(one.wavefronts) : 0),
        kSector * static_cast<double>(one.ideal_sectors) +
            (shared ? kWavefront * static_cast<double>(one.ideal_wavefronts) : 0));
    add(lines[kL2], line, kSector * static_cast<double>(one.l2_sectors), 0);
    add(lines[kDram], line, static_cast<double>(one.dram_bytes), 0);
  }
  fill_upper_levels(traffic, sums);
  traffic.whole_launch = true;
  traffic.without_lanes = moves_without_lanes(trace);
  traffic.sample = report.cache_sample;
  const auto ideal = static_cast<double>(report.ideal_bytes);
  LevelTraffic& l2 = traffic.levels[kL2];
  const uint64_t sectors = report.l2_read_sectors + report.l2_write_sectors + report.l2_atomic_sectors;
  // `ridge exec` does not count caches: levels below L1 are then unknown, not zero.
  l2.counted = traffic.levels[kDram].counted = sectors != 0 || sums.sectors == 0;
  l2.bytes = kSector * static_cast<double>(sectors);
  l2.formula = fmt::format(
      "({} sectors read + {} written + {} of atomics) * 32 B", text::with_thousands(report.l2_read_sectors),
      text::with_thousands(report.l2_write_sectors), text::with_thousands(report.l2_atomic_sectors));
  LevelTraffic& memory = traffic.levels[kDram];
  memory.bytes = static_cast<double>(report.dram_read_bytes + report.dram_write_bytes);
  memory.formula = fmt::format("{} read + {} written", with_unit(report.dram_read_bytes),
                               with_unit(report.dram_write_bytes));
  l2.ideal = ideal;
  l2.ideal_formula = "each byte that is touched once, in sectors of 32 B";
  memory.ideal = ideal - static_cast<double>(report.peer_ideal_bytes);
  memory.ideal_formula = report.peer_ideal_bytes == 0 ? l2.ideal_formula : l2.ideal_formula + "; not those of other devices";
  memory.kept_above = memory.ideal - memory.bytes;
  if (trace.trace().links.known() || !report.links.empty()) traffic.peers = of_peers(report, trace.trace());
  for (size_t level = 0; level < warp_model::kLevels; ++level)
    traffic.levels[level].lines = sorted(lines[level]);
}

void of_records(LaunchTraffic& traffic, const LoadedTrace& trace) {
  Sums sums;
  ByLine lines;
  for (const LineCost& line : trace.lines()) {
    sums.sectors += line.global.actual, sums.ideal_sectors += line.global.ideal;
    sums.wavefronts += line.shared.actual, sums.ideal_wavefronts += line.shared.ideal;
    add(lines, line.line,
        kSector * static_cast<double>(line.global.actual) + kWavefront * static_cast<double>(line.shared.actual),
        kSector * static_cast<double>(line.global.ideal) + kWavefront * static_cast<double>(line.shared.ideal));
  }
  fill_upper_levels(traffic, sums);
  traffic.levels[kL1].lines = sorted(lines);
  traffic.levels[kRegisters] = {};
}

}  // namespace

LaunchTraffic traffic_of(const LoadedTrace& trace) {
  LaunchTraffic traffic;
  if (trace.report())
    of_report(traffic, *trace.report(), trace);
  else
    of_records(traffic, trace);
  return traffic;
}

bool moves_without_lanes(const LoadedTrace& trace) {
  const auto& all = trace.launch().instructions;
  return std::any_of(all.begin(), all.end(), [](const trace::TraceInstruction& one) {
    return one.text.find("async.bulk") != std::string::npos || one.text.find("wgmma") != std::string::npos;
  });
}

std::optional<LaunchCost> cost_of_launch(const LoadedTrace& trace) {
  if (!trace.report() || moves_without_lanes(trace)) return std::nullopt;
  LaunchCost cost;
  for (const trace::InstructionCounts& one : trace.report()->instructions) {
    cost.global.actual += one.sectors, cost.global.ideal += one.ideal_sectors;
    cost.shared.actual += one.wavefronts, cost.shared.ideal += one.ideal_wavefronts;
  }
  return cost;
}

std::array<double, 3> depth_of(const LoadedTrace& trace, uint32_t instruction) {
  const auto& all = trace.launch().instructions;
  if (!trace.report() || instruction >= all.size()) return {1, 0, 0};
  for (const trace::InstructionCounts& one : trace.report()->instructions) {
    if (one.ptx_line != all[instruction].ptx_line || one.sectors == 0) continue;
    const auto sectors = static_cast<double>(one.sectors);
    const double l2 = std::min(1.0, static_cast<double>(one.l2_sectors) / sectors);
    const double memory = std::min(l2, static_cast<double>(one.dram_bytes) / (kSector * sectors));
    return {1 - l2, l2 - memory, memory};
  }
  return {1, 0, 0};
}

}  // namespace ridge::view

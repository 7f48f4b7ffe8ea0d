#include "harness/grade/gates/slow_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/grade/findings/finding.h"
#include "harness/measure/counts.h"
#include "text/numbers.h"

namespace ridge::grade {

namespace {

using trace::InstructionCounts;
using trace::LaunchReport;
using Launches = std::span<const LaunchReport>;

constexpr size_t kMostRemarks = 3;
constexpr double kFar = 1.5;           // times the ideal: less is a partial sector or tile
constexpr double kFewWarps = 0.34;     // fraction of an SM's capacity; more warps hide little more
constexpr double kOftenDivergent = 0.25;  // fraction of a branch's executions
// Fraction of all issued instructions: `if (lane == 0)` after a reduction is not waste.
constexpr double kRare = 0.01;
constexpr double kManyIdle =
    0.2;  // fraction of the lanes of all instructions: less is one lane's store, or a partial tile
constexpr double kLoadedAgain = 4;  // times each byte, on average

double over(uint64_t above, uint64_t below) {
  return below == 0 ? 0 : static_cast<double>(above) / static_cast<double>(below);
}

struct Waste {
  uint64_t found = 0, ideal = 0;
  double times() const { return over(found, ideal); }
};
Waste waste_of(const InstructionCounts& i) {
  return i.space == "shared" ? Waste{i.wavefronts, i.ideal_wavefronts} : Waste{i.sectors, i.ideal_sectors};
}

// Only the student's own file is quoted; a header is named.
std::string place_of(const std::string& file, uint32_t line, std::string_view source) {
  const std::filesystem::path path(file);
  if (!file.empty() && path.extension() != ".cu")
    return fmt::format("{} line {}", path.filename().string(), line);
  const std::string text = source_line(source, line);
  return text.empty() ? fmt::format("line {}", line) : fmt::format("line {}, `{}`", line, text);
}

// Sums the instructions of one line and kind: an unrolled loop has many.
InstructionCounts whole_line(const InstructionCounts& one, Launches launches) {
  InstructionCounts sum = one;
  sum.requests = sum.sectors = sum.ideal_sectors = sum.wavefronts = sum.ideal_wavefronts = sum.bytes = 0;
  for (const LaunchReport& launch : launches)
    for (const InstructionCounts& other : launch.instructions) {
      if (other.line != one.line || other.file != one.file || other.space != one.space ||
          other.kind != one.kind)
        continue;
      sum.requests += other.requests;
      sum.sectors += other.sectors;
      sum.ideal_sectors += other.ideal_sectors;
      sum.wavefronts += other.wavefronts;
      sum.ideal_wavefronts += other.ideal_wavefronts;
      sum.bytes += other.bytes;
    }
  return sum;
}

Finding counted(const InstructionCounts& i) {
  const Waste waste = waste_of(i);
  return Finding{i.space == "shared" ? "slow.line_in_shared_memory" : "slow.line_in_global_memory",
                 {{"requests", text::with_thousands(i.requests)},
                  {"space", i.space},
                  {"kind", i.kind},
                  {"found", text::with_thousands(waste.found)},
                  {"ideal", text::with_thousands(waste.ideal)},
                  {"times", fmt::format("{:.1f}", waste.times())}}};
}

bool is_too_large(const GateResult& gate) {
  return gate.gate.at_most && gate.value > *gate.gate.at_most;
}

// What too large or too small a count means for the hardware. `times`: the worst line relative to
// its ideal.
std::optional<Finding> meaning(const GateResult& gate, bool too_large, double times, Launches launches) {
  const measure::Count& count = measure::find_count(gate.gate.count);
  const std::string_view finding = too_large ? count.too_large : count.too_small;
  if (finding.empty()) return std::nullopt;
  uint32_t registers = 0;
  for (const LaunchReport& launch : launches)
    registers = std::max(registers, launch.registers_per_thread);
  return Finding{finding,
                 {{"count", gate.gate.count},
                  {"value", fmt::format("{:.0f}", gate.value)},
                  {"times", fmt::format("{:.1f}", std::max(times, 1.0))},
                  {"registers", registers}}};
}

// The line that causes a gate's count; nullptr when no single line does.
const InstructionCounts* worst_of(const GateResult& gate, Launches launches) {
  // For a count that is too small, the line that contributes most is not the one to change.
  if (!is_too_large(gate)) return nullptr;
  const InstructionCounts* worst = measure::worst_instruction(measure::find_count(gate.gate.count), launches);
  // Line 0: spills, which no source line requests.
  return worst && worst->line != 0 ? worst : nullptr;
}

void remark_lines(std::span<const GateResult> gates, Launches launches, std::string_view source,
                  std::vector<Remark>& remarks) {
  std::vector<std::pair<uint32_t, std::string>> reported;  // line and space that were reported
  for (const GateResult& gate : gates) {
    if (gate.passed) continue;
    if (const auto* worst = measure::worst_instruction(measure::find_count(gate.gate.count), launches))
      reported.emplace_back(worst->line, worst->space + worst->kind);
  }
  for (const LaunchReport& launch : launches)
    for (const InstructionCounts& one : launch.instructions) {
      if ((one.space != "global" && one.space != "shared") || one.line == 0) continue;
      const std::pair key{one.line, one.space + one.kind};
      if (std::find(reported.begin(), reported.end(), key) != reported.end()) continue;
      reported.push_back(key);
      const InstructionCounts line = whole_line(one, launches);
      const Waste waste = waste_of(line);
      if (waste.times() < kFar || waste.found - waste.ideal < 32) continue;
      const bool shared = line.space == "shared";
      const Finding finding = counted(line);
      remarks.push_back({waste.times(), finding,
                         fmt::format("{}: {}.", place_of(line.file, line.line, source), finding.sentence()),
                         shared                 ? "conflicts_per_1000_elements"
                         : line.kind == "store" ? "store_traffic"
                                                : "load_traffic"});
    }
}

// A store by one lane of the warp diverges too, and costs nothing. Divergence matters when many of
// the issued lanes are inactive.
void remark_branches(const LaunchReport& launch, std::string_view source, std::vector<Remark>& remarks) {
  const double idle = 1 - over(launch.thread_instructions, 32 * launch.warp_instructions);
  if (launch.warp_instructions == 0 || idle < kManyIdle) return;
  std::vector<trace::BranchCounts> lines;  // an unrolled loop has many branches on one line
  for (const trace::BranchCounts& branch : launch.branches) {
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const trace::BranchCounts& line) {
      return line.line == branch.line && line.file == branch.file;
    });
    if (same == lines.end()) {
      lines.push_back(branch);
      continue;
    }
    same->executions += branch.executions;
    same->divergences += branch.divergences;
  }
  for (const trace::BranchCounts& line : lines) {
    const double part = over(line.divergences, line.executions);
    if (part < kOftenDivergent || line.executions < 64) continue;
    if (static_cast<double>(line.divergences) < kRare * static_cast<double>(launch.warp_instructions))
      continue;
    const Finding finding{"slow.divergent_line",
                          {{"place", place_of(line.file, line.line, source)},
                           {"part", fmt::format("{:.0f}", 100 * part)},
                           {"executions", text::with_thousands(line.executions)},
                           {"idle", fmt::format("{:.0f}", 100 * idle)}}};
    remarks.push_back({2 * part, finding, finding.sentence(), "divergence_per_1000_elements"});
  }
}

void remark_launch(const LaunchReport& launch, std::string_view source, std::vector<Remark>& remarks) {
  const auto add = [&](double weight, const Finding& finding, const char* count) {
    remarks.push_back({weight, finding, finding.sentence(), count});
  };
  if (launch.spill_stores + launch.spill_loads > 0)
    add(4,
        {"slow.spills",
         {{"registers", launch.registers_per_thread},
          {"stores", text::with_thousands(launch.spill_stores)},
          {"loads", text::with_thousands(launch.spill_loads)}}},
        "spill_stores");
  if (launch.occupancy > 0 && launch.occupancy < kFewWarps)
    add(1 / launch.occupancy / 2,
        {"slow.occupancy",
         {{"warps", launch.warps_per_sm},
          {"part", fmt::format("{:.0f}", 100 * launch.occupancy)},
          {"limit", launch.occupancy_limiter}}},
        "");
  remark_branches(launch, source, remarks);
  uint64_t loaded = 0;
  for (const InstructionCounts& i : launch.instructions)
    if (i.space == "global" && i.kind == "load") loaded += i.bytes;
  const double again = over(loaded, launch.ideal_bytes);
  if (again >= kLoadedAgain)
    add(again / 2,
        {"slow.loaded_again", {{"bytes", text::with_thousands(loaded)}, {"times", fmt::format("{:.0f}", again)}}},
        "operations_per_loaded_byte");
}

}  // namespace

std::string source_line(std::string_view source, uint32_t number) {
  size_t begin = 0;
  for (uint32_t line = 1; line < number; ++line) {
    const size_t end = source.find('\n', begin);
    if (end == std::string_view::npos) return "";
    begin = end + 1;
  }
  if (number == 0 || begin >= source.size()) return "";
  std::string_view text = source.substr(begin, source.find('\n', begin) - begin);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t'))
    text.remove_suffix(1);
  return text.size() > 60 ? std::string(text.substr(0, 57)) + "..." : std::string(text);
}

std::vector<Finding> findings_of_gate(const GateResult& gate, Launches launches) {
  std::vector<Finding> findings;
  double times = 0;
  if (const InstructionCounts* worst = worst_of(gate, launches)) {
    const InstructionCounts line = whole_line(*worst, launches);
    times = waste_of(line).times();
    findings.push_back(counted(line));
  }
  if (const auto means = meaning(gate, is_too_large(gate), times, launches)) findings.push_back(*means);
  return findings;
}

std::string explain_gate(const GateResult& gate, Launches launches, std::string_view source) {
  const measure::Count& count = measure::find_count(gate.gate.count);
  std::string text = fmt::format("{}: {}\n", count.name, count.description);
  if (const InstructionCounts* worst = worst_of(gate, launches))
    text += fmt::format("  most of it: {}\n", place_of(worst->file, worst->line, source));
  for (const Finding& finding : findings_of_gate(gate, launches))
    text += "  " + finding.sentence() + "\n";
  return text;
}

std::vector<Remark> other_remarks(std::span<const GateResult> gates, Launches launches,
                                  std::string_view source) {
  std::vector<Remark> remarks;
  remark_lines(gates, launches, source, remarks);
  for (const LaunchReport& launch : launches)
    remark_launch(launch, source, remarks);
  std::stable_sort(remarks.begin(), remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.weight > b.weight; });
  if (remarks.size() > kMostRemarks) remarks.erase(remarks.begin() + kMostRemarks, remarks.end());
  return remarks;
}

}  // namespace ridge::grade

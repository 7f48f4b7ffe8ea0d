#include "harness/report/text/profile_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/text/text.h"
#include "text/layout.h"
#include "text/numbers.h"

namespace ridge::report {

namespace {

std::string heading(std::string_view text, std::string_view source, const Style& style) {
  return fmt::format("{} {}\n", style.paint(Colour::bold, text), style.paint(Colour::dim, source));
}

// The resident blocks of an SM under each limit alone.
std::string limits_of(const trace::LaunchReport& launch) {
  constexpr uint32_t kUnlimited = 0x7fffffff;
  auto one = [](std::string_view what, uint32_t blocks) {
    return blocks >= kUnlimited || blocks == 0 ? std::string() : fmt::format(", {} for its {}", blocks, what);
  };
  return one("threads", launch.limit_threads) + one("registers", launch.limit_registers) +
         one("shared memory", launch.limit_shared_memory) + one("blocks", launch.limit_blocks);
}

std::string percent_of(uint64_t part, uint64_t whole) {
  return whole == 0
             ? ""
             : fmt::format(" ({:.0f}%)", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::string resources_line(const build::KernelResources& kernel) {
  if (kernel.registers == 0)
    return fmt::format("{}: registers and spills are not known, because clang writes PTX\n", kernel.kernel);
  std::string text = fmt::format("{}: {} registers per thread", kernel.kernel, kernel.registers);
  if (kernel.shared_bytes > 0)
    text += fmt::format(", {} bytes of shared memory per block", kernel.shared_bytes);
  if (kernel.stack_bytes > 0) text += fmt::format(", {} bytes of stack a thread", kernel.stack_bytes);
  const uint32_t spilled = kernel.spill_store_bytes + kernel.spill_load_bytes;
  text += spilled > 0 ? fmt::format(", {} bytes spilled ({} stored, {} loaded)", spilled,
                                    kernel.spill_store_bytes, kernel.spill_load_bytes)
                      : ", no spills";
  return text + "\n";
}

std::string mix_text(const std::vector<build::OpcodeCount>& mix, size_t most, const Style& style) {
  uint64_t all = 0;
  for (const build::OpcodeCount& one : mix)
    all += one.count;
  std::string text;
  for (size_t i = 0; i < std::min(most, mix.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", mix[i].count, mix[i].opcode);
  if (mix.size() > most) text += fmt::format(" and {} kinds more", mix.size() - most);
  return text::wrapped(fmt::format("{} instruction{}: {}", all, all == 1 ? "" : "s", text),
                       static_cast<size_t>(style.width), 2);
}

std::string launch_text(const trace::LaunchReport& launch, const Style& style) {
  std::string text =
      heading(fmt::format("{} <<<({}, {}, {}), ({}, {}, {})>>>", launch.kernel, launch.grid[0],
                          launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2]),
              "modelled, " + launch.device, style);
  text += fmt::format("  occupancy {:.0f}%: {} blocks and {} warps on an SM, limited by {}{}\n",
                      100 * launch.occupancy, launch.blocks_per_sm, launch.warps_per_sm,
                      launch.occupancy_limiter, limits_of(launch));
  text += fmt::format(
      "  {}{} + {} bytes of shared memory per block (static + dynamic), L1 keeps {} KB\n",
      launch.registers_per_thread == 0  // clang compiled: PTX only
          ? ""
          : fmt::format("{} registers per thread, ", launch.registers_per_thread),
      launch.static_shared_bytes, launch.dynamic_shared_bytes,
      launch.l1_bytes / 1024);
  const uint64_t issued = launch.sass_instructions ? launch.sass_instructions : launch.warp_instructions;
  text += fmt::format("  {} warp instructions issued{}, {} barriers, {} divergent branches\n",
                      text::with_thousands(issued), launch.sass_instructions ? "" : " (of the PTX)",
                      text::with_thousands(launch.barriers), text::with_thousands(launch.divergent_branches));
  std::vector<trace::ClassCounts> classes = launch.classes;
  std::stable_sort(classes.begin(), classes.end(),
                   [](const auto& a, const auto& b) { return a.executed > b.executed; });
  std::string mix;
  for (const trace::ClassCounts& one : classes)
    if (one.executed > 0)
      mix += fmt::format("{}{} {}{}", mix.empty() ? "" : ", ", one.name, text::with_thousands(one.executed),
                         percent_of(one.executed, issued));
  if (!mix.empty()) text += text::wrapped("by class: " + mix, static_cast<size_t>(style.width), 2);
  text += fmt::format("  global loads: {} sectors, L1 had {}{}; L2 was read for {} and had {}{}\n",
                      text::with_thousands(launch.l1_load_sectors), text::with_thousands(launch.l1_load_hits),
                      percent_of(launch.l1_load_hits, launch.l1_load_sectors),
                      text::with_thousands(launch.l2_read_sectors), text::with_thousands(launch.l2_read_hits),
                      percent_of(launch.l2_read_hits, launch.l2_read_sectors));
  const uint64_t moved = launch.dram_read_bytes + launch.dram_write_bytes;
  text += fmt::format("  DRAM: {} bytes read, {} written", text::with_thousands(launch.dram_read_bytes),
                      text::with_thousands(launch.dram_write_bytes));
  if (launch.ideal_bytes > 0)
    text += fmt::format(", {:.2f} times the bytes that are touched",
                        static_cast<double>(moved) / static_cast<double>(launch.ideal_bytes));
  text += "\n";
  if (launch.shared_requests > 0)
    text += fmt::format("  shared memory: {} accesses, {} wavefronts, {} of them for conflicts\n",
                        text::with_thousands(launch.shared_requests),
                        text::with_thousands(launch.shared_wavefronts),
                        text::with_thousands(launch.shared_conflicts));
  if (launch.spill_loads + launch.spill_stores > 0)
    text += fmt::format("  spills: {} loads and {} stores of registers that did not suffice\n",
                        text::with_thousands(launch.spill_loads), text::with_thousands(launch.spill_stores));
  return text;
}

std::string counters_text(const grade::Counters& counters, const Style& style) {
  if (!counters.why_not.empty())
    return heading("hardware counters", "", style) +
           text::wrapped("not read: " + counters.why_not, static_cast<size_t>(style.width), 2);
  std::string text;
  for (const grade::KernelCounters& kernel : counters.kernels) {
    text += heading(kernel.kernel, "measured by Nsight Compute", style);
    for (size_t i = 0; i < kernel.values.size(); ++i) {
      const grade::CounterKind& kind = grade::counter_kinds()[i];
      if (kernel.values[i].empty()) continue;
      text += fmt::format("  {}  {}\n", text::padded(kernel.values[i], 16),
                          style.paint(Colour::dim, kind.metric));
      text += text::wrapped(std::string(kind.sentence), static_cast<size_t>(style.width), 20);
    }
  }
  return text;
}

}  // namespace ridge::report

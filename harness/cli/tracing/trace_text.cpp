#include "harness/cli/tracing/trace_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <filesystem>

#include "harness/report/text/text.h"
#include "text/numbers.h"
#include "trace/block_timeline.h"
#include "trace/links/links_text.h"
#include "trace/record_names.h"

namespace ridge::cli {
namespace {

using trace::AccessTrace;
using trace::RecordKind;
using trace::RecordShape;
using trace::TraceArray;
using trace::TraceRecord;

std::string dimensions(const std::array<uint32_t, 3>& of) {
  return fmt::format("{} x {} x {}", of[0], of[1], of[2]);
}

std::string shape_of(const TraceArray& array) {
  std::string text = array.type.empty() ? "" : " " + array.type;
  for (const uint64_t length : array.extent)
    text += fmt::format("[{}]", length);
  return text;
}

// Names an address: "in[37]", "in[1][5]", "cudaMalloc #3 + 148".
std::string place_of(const AccessTrace& trace, trace::RecordSpace space, uint64_t address) {
  const TraceArray* array = trace.array_at(space, address);
  if (array == nullptr) return fmt::format("{:#x}", address);
  uint64_t inside = address - array->address;
  if (array->element_bytes == 0 || inside % array->element_bytes != 0)
    return fmt::format("{} + {}", array->shown_name(), inside);
  inside /= array->element_bytes;
  std::string text;
  for (size_t axis = array->extent.size(); axis-- > 1;) {
    text = fmt::format("[{}]{}", inside % array->extent[axis], text);
    inside /= array->extent[axis];
  }
  return fmt::format("{}[{}]{}", array->shown_name(), inside, text);
}

std::string addresses_of(const AccessTrace& trace, const TraceRecord& record) {
  if (!record.is_access()) return "";
  if (record.shape == RecordShape::runs) {
    if (record.runs.empty()) return "";
    const trace::RecordRuns& first = record.runs.front();
    return fmt::format(
        "{} {} x {} B{}", place_of(trace, record.space, first.begin), first.count, first.bytes,
        record.runs.size() > 1 ? fmt::format(" and {} rows more", record.runs.size() - 1) : "");
  }
  const auto lane = static_cast<size_t>(std::countr_zero(record.mask));
  std::string text = lane < 32 ? place_of(trace, record.space, record.addresses[lane]) : "";
  if (record.shape == RecordShape::strided) text += fmt::format(", a lane {} B on", record.stride);
  if (record.shape == RecordShape::scattered) text += ", scattered";
  return text + fmt::format(" ({} B a lane)", record.bytes);
}

std::string values_text(const AccessTrace& trace, const TraceRecord& record) {
  if (record.values.empty()) return "";
  const TraceArray* array =
      trace.array_at(record.space, record.addresses[static_cast<size_t>(std::countr_zero(record.mask))]);
  constexpr size_t kShown = 3;
  std::vector<std::string> shown;
  for (size_t k = 0; k < kShown && (k + 1) * record.bytes <= record.values.size(); ++k) {
    const std::byte* at = record.values.data() + k * record.bytes;
    uint32_t word = 0;
    std::memcpy(&word, at, std::min<size_t>(record.bytes, sizeof word));
    const bool is_float = array != nullptr && array->type.starts_with("float") &&
                          array->element_bytes % 4 == 0 && array->type != "float64";
    shown.push_back(is_float ? fmt::format("{:g}", std::bit_cast<float>(word)) : fmt::format("{:#x}", word));
  }
  return fmt::format(" = {}, ...", fmt::join(shown, ", "));
}

std::string line_of(const AccessTrace& trace, const trace::SharedAccesses& shared, const TraceRecord& record) {
  std::string text =
      fmt::format("warp {:<2} {:<10} {:<7}", record.warp, name_of(record.kind), name_of(record.space));
  if (record.unit != trace::RecordUnit::threads) text += fmt::format(" by {}", name_of(record.unit));
  if (record.place.kind != trace::PlaceKind::none) {
    text += fmt::format(" {} {}", name_of(record.place.kind), record.place.id);
    if (record.place.phase != 0) text += fmt::format(" phase {}", record.place.phase);
  }
  if (record.kind == RecordKind::issue && record.moved_bytes != 0)
    text += fmt::format(" {} B", record.moved_bytes);
  if (record.owner) text += fmt::format(" of block {}", *record.owner);
  if (!record.receivers.empty()) text += fmt::format(" to blocks {}", fmt::join(record.receivers, ", "));
  text += fmt::format(" mask {:08x}", record.mask);
  if (record.kind == RecordKind::divergence) text += fmt::format(" / {:08x}", record.other_mask);
  if (record.is_access()) {
    const trace::RecordCost cost = trace::cost_of(record, shared);
    text += fmt::format("  {} {}, {} would do  {}{}", cost.actual, trace::cost_unit(record.space), cost.ideal,
                        addresses_of(trace, record), values_text(trace, record));
  }
  const trace::TraceInstruction& instruction = trace.launch.instructions.at(record.instruction);
  return fmt::format("{}  {}:{} {}\n", text, std::filesystem::path(instruction.file).filename().string(),
                     instruction.line, instruction.text);
}

std::string about_scene(const trace::TraceNotes& notes) {
  std::string text;
  if (!notes.rung.empty())
    text += fmt::format("rung     {}{}, {}: {}\n", notes.rung, notes.solution ? " (solution)" : "",
                        notes.sizes, notes.verdict);
  const trace::TraceScene& scene = notes.scene;
  if (!scene.view.empty())
    text += fmt::format("scene    {} of block {}, warp {}, line \"{}\": {}\n", scene.view, scene.block,
                        scene.warp, scene.line, scene.text);
  return text;
}

}  // namespace

std::string trace_text(const AccessTrace& trace, uint64_t most_records) {
  const trace::TraceLaunch& launch = trace.launch;
  std::string text = fmt::format("kernel   {}\n", launch.kernel) + about_scene(trace.notes);
  text += fmt::format("launch   grid {}, block {}, on {}, format {}\n", dimensions(launch.grid),
                      dimensions(launch.block), launch.device, trace.version);
  if (trace.placement.known()) {
    text +=
        fmt::format("places   {} SMs, {} blocks each: {} waves (modelled)\n", trace.placement.multiprocessors,
                    trace.placement.blocks_per_sm, trace.placement.waves(launch.blocks()));
  }
  if (trace.report) {
    const trace::LaunchReport& report = *trace.report;
    text += fmt::format(
        "counts   {} warp instructions; L1 {} sectors loaded, {} hits; L2 {} read, {} written; DRAM {} B "
        "read, {} B "
        "written; ideal {} B; shared {} wavefronts, {} of conflicts\n",
        report.warp_instructions, report.l1_load_sectors, report.l1_load_hits, report.l2_read_sectors,
        report.l2_write_sectors, report.dram_read_bytes, report.dram_write_bytes, report.ideal_bytes,
        report.shared_wavefronts, report.shared_conflicts);
  }
  if (trace.links.known()) {
    text += fmt::format("devices  {}, this launch on device {}\n", trace.links.devices, trace.links.recorded_device);
    const std::vector<trace::LinkCounts> links = trace::all_links(trace.links);
    if (!links.empty())
      text += trace::links_text(links, trace.notes.ideal_link_bytes, trace.notes.ideal_link_formula) + "\n";
  }
  for (const TraceArray& array : trace.arrays) {
    text += fmt::format("array    {:<8} {:<7} {} B{} {}\n", array.shown_name(), name_of(array.space),
                        array.bytes, shape_of(array), array.name.empty() ? "" : array.origin);
  }
  const std::vector<trace::BlockTimeline> timelines = trace::timelines_of(trace);
  const trace::SharedAccesses shared = trace::shared_accesses_of(launch);
  if (const trace::SceneMoment moment = trace::find_scene(trace, timelines);
      moment.block < timelines.size() && !timelines[moment.block].empty()) {
    text += fmt::format("opens at record {} of block {}: {}", moment.record, timelines[moment.block].block(),
                        line_of(trace, shared, timelines[moment.block].record(moment.record)));
  }
  for (const trace::BlockTimeline& timeline : timelines) {
    const auto at = launch.block_at(timeline.block());
    text += fmt::format("block    {} = ({}, {}, {}): {} records\n", timeline.block(), at[0], at[1], at[2],
                        text::with_thousands(timeline.size()));
    for (size_t index = 0; index < std::min<uint64_t>(most_records, timeline.size()); ++index)
      text += fmt::format("{:>7}  {}", index, line_of(trace, shared, timeline.record(index)));
    if (timeline.size() > most_records)
      text += fmt::format("         ... {} more (--records)\n",
                          text::with_thousands(timeline.size() - most_records));
    if (timeline.dropped() > 0)
      text += fmt::format("         {} records were left out when the trace was full\n",
                          text::with_thousands(timeline.dropped()));
  }
  return text;
}

}  // namespace ridge::cli

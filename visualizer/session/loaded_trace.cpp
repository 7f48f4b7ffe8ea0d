#include "visualizer/session/loaded_trace.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "text/whole_file.h"
#include "visualizer/session/analysis/survey.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {
namespace {

// Adds a source that the trace lacks (a sandbox may hide the student's file from the recorder): the
// file itself if it has not changed since.
void add_sources(trace::TraceLaunch& launch, const std::filesystem::path& trace_file) {
  std::error_code failed;
  const auto traced = std::filesystem::last_write_time(trace_file, failed);
  if (failed) return;
  for (const trace::TraceInstruction& one : launch.instructions) {
    const bool known = std::any_of(launch.sources.begin(), launch.sources.end(),
                                   [&](const auto& s) { return s.path == one.file; });
    if (known || launch.sources.size() > 8 || !std::filesystem::is_regular_file(one.file, failed)) continue;
    if (std::filesystem::file_size(one.file, failed) > (1u << 20) ||
        std::filesystem::last_write_time(one.file, failed) > traced)
      continue;
    if (auto source = text::read_file_if_readable(one.file))
      launch.sources.push_back({one.file, std::move(*source)});
  }
}

uint64_t next_id() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

const warp_model::DeviceDescription& device_named(const std::string& name) {
  const auto* device = warp_model::find_device(name);
  return device ? *device : warp_model::default_device();
}

}  // namespace

LoadedTrace::LoadedTrace(std::filesystem::path file) : LoadedTrace(trace::open_access_trace(file), file) {}

LoadedTrace::LoadedTrace(std::span<const uint8_t> bytes, std::string name)
    : LoadedTrace(trace::open_access_trace(bytes), std::move(name)) {}

LoadedTrace::LoadedTrace(trace::AccessTrace trace)
    : LoadedTrace(trace::OpenedTrace{std::make_unique<trace::AccessTrace>(std::move(trace)), {}}, {}) {}

LoadedTrace::LoadedTrace(trace::OpenedTrace opened, std::filesystem::path file)
    : id_(next_id()),
      file_(std::move(file)),
      trace_(std::move(opened.trace)),
      timelines_(std::move(opened.timelines)),
      shared_accesses_(trace::shared_accesses_of(trace_->launch)),
      device_(&device_named(trace_->launch.device)) {
  if (timelines_.empty()) timelines_ = trace::timelines_of(*trace_);
  add_sources(trace_->launch, file_);
  title_ = trace_->notes.rung.empty() ? kernel_name(trace_->launch.kernel) : trace_->notes.rung;
  sum_up();
}

LoadedTrace::~LoadedTrace() = default;

std::vector<warp_model::Wavefront> LoadedTrace::wavefronts_of(const trace::TraceRecord& record,
                                                              const std::array<uint64_t, 32>& addresses,
                                                              uint32_t bytes) const {
  const bool by_lanes = record.is_access() && record.space == trace::RecordSpace::shared &&
                        record.shape != trace::RecordShape::runs;
  if (!by_lanes) return {};
  return warp_model::wavefronts_of(trace::shared_access_of(record, shared_accesses_), addresses.data(),
                                   record.mask, bytes);
}

const Survey* LoadedTrace::survey(bool wait) const {
  if (!surveyor_) surveyor_ = std::make_unique<Surveyor>(*this);
  return wait ? &surveyor_->wait() : surveyor_->done();
}

// By instruction; most have one kind of access, a few have others too.
std::vector<InstructionCost> LoadedTrace::costs_of_records() const {
  std::vector<InstructionCost> first(trace_->launch.instructions.size());
  std::map<std::tuple<uint32_t, trace::RecordSpace, trace::RecordKind>, InstructionCost> others;
  for (const trace::BlockTimeline& timeline : timelines_)
    for (const trace::RecordMark& mark : timeline.marks()) {
      // Data from another block's copy is a cost of the instruction there.
      if (!mark.is_access() || mark.received || mark.instruction >= first.size()) continue;
      InstructionCost* sum = &first[mark.instruction];
      const bool is_other = sum->cost.executions && (sum->space != mark.space || sum->kind != mark.kind);
      if (is_other) sum = &others[{mark.instruction, mark.space, mark.kind}];
      sum->instruction = mark.instruction, sum->space = mark.space, sum->kind = mark.kind;
      ++sum->cost.executions;
      sum->cost.actual += mark.actual, sum->cost.ideal += mark.ideal;
    }
  std::vector<InstructionCost> all;
  auto other = others.begin();
  for (const InstructionCost& one : first) {
    if (one.cost.executions == 0) continue;
    all.push_back(one);
    for (; other != others.end() && other->second.instruction == one.instruction; ++other)
      all.push_back(other->second);
  }
  return all;
}

void LoadedTrace::sum_up() {
  const auto& launch = trace_->launch;
  source_of_.assign(launch.instructions.size(), 0);
  for (size_t i = 0; i < launch.instructions.size(); ++i)
    for (size_t s = 0; s < launch.sources.size(); ++s)
      if (launch.sources[s].path == launch.instructions[i].file) source_of_[i] = static_cast<uint32_t>(s);

  instructions_ = costs_of_records();
  std::map<std::pair<uint32_t, uint32_t>, LineCost> by_line;
  std::vector<uint64_t> accesses(launch.sources.size() + 1);
  for (const InstructionCost& one : instructions_) {
    const uint32_t source = source_of_[one.instruction];
    const uint32_t number = launch.instructions[one.instruction].line;
    LineCost& line = by_line[{source, number}];
    line.source = source, line.line = number;
    if (line.instructions.empty() || line.instructions.back() != one.instruction)
      line.instructions.push_back(one.instruction);
    CostSum& sum = one.space == trace::RecordSpace::shared ? line.shared : line.global;
    sum.executions += one.cost.executions, sum.actual += one.cost.actual, sum.ideal += one.cost.ideal;
    accesses[source] += one.cost.executions;
  }
  for (auto& [key, line] : by_line)
    lines_.push_back(std::move(line));
  std::stable_sort(instructions_.begin(), instructions_.end(),
                   [](const auto& a, const auto& b) { return a.cost.waste() > b.cost.waste(); });
  main_source_ = static_cast<uint32_t>(std::max_element(accesses.begin(), accesses.end()) - accesses.begin());
}

const LineCost* LoadedTrace::line(uint32_t source, uint32_t line) const {
  const auto found =
      std::lower_bound(lines_.begin(), lines_.end(), std::pair(source, line),
                       [](const LineCost& a, const auto& key) { return std::pair(a.source, a.line) < key; });
  return found != lines_.end() && found->source == source && found->line == line ? &*found : nullptr;
}

}  // namespace ridge::view

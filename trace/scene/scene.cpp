// Finds the record of a trace that a scene describes.
#include <bit>
#include <charconv>

#include "trace/block_timeline.h"
#include "trace/record_names.h"
#include "trace/view_table.h"

namespace ridge::trace {
namespace {

// The index in trace.blocks of the block that the scene names; the first block when it was not
// recorded.
size_t block_of(const AccessTrace& trace) {
  const std::string& word = trace.notes.scene.block;
  const std::optional<uint64_t> wanted = linear_block(word, trace.launch.grid);
  for (size_t at = 0; at < trace.blocks.size() && wanted; ++at) {
    if (trace.blocks[at].block() == *wanted) return at;
  }
  return 0;
}

// Finds instructions whose source line contains a text.
class LineFinder {
 public:
  LineFinder(const TraceLaunch& launch, const std::string& wanted) : launch_(launch) {
    for (const TraceSource& source : launch.sources) {
      std::vector<bool>& holds = lines_.emplace_back();
      for (size_t begin = 0; begin <= source.text.size();) {
        const size_t end = std::min(source.text.find('\n', begin), source.text.size());
        const std::string_view line(source.text.data() + begin, end - begin);
        holds.push_back(line.substr(0, line.find("//")).find(wanted) != std::string_view::npos);
        begin = end + 1;
      }
    }
  }

  bool holds(uint32_t instruction) const {
    if (instruction >= launch_.instructions.size()) return false;
    const TraceInstruction& asked = launch_.instructions[instruction];
    for (size_t at = 0; at < lines_.size(); ++at) {
      if (launch_.sources[at].path == asked.file)
        return asked.line > 0 && asked.line <= lines_[at].size() && lines_[at][asked.line - 1];
    }
    return false;
  }

 private:
  const TraceLaunch& launch_;
  std::vector<std::vector<bool>> lines_;  // by source: the lines that contain the text
};

// Tells whether a record accesses an array of the scene's name, as far as the trace knows the
// arrays.
class ArrayFinder {
 public:
  ArrayFinder(const AccessTrace& trace, const BlockTimeline& timeline) : trace_(trace), timeline_(timeline) {
    const std::string& name = trace.notes.scene.array;
    for (const TraceArray& array : trace.arrays)
      known_ |= !name.empty() && array.name == name;
  }
  bool holds(size_t at) {
    if (!known_ || !timeline_.mark(at).is_access()) return true;
    timeline_.record(at, record_);
    const auto lane = static_cast<size_t>(std::countr_zero(record_.mask | 1u << 31));
    const uint64_t address = !record_.runs.empty() ? record_.runs.front().begin : record_.addresses[lane];
    const TraceArray* array = trace_.array_at(record_.space, address);
    return array != nullptr && array->name == trace_.notes.scene.array;
  }

 private:
  const AccessTrace& trace_;
  const BlockTimeline& timeline_;
  bool known_ = false;
  TraceRecord record_;
};

// The most wasteful record that satisfies the predicate, the first of several; nullopt when none
// does.
template <typename Predicate>
std::optional<size_t> most_wasteful(const BlockTimeline& timeline, Predicate is_wanted) {
  std::optional<size_t> found;
  for (size_t at = 0; at < timeline.size(); ++at) {
    if (found && timeline.mark(at).waste() <= timeline.mark(*found).waste()) continue;
    if (is_wanted(at)) found = at;
  }
  return found;
}

// For a kernel other than the scene's: finds the most similar record that the scene's view can
// show.
void find_most_alike(const BlockTimeline& timeline, const TraceScene& scene, ArrayFinder& array,
                     SceneMoment& moment) {
  const ViewDescription* view = find_view_description(scene.view);
  const bool of_shared = view && view->subject == ViewSubject::shared_access;
  const auto in_view = [&](size_t at) {
    const RecordMark& mark = timeline.mark(at);
    return mark.is_access() && !mark.received && (!of_shared || mark.space == RecordSpace::shared);
  };
  const auto alike = [&](size_t at) {
    return in_view(at) && (scene.kind.empty() || name_of(timeline.mark(at).kind) == scene.kind) &&
           array.holds(at);
  };
  const auto any = [](size_t) { return true; };
  auto found = most_wasteful(timeline, alike);
  moment.alike = found.has_value();
  if (!found) found = most_wasteful(timeline, in_view);
  if (!found) found = most_wasteful(timeline, any);
  moment.record = found.value_or(0);
}

}  // namespace

SceneMoment find_scene(const AccessTrace& trace, std::span<const BlockTimeline> timelines) {
  SceneMoment moment;
  if (timelines.empty()) return moment;
  moment.block = std::min(block_of(trace), timelines.size() - 1);
  const BlockTimeline& timeline = timelines[moment.block];
  const TraceScene& scene = trace.notes.scene;
  ArrayFinder array(trace, timeline);
  if (!scene.view.empty()) {
    const LineFinder lines(trace.launch, scene.line);
    std::vector<int8_t> known(trace.launch.instructions.size(), -1);
    std::optional<size_t> last;
    uint32_t occurrence = 0;
    for (const uint32_t at : timeline.of_warp(scene.warp)) {
      const RecordMark& mark = timeline.mark(at);
      if (!mark.is_access() && scene.kind.empty()) continue;
      if (mark.received) continue;  // the scene is about accesses of this block's warps
      if (!scene.kind.empty() && name_of(mark.kind) != scene.kind) continue;
      if (known[mark.instruction] < 0)
        known[mark.instruction] = scene.line.empty() || lines.holds(mark.instruction);
      if (known[mark.instruction] == 0 || !array.holds(at)) continue;
      last = at;
      if (occurrence++ == scene.occurrence) break;
    }
    if (last) {
      moment.record = *last;
      moment.found = moment.alike = true;
      return moment;
    }
  }
  find_most_alike(timeline, scene, array, moment);
  return moment;
}

}  // namespace ridge::trace

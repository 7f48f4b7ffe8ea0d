// The open data: the trace of the newest run (A) and of the one before (B), the runs in the store,
// the position of the playback, and the selection. Views read and change it only through these
// functions.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/store/store.h"
#include "harness/report/worklog/ladder.h"
#include "trace/view_table.h"
#include "visualizer/session/loaded_trace.h"
#include "visualizer/session/playback.h"
#include "visualizer/session/selection.h"

namespace ridge::view {

struct Prediction {  // P: hides the cost until a number was typed
  bool asking = false;
  std::string typed;
  std::optional<uint32_t> answer;  // the prediction for the access `of`
  size_t of = 0;
};

std::string lab_of(const std::string& rung);  // "02-coalescing/1-unit-stride": "02-coalescing"

class Session {
 public:
  // A new trace becomes A; the former A becomes B if it is of the same rung or kernel (`keep`). If
  // it cannot be opened nothing changes, and message() says why. Opens at the trace's scene.
  bool open(const std::filesystem::path& file, bool keep = true);
  void show(std::shared_ptr<const LoadedTrace> trace, bool keep = true);
  void open_second(const std::filesystem::path& file);  // as B

  const LoadedTrace* a() const { return a_.get(); }
  const LoadedTrace* b() const { return b_.get(); }
  const std::shared_ptr<const LoadedTrace>& b_shared() const { return b_; }
  // The lab whose runs and ladder are shown: A's, otherwise the requested one; empty: any.
  std::string lab() const;
  void set_lab(std::string lab) { lab_ = std::move(lab); }
  std::filesystem::path clone;  // of the runs; empty: none
  void swap();                  // Tab: exchanges A and B

  const std::vector<report::StoredRun>& runs() const { return runs_; }
  void set_runs(std::vector<report::StoredRun> runs) { runs_ = std::move(runs), ++runs_version_; }
  uint64_t runs_version() const { return runs_version_; }  // changes with the runs
  // The lab's rungs with the reference's figures; nullptr: not read, or not a clone of the course.
  const report::Ladder* ladder() const { return ladder_.get(); }
  void set_ladder(std::shared_ptr<const report::Ladder> ladder) { ladder_ = std::move(ladder); }
  const warp_model::DeviceDescription& device() const;
  // Nullptr: A's device.
  void set_device(const warp_model::DeviceDescription* device) { device_ = device; }

  // The shown block (index in trace().blocks) and access.
  size_t block() const { return block_; }
  void show_block(size_t index);
  const trace::BlockTimeline* timeline() const;
  // The shown one; nullptr: nothing is open or the block is empty.
  const trace::TraceRecord* record() const;
  const trace::TraceInstruction* instruction() const;  // of the shown record
  uint32_t source_line() const;                        // of the shown record; 0: none
  // scene_line: the source line of the scene at which A opened, 0: none. at_scene: true when the
  // shown record has that line, kind and memory.
  uint32_t scene_line() const;
  bool at_scene() const;
  // True when A contains what its scene is about; the trace of a skeleton does not and opens
  // elsewhere.
  bool has_scene() const { return has_scene_; }
  Playback& playback() { return playback_; }
  const Playback& playback() const { return playback_; }

  // hot: what the mouse is over, reset before each lookup; pinned: kept until Esc.
  Selection hot, pinned;
  Selection selected() const { return hot.over(pinned); }
  void toggle_pin(const Selection& what);
  // Goes to the next access by one of these instructions, wrapping around after the last; in the
  // shown block only.
  void jump_to(std::span<const uint32_t> instructions);

  // The survey of A (survey.h); nullptr: a thread is still counting, and the next picture must ask
  // again. Only with in_background; otherwise it waits.
  const Survey* survey();
  bool in_background = false, counting = false;

  Prediction prediction;
  bool offers_what_if = true;  // false: a page has controls of its own for that
  bool cost_hidden() const { return prediction.asking && prediction.of == playback_.at(); }

  std::string message;  // one sentence for the user: what went wrong, what to do
  std::string view{trace::kViews.front().id};
  bool is_comparing() const { return view == trace::describe(trace::ViewKind::compare).id; }
  // The view that Compare shows twice; empty: that of the access.
  std::string compared;
  // Switches to another view; switching to Compare from a view that it can show twice also selects
  // that view.
  void look_at(std::string_view id);
  // The command that reopens exactly this view.
  std::string command() const;

 private:
  void refresh() const;
  trace::SceneMoment take_scene();  // sets scene_ from A
  std::shared_ptr<const LoadedTrace> a_, b_;
  std::string lab_;
  std::vector<report::StoredRun> runs_;
  uint64_t runs_version_ = 0;
  std::shared_ptr<const report::Ladder> ladder_;
  const warp_model::DeviceDescription* device_ = nullptr;
  size_t block_ = 0;
  trace::RecordMark scene_;  // the record at which A's scene opened
  bool has_scene_ = false;
  Playback playback_;
  mutable trace::TraceRecord record_;  // decoded once per access
  mutable std::optional<std::pair<size_t, size_t>> decoded_;
};

// The record of timeline `in` that corresponds to record `at` of timeline `of`: at the same fraction
// of the timeline, or one nearby of the same kind, memory and warp.
size_t same_moment(const trace::BlockTimeline& of, size_t at, const trace::BlockTimeline& in);

}  // namespace ridge::view

// What is open: the trace of the newest run (A) and of the one before (B), the runs that the store knows,
// where the playback stands, and what is selected. Views read it and change it through these functions only.
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

struct Prediction {  // P: the cost is hidden until a number was typed
  bool asking = false;
  std::string typed;
  std::optional<uint32_t> answer;  // what was predicted for the access `of`
  size_t of = 0;
};

std::string lab_of(const std::string& rung);  // "02-coalescing/1-unit-stride": "02-coalescing"

class Session {
 public:
  // A new trace becomes A, and what was A becomes B when it is of the same rung or kernel (`keep`). What
  // cannot be opened changes nothing, and message() says why. Opens at the trace's scene.
  bool open(const std::filesystem::path& file, bool keep = true);
  void show(std::shared_ptr<const LoadedTrace> trace, bool keep = true);
  void open_second(const std::filesystem::path& file);  // as B

  const LoadedTrace* a() const { return a_.get(); }
  const LoadedTrace* b() const { return b_.get(); }
  const std::shared_ptr<const LoadedTrace>& b_shared() const { return b_; }
  // Whose runs and ladder are shown: A's, else what was asked for; empty: any.
  std::string lab() const;
  void set_lab(std::string lab) { lab_ = std::move(lab); }
  std::filesystem::path clone;  // that the runs are of; empty: none
  void swap();                  // Tab: A and B change places

  const std::vector<report::StoredRun>& runs() const { return runs_; }
  void set_runs(std::vector<report::StoredRun> runs) { runs_ = std::move(runs), ++runs_version_; }
  uint64_t runs_version() const { return runs_version_; }  // changes with the runs
  // The lab's rungs beside the reference; nullptr: not read, or not a clone of the course.
  const report::Ladder* ladder() const { return ladder_.get(); }
  void set_ladder(std::shared_ptr<const report::Ladder> ladder) { ladder_ = std::move(ladder); }
  const warp_model::DeviceDescription& device() const;
  void set_device(const warp_model::DeviceDescription* device) { device_ = device; }  // nullptr: A's

  // The shown block (index in trace().blocks) and access.
  size_t block() const { return block_; }
  void show_block(size_t index);
  const trace::BlockTimeline* timeline() const;
  const trace::TraceRecord* record() const;  // the shown one; nullptr: nothing is open or the block is empty
  const trace::TraceInstruction* instruction() const;  // of the shown record
  uint32_t source_line() const;                        // of the shown record; 0: none
  // The source line of the scene that A opened at, 0: none; and whether the shown record is of it: that line,
  // kind and memory.
  uint32_t scene_line() const;
  bool at_scene() const;
  // Whether A does what its scene is about; a skeleton does not yet, and opens at something else.
  bool has_scene() const { return has_scene_; }
  Playback& playback() { return playback_; }
  const Playback& playback() const { return playback_; }

  // Hot is what the mouse is over, and is cleared before each look; pinned stays until Esc.
  Selection hot, pinned;
  Selection selected() const { return hot.over(pinned); }
  void toggle_pin(const Selection& what);
  // Goes to the next access by one of these instructions, the first one behind the last; shown block only.
  void jump_to(std::span<const uint32_t> instructions);

  // Of A (survey.h); nullptr: a thread still counts, and the picture after this one is to look again. Only
  // where in_background is set: elsewhere it is waited for.
  const Survey* survey();
  bool in_background = false, counting = false;

  Prediction prediction;
  bool offers_what_if = true;  // false: a page has controls of its own for that
  bool cost_hidden() const { return prediction.asking && prediction.of == playback_.at(); }

  std::string message;  // one sentence for the person: what went wrong, what to do
  std::string view{trace::kViews.front().id};
  bool is_comparing() const { return view == trace::describe(trace::ViewKind::compare).id; }
  // Which view stands twice in Compare; empty: that of the access.
  std::string compared;
  // To another view; to Compare from one that can stand there twice, with it.
  void look_at(std::string_view id);
  // The command that reopens this very view.
  std::string command() const;

 private:
  void refresh() const;
  trace::SceneMoment take_scene();  // of A, into scene_
  std::shared_ptr<const LoadedTrace> a_, b_;
  std::string lab_;
  std::vector<report::StoredRun> runs_;
  uint64_t runs_version_ = 0;
  std::shared_ptr<const report::Ladder> ladder_;
  const warp_model::DeviceDescription* device_ = nullptr;
  size_t block_ = 0;
  trace::RecordMark scene_;  // the record that A's scene opened at
  bool has_scene_ = false;
  Playback playback_;
  mutable trace::TraceRecord record_;  // decoded once an access
  mutable std::optional<std::pair<size_t, size_t>> decoded_;
};

// The record of `in` that is at the same part of the time as record `at` of `of`, and of the same kind,
// memory and warp where there is one near.
size_t same_moment(const trace::BlockTimeline& of, size_t at, const trace::BlockTimeline& in);

}  // namespace ridge::view

#include "visualizer/session/session.h"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::view {

std::string lab_of(const std::string& rung) {
  return rung.substr(0, rung.find('/'));
}

bool Session::open(const std::filesystem::path& file, bool keep) {
  try {
    show(std::make_shared<LoadedTrace>(file), keep);
    message.clear();
    return true;
  } catch (const std::exception& error) {
    message = error.what();
    return false;
  }
}

void Session::open_second(const std::filesystem::path& file) {
  try {
    b_ = std::make_shared<LoadedTrace>(file);
    // The improvement of A is most visible at the place of B's waste: go there if A has no scene.
    const auto* here = timeline();
    const auto moment = trace::find_scene(b_->trace(), b_->timelines());
    if (here && here->size() && !here->mark(playback_.at()).waste() && moment.block == block_ &&
        moment.block < b_->timelines().size() && moment.record < b_->timelines()[moment.block].size()) {
      const size_t there = same_moment(b_->timelines()[moment.block], moment.record, *here);
      // But not from shared to global memory: the view that A opened with may be unable to show it.
      if (here->mark(there).space == here->mark(playback_.at()).space) playback_.follow(here, there);
    }
  } catch (const std::exception& error) {
    message = error.what();
  }
}

void Session::show(std::shared_ptr<const LoadedTrace> trace, bool keep) {
  const bool same = a_ && a_->title() == trace->title();
  if (keep && a_) b_ = a_;
  const size_t at = playback_.at();
  a_ = std::move(trace);
  if (in_background) a_->survey(false);  // starts counting while the first pictures are shown
  decoded_.reset();
  hot = {};
  prediction = {};
  const auto moment = take_scene();
  if (same && block_ < a_->timelines().size() && at < a_->timelines()[block_].size()) {
    playback_.follow(timeline(), at);  // a new version of the same kernel: keep the position
    return;
  }
  pinned = {};
  block_ = moment.block < a_->timelines().size() ? moment.block : 0;
  playback_.follow(timeline(), moment.record);
  if (!a_->trace().notes.scene.view.empty()) view = a_->trace().notes.scene.view;
}

trace::SceneMoment Session::take_scene() {
  const auto moment = trace::find_scene(a_->trace(), a_->timelines());
  const bool any = moment.block < a_->timelines().size() && !a_->timelines()[moment.block].empty();
  scene_ = any ? a_->timelines()[moment.block].mark(moment.record) : trace::RecordMark{};
  has_scene_ = any && moment.alike;
  return moment;
}

void Session::swap() {
  if (!b_) return;
  std::swap(a_, b_);
  take_scene();
  decoded_.reset();
  if (block_ >= a_->timelines().size()) block_ = 0;
  const size_t at = playback_.at();
  playback_.follow(timeline(), at);
}

const Survey* Session::survey() {
  const Survey* survey = a_ ? a_->survey(!in_background) : nullptr;
  if (a_ && !survey) counting = true;
  return survey;
}

void Session::look_at(std::string_view id) {
  constexpr std::string_view kCompare = trace::describe(trace::ViewKind::compare).id;
  const size_t slash = id.find('/');
  const trace::ViewDescription* shown = trace::find_view_description(view);
  if (id == kCompare && view != kCompare)
    compared = shown && shown->compares ? view : "";
  else if (slash != id.npos && id.substr(0, slash) == kCompare)
    compared = id.substr(slash + 1), id = kCompare;
  view = id;
}

std::string Session::lab() const {
  return a_ && !a_->trace().notes.rung.empty() ? lab_of(a_->trace().notes.rung) : lab_;
}

const warp_model::DeviceDescription& Session::device() const {
  if (device_) return *device_;
  return a_ ? a_->device() : warp_model::default_device();
}

void Session::show_block(size_t index) {
  if (!a_ || index >= a_->timelines().size() || index == block_) return;
  block_ = index;
  decoded_.reset();
  playback_.pause();
  playback_.follow(timeline(), playback_.at());
}

const trace::BlockTimeline* Session::timeline() const {
  return a_ && block_ < a_->timelines().size() ? &a_->timelines()[block_] : nullptr;
}

void Session::refresh() const {
  const std::pair now(block_, playback_.at());
  if (decoded_ == now) return;
  timeline()->record(playback_.at(), record_);
  decoded_ = now;
}

const trace::TraceRecord* Session::record() const {
  const auto* line = timeline();
  if (!line || playback_.at() >= line->size()) return nullptr;
  refresh();
  return &record_;
}

const trace::TraceInstruction* Session::instruction() const {
  const auto* shown = record();
  if (!shown || shown->instruction >= a_->launch().instructions.size()) return nullptr;
  return &a_->launch().instructions[shown->instruction];
}

uint32_t Session::source_line() const {
  const auto* shown = instruction();
  return shown ? shown->line : 0;
}

uint32_t Session::scene_line() const {
  const auto* trace = a();
  return trace && scene_.instruction < trace->launch().instructions.size()
             ? trace->launch().instructions[scene_.instruction].line
             : 0;
}

bool Session::at_scene() const {
  const auto* shown = record();
  if (!shown || source_line() != scene_line()) return false;
  const trace::RecordMark& mark = timeline()->mark(playback_.at());
  return mark.kind == scene_.kind && mark.space == scene_.space;
}

void Session::jump_to(std::span<const uint32_t> instructions) {
  const auto* line = timeline();
  if (!line) return;
  std::optional<uint32_t> first, next;
  for (const uint32_t instruction : instructions) {
    const auto records = line->of_instruction(instruction);
    if (records.empty()) continue;
    first = std::min(first.value_or(records.front()), records.front());
    const auto after = std::upper_bound(records.begin(), records.end(), playback_.at());
    if (after != records.end()) next = std::min(next.value_or(*after), *after);
  }
  if (next || first) playback_.go_to(next ? *next : *first);
}

void Session::toggle_pin(const Selection& what) {
  pinned = pinned == what ? Selection{} : what;
}

std::string Session::command() const {
  const auto quoted = [](const std::string& words) {
    if (words.find_first_of(" '\"$&;()") == std::string::npos) return words;
    std::string text = "'";
    for (const char c : words) {
      if (c == '\'') text.append("'\\'");
      text.push_back(c);
    }
    text.push_back('\'');
    return text;
  };
  if (!a_) {
    std::string text = fmt::format("ridge-view --view {}", view);
    if (!clone.empty()) text += fmt::format(" --clone {}", quoted(clone.string()));
    if (!lab_.empty()) text += fmt::format(" --lab {}", quoted(lab_));
    return text;
  }
  std::string file = quoted(a_->file().string()), shown = view;
  if (is_comparing() && !compared.empty()) shown += "/" + compared;
  if (b_ && is_comparing()) file = fmt::format("{} {}", file, quoted(b_->file().string()));
  const auto* line = timeline();
  return fmt::format("ridge-view --view {} --block {} --at {} {}", shown, line ? line->block() : 0,
                     playback_.at(), file);
}

size_t same_moment(const trace::BlockTimeline& of, size_t at, const trace::BlockTimeline& in) {
  const double part = static_cast<double>(at) / static_cast<double>(of.size());
  const size_t middle =
      std::min(in.size() - 1, static_cast<size_t>(part * static_cast<double>(in.size()) + 0.5));
  const auto& wanted = of.mark(at);
  const auto fits = [&](size_t one) {
    const auto& mark = in.mark(one);
    return mark.kind == wanted.kind && mark.space == wanted.space && mark.warp == wanted.warp;
  };
  for (size_t far = 0; far < 4096; ++far) {
    if (middle + far < in.size() && fits(middle + far)) return middle + far;
    if (far <= middle && fits(middle - far)) return middle - far;
  }
  return middle;
}

}  // namespace ridge::view

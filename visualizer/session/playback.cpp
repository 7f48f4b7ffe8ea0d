#include "visualizer/session/playback.h"

#include <algorithm>
#include <iterator>

namespace ridge::view {

void Playback::follow(const trace::BlockTimeline* timeline, size_t at) {
  timeline_ = timeline;
  at_ = before_ = size() ? std::min(at, size() - 1) : 0;
  move_ = 1, wait_ = 0;
  if (size() == 0) playing_ = false;
}

float Playback::moved() const {
  const double t = std::min(move_, 1.0);
  return static_cast<float>(t * t * (3 - 2 * t));
}

void Playback::move_to(size_t access) {
  if (size() == 0) return;
  access = std::min(access, size() - 1);
  if (access == at_) return;
  before_ = at_, at_ = access;
  move_ = 0;
}

size_t Playback::next_to_play() const {
  size_t next = at_ + 1;
  while (only_shared_ && next < size() && timeline_->mark(next).space != trace::RecordSpace::shared)
    ++next;
  return next;
}

void Playback::toggle() {
  if (size() == 0) return;
  playing_ = !playing_;
  if (playing_ && next_to_play() >= size()) at_ = before_ = 0;
  wait_ = 0;
}

void Playback::faster(int steps) {
  speed_ = std::clamp(speed_ + steps, 0, static_cast<int>(std::size(kSpeeds)) - 1);
}

void Playback::go_to(size_t access) {
  pause();
  move_to(access);
}

void Playback::step(int64_t by) {
  const int64_t last = static_cast<int64_t>(size()) - 1;
  go_to(static_cast<size_t>(
      std::clamp<int64_t>(static_cast<int64_t>(at_) + by, 0, std::max<int64_t>(last, 0))));
}

void Playback::step_same(const trace::TraceLaunch& launch, bool forward) {
  if (size() == 0) return;
  const auto line_of = [&](size_t access) -> std::pair<uint32_t, const std::string*> {
    const uint32_t index = timeline_->mark(access).instruction;
    if (index >= launch.instructions.size()) return {0, nullptr};
    return {launch.instructions[index].line, &launch.instructions[index].file};
  };
  const auto here = line_of(at_);
  for (size_t i = at_; forward ? i + 1 < size() : i > 0;) {
    forward ? ++i : --i;
    const auto there = line_of(i);
    if (!timeline_->mark(i).is_access() || !there.second || !here.second) continue;
    if (there.first == here.first && *there.second == *here.second) return go_to(i);
  }
  pause();
}

void Playback::step_costly(bool forward) {
  if (size() == 0) return;
  const size_t next = forward ? timeline_->next_costly(at_) : timeline_->previous_costly(at_);
  if (next < size())
    go_to(next);
  else
    pause();
}

bool Playback::advance(double seconds) {
  // A long pause of the program must not make the picture jump.
  seconds = std::clamp(seconds, 0.0, 0.1);
  // Fast playback shortens the move, and skips it beyond about 8 accesses per second.
  const double period = 1 / (kAccessesPerSecond * speed());
  if (move_ < 1)
    move_ = std::min(1.0, move_ + seconds / std::min(kMoveSeconds, playing_ ? period * 0.7 : kMoveSeconds));
  if (playing_) {
    wait_ += seconds;
    while (playing_ && wait_ >= period) {
      wait_ -= period;
      const size_t next = next_to_play();
      if (next >= size())
        playing_ = false;
      else
        move_to(next);
    }
  }
  return playing_ || moving();
}

}  // namespace ridge::view

// The shown access, and the transition to the next: each step is an eased move, then rest. It uses
// no clock: advance() receives the elapsed time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/block_timeline.h"

namespace ridge::view {

inline constexpr double kMoveSeconds = 0.35;
inline constexpr double kSpeeds[] = {0.25, 0.5, 1, 2, 4, 8, 16};
inline constexpr double kAccessesPerSecond = 2;  // at speed 1: a move and a rest

class Playback {
 public:
  // Shows `timeline` from now on, which must outlive this or be replaced; nullptr: nothing to show.
  void follow(const trace::BlockTimeline* timeline, size_t at = 0);

  size_t at() const { return at_; }
  size_t before() const { return before_; }  // the access before the move
  size_t size() const { return timeline_ ? timeline_->size() : 0; }
  bool playing() const { return playing_; }
  double speed() const { return kSpeeds[speed_]; }
  // 0 at the beginning of a move, 1 at rest; eased at both ends.
  float moved() const;
  bool moving() const { return move_ < 1; }

  // Playback skips what the view cannot show; keys still reach it.
  void play_only_shared(bool only) { only_shared_ = only; }
  bool plays_only_shared() const { return only_shared_; }
  void toggle();  // at the end it restarts from the beginning
  void pause() { playing_ = false; }
  void faster(int steps);
  void go_to(size_t access);  // pauses
  void step(int64_t by);      // pauses
  // The next (forward = false: previous) access by the same source line; no effect when there is
  // none.
  void step_same(const trace::TraceLaunch& launch, bool forward);
  void step_costly(bool forward);
  void home() { go_to(0); }
  void end() { go_to(size() ? size() - 1 : 0); }
  void rest() { move_ = 1; }  // no motion: for pictures

  // Returns true while something moves: another picture is due.
  bool advance(double seconds);

 private:
  void move_to(size_t access);
  size_t next_to_play() const;  // size(): there is none
  const trace::BlockTimeline* timeline_ = nullptr;
  size_t at_ = 0, before_ = 0;
  bool playing_ = false, only_shared_ = false;
  int speed_ = 2;
  double move_ = 1, wait_ = 0;
};

}  // namespace ridge::view

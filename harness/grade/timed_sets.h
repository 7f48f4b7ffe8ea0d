// The inputs of timed calls, which of them lies in which slot, and whether the answers are right.
#pragma once

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>

#include "harness/grade/correctness.h"

namespace ridge::grade {

class TimedSets {
 public:
  // As many sets as exceed three times the device's L2, and as its memory has room for. Of a problem with more
  // than so many operations, and whose reference can be worked out by rows, some rows of each answer are
  // compared: one, which the child cannot know, in each group of 32 or fewer.
  TimedSets(runner::Session& session, const problems::Problem& problem, const problems::Sizes& sizes,
            uint64_t seed, double most_reference_operations);
  ~TimedSets() { stop_working(); }
  TimedSets(const TimedSets&) = delete;
  TimedSets& operator=(const TimedSets&) = delete;

  // Begins to work out what is expected of every set, beside what else goes on.
  void work_out_references();
  // True when nothing of that is under way.
  bool references_are_known() const { return !working_; }

  const std::vector<problems::Case>& cases() const { return cases_; }
  // For the next pass: slot i gets the data of case order[i]. Shuffled, so that an answer kept from an
  // earlier call is wrong.
  const std::vector<size_t>& next_order();
  // True once in `many` times.
  bool chance(uint64_t many) { return random_.next() % many == 0; }
  // What the last pass left in every slot, against the reference.
  std::optional<Outcome> check(runner::Session& session, const CaseChecker& checker);
  // The same for one of the slots, any.
  std::optional<Outcome> check_one(runner::Session& session, const CaseChecker& checker);
  // Inputs that nobody has seen replace those of some sets; the reference of one of these is begun.
  std::optional<runner::Failure> renew(runner::Session& session);
  // The slots of those sets in the newest pass.
  std::vector<size_t> renewed_slots() const;
  // For a pass that uses none of those sets.
  std::vector<size_t> order_without_renewed() const;
  // After renew(): the slot of the set whose reference was begun with it.
  std::optional<Outcome> check_expected_one(runner::Session& session, const CaseChecker& checker);

 private:
  void draw(const std::vector<size_t>& sets);
  std::vector<int64_t> draw_rows();
  const problems::Buffer& written_buffer() const;
  // Of the rows that are compared, where not all are.
  std::vector<problems::Expected> reference(size_t index) const;
  std::optional<Outcome> check_rows(size_t index, const std::vector<runner::Returned>& returned);
  std::optional<Outcome> check_slot(size_t slot, runner::Session& session, const CaseChecker& checker);
  const std::vector<problems::Expected>* expected(size_t index);
  void begin(std::vector<size_t> indices);
  void stop_working();
  std::vector<size_t> every_set() const;
  double expected_bytes(size_t index) const;
  bool has_room_for(size_t index);

  const problems::Problem& problem_;
  const problems::Sizes sizes_;
  const bool by_rows_;
  problems::Random random_;
  std::vector<problems::Case> cases_;
  std::vector<size_t> order_;
  // References that were worked out, as far as there is room to keep them.
  std::vector<std::vector<problems::Expected>> expected_;
  // Of every set, the rows of the answer that are compared; empty: all. Drawn with the inputs.
  std::vector<std::vector<int64_t>> rows_;
  double kept_bytes_ = 0;
  std::vector<size_t> renewed_;  // sets; the reference of the first was begun
  // Those that are worked out beside other work: `expected_` is guarded while that goes on.
  std::mutex guard_;
  std::condition_variable known_;
  std::atomic<bool> working_ = false, stop_ = false;
  std::future<void> worker_;
};

}  // namespace ridge::grade

// The inputs of timed calls: their assignment to slots, and the check of the answers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>

#include "harness/grade/correctness.h"

namespace ridge::grade {

class TimedSets {
 public:
  // Creates as many sets as exceed three times the device's L2, as far as its memory allows. For a
  // problem with more than `most_reference_operations` whose reference can be computed by rows,
  // only some rows of each answer are compared: one per group of at most 32, which the child cannot
  // predict. For rows of calls their number is a multiple of `in_a_row`, and at least twice that.
  TimedSets(runner::Session& session, const problems::Problem& problem, const problems::Sizes& sizes,
            uint64_t seed, double most_reference_operations, int in_a_row = 1);
  ~TimedSets() { stop_working(); }
  TimedSets(const TimedSets&) = delete;
  TimedSets& operator=(const TimedSets&) = delete;

  // Starts computing the references of all sets in the background.
  void work_out_references();
  // True when that computation is not running.
  bool references_are_known() const { return !working_; }

  const std::vector<problems::Case>& cases() const { return cases_; }
  // The order of the next pass: slot i gets the data of case order[i]. It is shuffled, so that an
  // answer kept from an earlier call is wrong.
  const std::vector<size_t>& next_order();
  // True with probability 1 / many.
  bool chance(uint64_t many) { return random_.next() % many == 0; }
  // Compares the contents of every slot after the last pass with the reference.
  std::optional<Outcome> check(runner::Session& session, const CaseChecker& checker);
  // The same for one random slot.
  std::optional<Outcome> check_one(runner::Session& session, const CaseChecker& checker);
  // Draws a slot of each row, to be watched in the next pass (runner::Session::pass).
  std::vector<size_t> watched_slots();
  // Compares these slots.
  std::optional<Outcome> check_slots(const std::vector<size_t>& slots, runner::Session& session,
                                     const CaseChecker& checker);
  // Replaces the inputs of some sets by unseen ones and starts computing the reference of one of
  // them.
  std::optional<runner::Failure> renew(runner::Session& session);
  // An order with the renewed sets together: rows of calls have no other inputs then, or none of them.
  const std::vector<size_t>& next_order_by_rows();
  // The slots of the renewed sets in the latest pass.
  std::vector<size_t> renewed_slots() const;
  // An order that uses no renewed set.
  std::vector<size_t> order_without_renewed() const;
  // After renew(): checks the slot of the set whose reference was started there.
  std::optional<Outcome> check_expected_one(runner::Session& session, const CaseChecker& checker);

 private:
  void draw(const std::vector<size_t>& sets);
  std::vector<int64_t> draw_rows();
  const problems::Buffer& written_buffer() const;
  // References of the compared rows, when not all are compared.
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
  const size_t in_a_row_;
  problems::Random random_;
  std::vector<problems::Case> cases_;
  std::vector<size_t> order_;
  // Computed references, as far as there is room to keep them.
  std::vector<std::vector<problems::Expected>> expected_;
  // For every set, the rows of the answer that are compared; empty: all. Drawn with the inputs.
  std::vector<std::vector<int64_t>> rows_;
  double kept_bytes_ = 0;
  std::vector<size_t> renewed_;  // sets; the reference of the first one was started
  // Guards `expected_` while references are computed in the background.
  std::mutex guard_;
  std::condition_variable known_;
  std::atomic<bool> working_ = false, stop_ = false;
  std::future<void> worker_;
};

}  // namespace ridge::grade

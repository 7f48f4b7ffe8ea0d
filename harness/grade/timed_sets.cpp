#include "harness/grade/timed_sets.h"

#include <algorithm>
#include <new>

#include "harness/measure/rounds.h"

namespace ridge::grade {

namespace {

constexpr double kMostSetBytes = 8e9;       // on the device
constexpr double kMostExpectedBytes = 4e9;  // on the host

}  // namespace

TimedSets::TimedSets(runner::Session& session, const problems::Problem& problem, const problems::Sizes& sizes,
                     uint64_t seed)
    : problem_(problem), sizes_(sizes), random_(seed ^ 0x74696d6564) {
  double set_bytes = 0;
  for (const problems::Buffer& buffer : problem.buffers(sizes))
    set_bytes += static_cast<double>(buffer.bytes());
  int count = measure::rotating_sets(set_bytes, session.l2_bytes());
  // First contents, and the arena in which the slots lie.
  const double room = std::min(kMostSetBytes, static_cast<double>(session.free_bytes()) * 0.9 / 3);
  while (count > 2 && count * set_bytes > room)
    --count;
  cases_.resize(static_cast<size_t>(count));
  draw();
  for (size_t i = 0; i < cases_.size(); ++i)
    order_.push_back(i);
}

void TimedSets::draw() {
  stop_working();
  const std::vector<double> scalars = cases_.front().scalars;
  for (problems::Case& one : cases_) {
    one = problems::make_case(problem_, sizes_, problems::Draw::uniform, random_.next());
    // The child was told one set of them.
    one.scalars = scalars.empty() ? cases_.front().scalars : scalars;
  }
  expected_.assign(cases_.size(), {});
  kept_bytes_ = 0;
}

std::optional<runner::Failure> TimedSets::renew(runner::Session& session) {
  draw();
  begun_with_renewal_ = random_.next() % cases_.size();
  begin({begun_with_renewal_});
  return session.renew(cases_);
}

const std::vector<size_t>& TimedSets::next_order() {
  for (size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[random_.next() % i]);
  return order_;
}

bool TimedSets::has_room_for(size_t index) {
  double bytes = 0;
  for (const problems::Buffer& buffer : cases_[index].buffers)
    if (buffer.written()) bytes += static_cast<double>(buffer.elements()) * (sizeof(double) + sizeof(float));
  if (kept_bytes_ + bytes > kMostExpectedBytes) return false;
  kept_bytes_ += bytes;
  return true;
}

void TimedSets::work_out_references() {
  std::vector<size_t> all(cases_.size());
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  begin(std::move(all));
}

void TimedSets::begin(std::vector<size_t> indices) {
  stop_working();
  stop_ = false;
  working_ = true;
  worker_ = std::async(std::launch::async, [this, indices = std::move(indices)] {
    try {
      for (const size_t index : indices) {
        if (stop_ || !has_room_for(index)) break;
        auto reference = cases_[index].problem->reference(cases_[index]);
        const std::lock_guard lock(guard_);
        expected_[index] = std::move(reference);
        known_.notify_all();
      }
    } catch (const std::bad_alloc&) {  // whoever asks for a reference that is not there works it out
    }
    const std::lock_guard lock(guard_);
    working_ = false;
    known_.notify_all();
  });
}

void TimedSets::stop_working() {
  stop_ = true;
  if (worker_.valid()) worker_.wait();
}

const std::vector<problems::Expected>* TimedSets::expected(size_t index) {
  {
    std::unique_lock lock(guard_);
    known_.wait(lock, [&] { return !working_ || !expected_[index].empty(); });
    if (!expected_[index].empty()) return &expected_[index];
  }
  if (!has_room_for(index)) return nullptr;
  expected_[index] = cases_[index].problem->reference(cases_[index]);
  return &expected_[index];
}

std::optional<Outcome> TimedSets::check_slot(size_t slot, runner::Session& session,
                                             const Examination& examination) {
  const size_t index = order_[slot];
  auto returned = session.collect(slot);
  if (auto* failure = std::get_if<runner::Failure>(&returned))
    return examination.explain(*failure, "while it was timed");
  auto fault = examine(cases_[index], std::get<std::vector<runner::Returned>>(returned), expected(index));
  if (fault) fault->summary = "While it was timed: " + fault->summary;
  return fault;
}

std::optional<Outcome> TimedSets::check(runner::Session& session, const Examination& examination) {
  for (size_t slot = 0; slot < order_.size(); ++slot)
    if (auto fault = check_slot(slot, session, examination)) return fault;
  return std::nullopt;
}

std::optional<Outcome> TimedSets::check_expected_one(runner::Session& session,
                                                     const Examination& examination) {
  const auto at = std::find(order_.begin(), order_.end(), begun_with_renewal_);
  return check_slot(static_cast<size_t>(at - order_.begin()), session, examination);
}

std::optional<Outcome> TimedSets::check_one(runner::Session& session, const Examination& examination) {
  return check_slot(random_.next() % order_.size(), session, examination);
}

}  // namespace ridge::grade

#include "harness/grade/timed_sets.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "harness/grade/diagnosis/returned_buffers.h"
#include "harness/measure/rounds.h"
#include "harness/problems/compare.h"

namespace ridge::grade {

namespace {

constexpr double kMostSetBytes = 8e9;       // on the device
constexpr double kMostExpectedBytes = 4e9;  // on the host
// When one row per group is compared: the minimum number of groups, and a maximum of rows per
// group, so that a skipped tile (which has as many rows) is detected.
constexpr int64_t kComparedRows = 256, kMostRowsPerGroup = 32;

}  // namespace

TimedSets::TimedSets(runner::Session& session, const problems::Problem& problem, const problems::Sizes& sizes,
                     uint64_t seed, double most_reference_operations, int in_a_row)
    : problem_(problem),
      sizes_(sizes),
      by_rows_(problem.reference_of_rows && problem.operations(sizes) > most_reference_operations),
      in_a_row_(static_cast<size_t>(in_a_row)),
      random_(seed ^ 0x74696d6564) {
  double set_bytes = 0;
  for (const problems::Buffer& buffer : problem.buffers(sizes))
    set_bytes += static_cast<double>(buffer.bytes());
  int count = measure::rotating_sets(set_bytes, session.l2_bytes());
  // Room for the first contents and for the arena of the slots.
  const double room = std::min(kMostSetBytes, static_cast<double>(session.free_bytes()) * 0.9 / 3);
  while (count > 2 && count * set_bytes > room)
    --count;
  if (in_a_row > 1) count = std::max(count / in_a_row, 2) * in_a_row;
  cases_.resize(static_cast<size_t>(count));
  expected_.resize(cases_.size());
  rows_.resize(cases_.size());
  order_ = every_set();
  draw(order_);
}

void TimedSets::draw(const std::vector<size_t>& sets) {
  stop_working();
  const std::vector<double> scalars = cases_.front().scalars;
  for (const size_t i : sets) {
    cases_[i] = {};  // free the old contents before the new ones are drawn
    cases_[i] = problems::make_case(problem_, sizes_, problems::Draw::uniform, random_.next());
    // The child has received one set of scalars for all cases.
    cases_[i].scalars = scalars.empty() ? cases_.front().scalars : scalars;
    rows_[i] = draw_rows();
    if (!expected_[i].empty()) kept_bytes_ -= expected_bytes(i);
    expected_[i].clear();
  }
}

std::vector<int64_t> TimedSets::draw_rows() {
  if (!by_rows_) return {};
  const int64_t rows = written_buffer().extent.front();
  const int64_t group = std::clamp<int64_t>(rows / kComparedRows, 1, kMostRowsPerGroup);
  std::vector<int64_t> drawn;
  for (int64_t first = 0; first < rows; first += group)
    drawn.push_back(first + random_.from_one_to(std::min(group, rows - first)) - 1);
  return drawn;
}

const problems::Buffer& TimedSets::written_buffer() const {
  const std::vector<problems::Buffer>& buffers = cases_.front().buffers;
  return *std::find_if(buffers.begin(), buffers.end(), [](const auto& buffer) { return buffer.written(); });
}

std::vector<problems::Expected> TimedSets::reference(size_t index) const {
  if (rows_[index].empty()) return problem_.reference(cases_[index]);
  std::vector<problems::Expected> rows;
  rows.push_back(problem_.reference_of_rows(cases_[index], rows_[index]));
  return rows;
}

std::optional<runner::Failure> TimedSets::renew(runner::Session& session) {
  // Renew a random eighth of them: with few large sets that saves a second.
  std::vector<size_t> all = every_set();
  for (size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[random_.next() % i]);
  // Calls in rows are renewed in whole rows: an eighth of the rows.
  const size_t rows = all.size() / in_a_row_;
  all.resize((rows + 7) / 8 * in_a_row_);
  renewed_ = std::move(all);
  draw(renewed_);
  begin({renewed_.front()});
  return session.renew(cases_, renewed_);
}

std::vector<size_t> TimedSets::renewed_slots() const {
  std::vector<size_t> slots;
  for (size_t slot = 0; slot < order_.size(); ++slot)
    if (std::find(renewed_.begin(), renewed_.end(), order_[slot]) != renewed_.end()) slots.push_back(slot);
  return slots;
}

const std::vector<size_t>& TimedSets::next_order_by_rows() {
  next_order();
  if (in_a_row_ == 1) return order_;
  const auto is_renewed = [&](size_t set) {
    return std::find(renewed_.begin(), renewed_.end(), set) != renewed_.end();
  };
  std::stable_partition(order_.begin(), order_.end(), is_renewed);
  const size_t rows = order_.size() / in_a_row_;
  std::rotate(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(random_.next() % rows * in_a_row_),
              order_.end());
  return order_;
}

std::vector<size_t> TimedSets::watched_slots() {
  std::vector<size_t> slots;
  for (size_t first = 0; first < order_.size(); first += in_a_row_)
    slots.push_back(first + random_.next() % in_a_row_);
  return slots;
}

std::optional<Outcome> TimedSets::check_slots(const std::vector<size_t>& slots, runner::Session& session,
                                              const CaseChecker& checker) {
  for (const size_t slot : slots)
    if (auto outcome = check_slot(slot, session, checker)) return outcome;
  return std::nullopt;
}

std::vector<size_t> TimedSets::order_without_renewed() const {
  std::vector<size_t> others;
  for (const size_t set : every_set())
    if (std::find(renewed_.begin(), renewed_.end(), set) == renewed_.end()) others.push_back(set);
  std::vector<size_t> order(cases_.size());
  // At least two sets exist, and an eighth is renewed.
  for (size_t slot = 0; slot < order.size(); ++slot)
    order[slot] = others[slot % others.size()];
  return order;
}

std::vector<size_t> TimedSets::every_set() const {
  std::vector<size_t> all(cases_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

const std::vector<size_t>& TimedSets::next_order() {
  for (size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[random_.next() % i]);
  return order_;
}

double TimedSets::expected_bytes(size_t index) const {
  double elements = 0;
  for (const problems::Buffer& buffer : cases_[index].buffers) {
    const int64_t rows =
        rows_[index].empty() ? buffer.extent.front() : static_cast<int64_t>(rows_[index].size());
    if (buffer.written()) elements += static_cast<double>(buffer.elements() / buffer.extent.front() * rows);
  }
  return elements * (sizeof(double) + sizeof(float));
}

bool TimedSets::has_room_for(size_t index) {
  const double bytes = expected_bytes(index);
  if (kept_bytes_ + bytes > kMostExpectedBytes) return false;
  kept_bytes_ += bytes;
  return true;
}

void TimedSets::work_out_references() {
  begin(every_set());
}

void TimedSets::begin(std::vector<size_t> indices) {
  stop_working();
  stop_ = false;
  working_ = true;
  worker_ = std::async(std::launch::async, [this, indices = std::move(indices)] {
    try {
      for (const size_t index : indices) {
        if (stop_ || !has_room_for(index)) break;
        auto worked_out = reference(index);
        const std::lock_guard lock(guard_);
        expected_[index] = std::move(worked_out);
        known_.notify_all();
      }
    } catch (const std::bad_alloc&) {  // a missing reference is computed when it is needed
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
  expected_[index] = reference(index);
  return &expected_[index];
}

std::optional<Outcome> TimedSets::check_rows(size_t index,
                                             const std::vector<runner::Returned>& returned) {
  const problems::Case& given = cases_[index];
  std::vector<problems::Expected> rows;
  const std::vector<problems::Expected>* known = expected(index);
  if (!known) rows = reference(index);
  const problems::Expected& wanted = (known ? *known : rows).front();
  problems::Buffer compared = given.buffers[wanted.buffer];
  const auto row_bytes = static_cast<size_t>(compared.bytes() / compared.extent.front());
  compared.extent.front() = static_cast<int64_t>(rows_[index].size());
  std::vector<std::byte> got(static_cast<size_t>(compared.bytes()));
  for (size_t i = 0; i < rows_[index].size(); ++i)
    std::copy_n(returned[wanted.buffer].data.data() + static_cast<size_t>(rows_[index][i]) * row_bytes,
                row_bytes, got.data() + i * row_bytes);
  if (problems::compare(compared, wanted, got).right()) {
    static const std::vector<problems::Expected> none;
    return examine(given, returned, &none);
  }
  // Explain the error from the complete output.
  if (auto outcome = examine(given, returned)) return outcome;
  return changed_while_compared(given, compared.name);
}

std::optional<Outcome> TimedSets::check_slot(size_t slot, runner::Session& session,
                                             const CaseChecker& checker) {
  const size_t index = order_[slot];
  auto returned = session.collect(slot, static_cast<double>(random_.next() >> 11) * 0x1p-53);
  if (auto* failure = std::get_if<runner::Failure>(&returned))
    return checker.explain(*failure, "while it was timed");
  const auto& buffers = std::get<std::vector<runner::Returned>>(returned);
  auto outcome = rows_[index].empty() ? examine(cases_[index], buffers, expected(index))
                                    : check_rows(index, buffers);
  if (outcome) outcome->summary = "While it was timed: " + outcome->summary;
  return outcome;
}

std::optional<Outcome> TimedSets::check(runner::Session& session, const CaseChecker& checker) {
  return check_slots(every_set(), session, checker);  // as many slots as sets
}

std::optional<Outcome> TimedSets::check_expected_one(runner::Session& session,
                                                     const CaseChecker& checker) {
  const auto at = std::find(order_.begin(), order_.end(), renewed_.front());
  return check_slot(static_cast<size_t>(at - order_.begin()), session, checker);
}

std::optional<Outcome> TimedSets::check_one(runner::Session& session, const CaseChecker& checker) {
  return check_slot(random_.next() % order_.size(), session, checker);
}

}  // namespace ridge::grade

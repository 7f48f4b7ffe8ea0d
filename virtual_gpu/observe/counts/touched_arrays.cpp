#include "virtual_gpu/observe/counts/touched_arrays.h"

#include <bit>

namespace ridge::observe {

void TouchedArrays::look_up(uint32_t& last, uint64_t address) {
  for (last = 0; last < found_.size(); ++last) {
    if (holds(found_[last], address)) return;
  }
  if (missed_ == address) return;
  if (std::optional<trace::TraceArray> array = find_(address))
    found_.push_back(std::move(*array));
  else
    missed_ = address;
}

void TouchedArrays::note(const trace::TraceRecord& record) {
  if (record.space != trace::RecordSpace::global || !find_) return;
  uint32_t& last = last_[record.instruction % last_.size()];
  for (const trace::RecordRuns& runs : record.runs)
    touch(last, runs.begin);
  if (!record.runs.empty() || record.mask == 0) return;
  const auto address = [&](int lane) {
    return record.shape == trace::RecordShape::scattered
               ? record.addresses[static_cast<size_t>(lane)]
               : record.base + static_cast<uint64_t>(record.stride * lane);
  };
  touch(last, address(std::countr_zero(record.mask)));
  if (record.shape == trace::RecordShape::uniform) return;
  // A strided access: if the array contains the first and the last lane, it contains those between.
  if (record.shape == trace::RecordShape::strided && is_in(last, address(31 - std::countl_zero(record.mask))))
    return;
  for (uint32_t lanes = record.mask; lanes != 0; lanes &= lanes - 1)
    touch(last, address(std::countr_zero(lanes)));
}

void TouchedArrays::add(TouchedArrays&& others) {
  for (trace::TraceArray& array : others.found_) {
    touch(last_.front(), array.address);
    if (!is_in(last_.front(), array.address)) found_.push_back(std::move(array));
  }
}

}  // namespace ridge::observe

#include "harness/runner/child/timed_sets.h"

#include <algorithm>

#include "harness/runner/child/device_error.h"
#include "harness/runner/child/rank_devices.h"

namespace ridge::runner {

namespace {

constexpr int64_t kSlotAlignment = 64 << 10;
constexpr int64_t kMostArena = int64_t{8} << 30;

// Page-locks host memory during its lifetime, so that copies run at the bus's rate: seven times the
// pageable rate; locking two gigabytes takes 0.1 s. No effect when the system refuses, and for a
// few megabytes.
class PageLocked {
 public:
  explicit PageLocked(std::span<std::byte> memory) {
    if (memory.size() < kWorthLocking) return;
    if (cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterDefault) == cudaSuccess)
      start_ = memory.data();
    else
      cudaGetLastError();
  }
  ~PageLocked() {
    if (start_) cudaHostUnregister(start_);
  }
  PageLocked(const PageLocked&) = delete;
  PageLocked& operator=(const PageLocked&) = delete;

 private:
  static constexpr size_t kWorthLocking = size_t{64} << 20;
  std::byte* start_ = nullptr;
};

// The memory range of a set's inputs, from the first to the last.
std::span<std::byte> inputs_of(const std::vector<BufferPlan>& set, const SharedMemory& memory) {
  int64_t first = -1, end = 0;
  for (const BufferPlan& plan : set) {
    if (!plan.read) continue;
    if (first < 0) first = plan.in_offset;
    end = plan.in_offset + plan.bytes;
  }
  return first < 0 ? std::span<std::byte>() : memory.at(first, end - first);
}

int devices_of(const std::vector<BufferPlan>& set) {
  int most = 0;
  for (const BufferPlan& plan : set)
    most = std::max(most, plan.device);
  return most + 1;
}

int64_t aligned(int64_t bytes) {
  return (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
}

// The size of a buffer with its guards; the buffers of a slot are stored one after the other.
int64_t footprint(const BufferPlan& plan) {
  return (plan.bytes + 2 * plan.guard + 511) / 512 * 512;
}

}  // namespace

TimedSets::TimedSets(std::vector<std::vector<BufferPlan>> plans, const SharedMemory& memory,
                     int64_t slot_bytes)
    : plans_(std::move(plans)), slots_(plans_.size()) {
  int64_t needed = slot_bytes;
  for (const auto& set : plans_) {
    const PageLocked locked(inputs_of(set, memory));
    auto& kept = contents_.emplace_back();
    std::vector<int64_t> bytes(static_cast<size_t>(devices_of(set)));
    for (const BufferPlan& plan : set) {
      DeviceMemory& content = kept.emplace_back(plan.bytes, plan.device);
      fill_buffer(content.start(), plan, memory);
      bytes[static_cast<size_t>(plan.device)] += footprint(plan);
    }
    needed = std::max(needed, *std::max_element(bytes.begin(), bytes.end()));
  }
  // Fills are in each device's default stream; what follows is in another one.
  synchronize_devices(devices_of(plans_.front()));
  slot_bytes_ = aligned(needed);
  const auto count = static_cast<int64_t>(plans_.size());
  size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for the free memory");
  // The arena has room for varying positions: four times the size of the slots if available,
  // otherwise less.
  const int64_t spare = static_cast<int64_t>(free_bytes) - (int64_t{1} << 29);
  arena_bytes_ = std::max(count * slot_bytes_, std::min({4 * count * slot_bytes_, kMostArena, spare}));
  for (int device = 0; device < devices_of(plans_.front()); ++device)
    arenas_.emplace_back(arena_bytes_, device);
}

void TimedSets::move(const std::vector<size_t>& order) {
  order_ = order;
  std::vector<int64_t> gaps;  // gap before each slot
  std::uniform_int_distribution<int64_t> gap(
      0, (arena_bytes_ - static_cast<int64_t>(slots_.size()) * slot_bytes_) / kSlotAlignment);
  for (size_t i = 0; i < slots_.size(); ++i)
    gaps.push_back(gap(random_) * kSlotAlignment);
  std::sort(gaps.begin(), gaps.end());
  std::vector<size_t> places(slots_.size());
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = i;
  std::shuffle(places.begin(), places.end(), random_);
  for (size_t i = 0; i < slots_.size(); ++i) {
    const size_t set = order.at(i), place = places[i];
    Slot& slot = slots_[i];
    const int64_t offset = gaps[place] + static_cast<int64_t>(place) * slot_bytes_;
    slot.start = arenas_.front().start() + offset;
    slot.bytes = slot_bytes_;
    slot.pointers.clear();
    std::vector<std::byte*> next;  // by device
    for (const DeviceMemory& arena : arenas_)
      next.push_back(arena.start() + offset);
    for (size_t b = 0; b < plans_.at(set).size(); ++b) {
      const BufferPlan& plan = plans_[set][b];
      std::byte*& at = next.at(static_cast<size_t>(plan.device));
      slot.pointers.push_back(at + plan.guard);
      at += footprint(plan);
    }
  }
}

void TimedSets::fill(cudaStream_t stream) const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const size_t set = order_[i];
    const bool late = late_ && is_watched(i);
    for (size_t b = 0; b < plans_.at(set).size(); ++b) {
      const BufferPlan& plan = plans_[set][b];
      auto* data = static_cast<std::byte*>(slots_[i].pointers[b]);
      const auto bytes = static_cast<size_t>(plan.bytes);
      if (plan.guard > 0) {
        auto guard = static_cast<size_t>(plan.guard);
        check(cudaMemsetAsync(data - plan.guard, kGuardByte, guard, stream), "filling a guard band");
        check(cudaMemsetAsync(data + plan.bytes, kGuardByte, guard, stream), "filling a guard band");
      }
      if (late && plan.read)
        check(cudaMemsetAsync(data, kGuardByte, bytes, stream), "filling a buffer");
      else
        check(cudaMemcpyAsync(data, contents_[set][b].start(), bytes, cudaMemcpyDeviceToDevice, stream),
              "filling a buffer");
    }
  }
}

void TimedSets::watch(const std::vector<size_t>& slots, bool late) {
  kept_.clear();
  late_ = late;
  for (const size_t slot : slots)
    for (const BufferPlan& plan : plans_.at(order_.at(slot)))
      kept_[slot].emplace_back(plan.written ? plan.bytes : 1, plan.device);
}

std::vector<LateInput> TimedSets::late_inputs(size_t slot) const {
  std::vector<LateInput> inputs;
  const size_t set = order_.at(slot);
  for (size_t b = 0; late_ && b < plans_.at(set).size(); ++b)
    if (const BufferPlan& plan = plans_[set][b]; plan.read)
      inputs.push_back({plan.device, contents_[set][b].start(),
                        static_cast<std::byte*>(slots_.at(slot).pointers[b]), plan.bytes});
  return inputs;
}

void TimedSets::keep(size_t slot, const std::vector<cudaStream_t>& streams) const {
  const std::vector<DeviceMemory>& kept = kept_.at(slot);
  for (size_t b = 0; b < kept.size(); ++b) {
    const BufferPlan& plan = plans_.at(order_.at(slot))[b];
    if (!plan.written) continue;
    const OnDevice on(plan.device);
    check(cudaMemcpyAsync(kept[b].start(), slots_.at(slot).pointers[b], static_cast<size_t>(plan.bytes),
                          cudaMemcpyDeviceToDevice, streams.at(static_cast<size_t>(plan.device))),
          "copying an output", "run");
  }
}

void TimedSets::renew(const std::vector<size_t>& sets, const SharedMemory& memory) {
  for (const size_t set : sets) {
    const PageLocked locked(inputs_of(plans_.at(set), memory));
    for (size_t b = 0; b < plans_[set].size(); ++b)
      if (plans_[set][b].read) fill_buffer(contents_[set][b].start(), plans_[set][b], memory);
  }
}

void TimedSets::copy_back(size_t slot, const std::vector<Window>& windows,
                          const SharedMemory& memory) const {
  const Slot& from = slots_.at(slot);
  for (size_t b = 0; b < from.pointers.size(); ++b) {
    const BufferPlan& plan = plans_[slot][b];
    const auto* buffer = static_cast<const std::byte*>(from.pointers[b]);
    const std::byte* const data = plan.written && is_watched(slot) ? kept_.at(slot)[b].start() : buffer;
    const auto copy = [&](const std::byte* start, const Window& part) {
      if (part.count == 0) return;
      check(cudaMemcpy(memory.at(plan.out_offset + plan.guard + part.first, part.count).data(),
                       start + part.first, static_cast<size_t>(part.count), cudaMemcpyDeviceToHost),
            "copying a result back", "run");
    };
    copy(buffer, {-plan.guard, plan.guard});
    copy(data, windows.at(b));
    copy(buffer, {plan.bytes, plan.guard});
  }
}

}  // namespace ridge::runner

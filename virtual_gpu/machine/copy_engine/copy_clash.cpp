// Checks whether two copies in flight to one place in shared memory bring the same bytes. Called
// only when there are two: their order is undefined.
#include <algorithm>
#include <bit>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/bulk_bytes.h"
#include "virtual_gpu/machine/copy_engine/copy_engine.h"

namespace ridge::machine {
namespace {

struct Starter {
  uint64_t block = 0;
  uint32_t warp = 0, lane = 0, instruction = 0;
};

// The bytes that copies will bring to a range of shared memory, and who started each copy.
class CopyPrediction {
 public:
  CopyPrediction(uint64_t begin, uint64_t end) : begin_(begin), end_(end), bytes_(end - begin) {}

  // Returns false when another copy brings a different byte to *offset(); other() started that
  // copy.
  bool add(uint64_t offset, const std::byte* data, uint64_t bytes, bool reduces,
           const Starter& starter) {
    for (uint64_t at = std::max(offset, begin_); at < std::min(offset + bytes, end_); ++at) {
      Byte& known = bytes_[at - begin_];
      // Two reductions of one place are both applied.
      const int value = reduces ? kReduced : std::to_integer<int>(data[at - offset]);
      if (known.value == kNothing) known = {value, starter};
      if (known.value == value) continue;
      offset_ = at;
      other_ = known.starter;
      return false;
    }
    return true;
  }
  uint64_t offset() const { return offset_; }
  const Starter& other() const { return other_; }

 private:
  static constexpr int kNothing = -1, kReduced = 256;
  struct Byte {
    int value = kNothing;
    Starter starter;
  };
  uint64_t begin_, end_, offset_ = 0;
  Starter other_;
  std::vector<Byte> bytes_;
};

// Adds the bytes that a bulk copy would bring now; returns false as CopyPrediction::add().
bool add_bulk(const BulkCopy& copy, CopyPrediction& forecast) {
  const Starter starter{copy.issuer, copy.warp, copy.lane, copy.instruction};
  if (copy.box == nullptr) {
    const auto* const from = copy.direction == BulkDirection::load
                                 ? reinterpret_cast<const std::byte*>(copy.global)
                                 : copy.source_block->shared.get() + copy.source;
    return forecast.add(copy.destination, from, copy.bytes, copy.reduces, starter);
  }
  Runs runs;
  add_shared_runs(*copy.box, copy.destination, runs);
  uint64_t end = 0;
  for (const BulkAccess::Run& run : runs)
    end = std::max(end, run.begin + run.bytes);
  std::vector<std::byte> window(end);
  load_box(*copy.box, window.data(), copy.destination);
  return std::all_of(runs.begin(), runs.end(), [&](const BulkAccess::Run& run) {
    return forecast.add(run.begin, window.data() + run.begin, run.bytes, copy.reduces, starter);
  });
}

}  // namespace

std::optional<CopyClash> CopyEngine::copy_clash(uint64_t block, uint64_t begin,
                                                uint64_t end) const {
  const auto& blocks = context_.block->cluster->blocks;
  const auto owner = std::find_if(blocks.begin(), blocks.end(),
                                  [&](const auto& one) { return one->linear == block; });
  if (owner == blocks.end()) return std::nullopt;
  CopyPrediction forecast(begin, end);
  const auto clash = [&](const Starter& starter) {
    const bool is_now = starter.block == context_.block->linear &&
                        starter.warp == context_.warp->index && starter.instruction == context_.pc;
    const Starter& now = is_now ? starter : forecast.other();
    const Starter& other = is_now ? forecast.other() : starter;
    return CopyClash{forecast.offset() & ~uint64_t{3},
                     now.lane,
                     other.block,
                     other.warp,
                     other.lane,
                     other.instruction};
  };
  for (const Warp& warp : (*owner)->warps) {
    for (const PendingCopy& copy : warp.copies) {
      for (uint32_t rest = copy.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
        const Starter starter{block, warp.index, lane, copy.instruction};
        if (!forecast.add(copy.destination(lane), copy.of(lane), copy.bytes, false,
                          starter))
          return clash(starter);
      }
    }
  }
  for (const BulkCopy& copy : (*owner)->bulk.arriving) {
    if (!add_bulk(copy, forecast))
      return clash({copy.issuer, copy.warp, copy.lane, copy.instruction});
  }
  return std::nullopt;
}

// Considers only the copies in flight that the current instruction started.
std::optional<CopyClash> CopyEngine::landed_clash(uint64_t block, uint64_t begin,
                                                  uint64_t end) const {
  if (block != context_.block->linear) return std::nullopt;
  CopyPrediction forecast(begin, end);
  forecast.add(begin, context_.block->shared.get() + begin, end - begin, false, {});
  const auto clash = [&](uint32_t lane) {
    return CopyClash{forecast.offset() & ~uint64_t{3}, lane, 0, 0, 0, 0};
  };
  for (const PendingCopy& copy : context_.warp->copies) {
    for (uint32_t rest = copy.instruction == context_.pc ? copy.mask : 0; rest != 0;
         rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (!forecast.add(copy.destination(lane), copy.of(lane), copy.bytes, false, {}))
        return clash(lane);
    }
  }
  for (const BulkCopy& copy : context_.block->bulk.arriving) {
    const bool is_now = copy.issuer == block && copy.warp == context_.warp->index &&
                        copy.instruction == context_.pc;
    if (is_now && !add_bulk(copy, forecast)) return clash(copy.lane);
  }
  return std::nullopt;
}

}  // namespace ridge::machine

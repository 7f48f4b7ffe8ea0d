// The fast path of the race check in global memory: runs of consecutive words that one warp accesses.
#include <algorithm>
#include <atomic>
#include <bit>

#include "virtual_gpu/observe/races/global_region.h"
#include "virtual_gpu/observe/races/global_step.h"
#include "virtual_gpu/observe/vector_clones.h"

namespace ridge::observe {
namespace {

constexpr uint64_t kSerialAndThread = 0xffffffff00000ffcull;

// Whether every cell is of an earlier launch, or of the very thread that accesses its word now.
RIDGE_VECTOR bool all_own(const uint64_t* cells, uint64_t count, uint64_t oldest, uint64_t mine,
                          uint32_t shift) {
  uint64_t foreign = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t own = mine + ((i >> shift) << 2);
    foreign |= cells[i] >= oldest ? (cells[i] ^ own) & kSerialAndThread : 0;
  }
  return foreign == 0;
}

RIDGE_VECTOR void set_cells(uint64_t* cells, uint64_t count, uint64_t mine, uint32_t shift) {
  for (uint64_t i = 0; i < count; ++i)
    cells[i] = mine + ((i >> shift) << 2);
}

}  // namespace

// From now on in this launch the words of a line have cells of their own.
void GlobalShadow::open_line(Region& region, uint64_t line) {
  const BlockCell cell{region.lines[line]};
  if (cell.serial() >= base_ && cell.bytes() == 0) return;
  const uint64_t first = line * Region::kLineWords,
                 words = std::min(Region::kLineWords, region.words - first);
  if (cell.serial() >= base_)
    set_cells(region.writers + first, words, cell.bits & ~3ull,
              static_cast<uint32_t>(cell.bits & 3));
  region.lines[line] = BlockCell::make(base_, 0, 0, false, 0, 0).bits;
}

// A write of whole lines that nobody else has written, and whose words have no cells of their own.
bool GlobalShadow::write_lines(Region& region, uint64_t first_word, uint64_t words, uint64_t mine,
                               uint32_t shift) {
  if (first_word % Region::kLineWords != 0 || words % Region::kLineWords != 0) return false;
  const uint64_t first = first_word / Region::kLineWords, count = words / Region::kLineWords;
  const auto cell_of = [&](uint64_t i) {
    return (mine + ((i * Region::kLineWords >> shift) << 2)) | shift;
  };
  for (uint64_t i = 0; i < count; ++i) {
    const BlockCell cell{region.lines[first + i]};
    if (cell.serial() >= base_ &&
        (cell.bytes() == 0 || ((cell.bits ^ cell_of(i)) & (kSerialAndThread | 3)) != 0))
      return false;
  }
  for (uint64_t i = 0; i < count; ++i)
    region.lines[first + i] = cell_of(i);
  return true;
}

// Sets the writers' cells of a run. `step` is the step of the run's first lane.
void GlobalShadow::set_writers(Region& region, uint64_t first_word, uint64_t words, uint32_t shift,
                               Step step) const {
  const uint64_t mine = step.cell().bits;
  uint64_t* const cells = region.writers + first_word;
  if (!region.may_be_read) return set_cells(cells, words, mine, shift);
  const uint32_t first_lane = step.lane;
  for (uint64_t i = 0; i < words; ++i) {
    step.lane = first_lane + static_cast<uint32_t>(i >> shift);
    step.byte = static_cast<uint32_t>(i & ((1u << shift) - 1)) * 4;
    const BlockCell before{cells[i]};
    const bool may_mark = before.serial() < base_ || before.preserved_value();
    cells[i] =
        (mine + ((i >> shift) << 2)) | (may_mark && changes_nothing(region, first_word + i, step));
  }
}

// The common case: threads access consecutive words that nobody else has touched.
bool GlobalShadow::write_run(Region& region, uint64_t first_word, uint64_t words,
                             const Step& step) {
  if (region.has_sets.load(std::memory_order_relaxed)) return false;
  const uint64_t oldest = uint64_t{base_} << 32, mine = step.cell().bits;
  const auto shift = static_cast<uint32_t>(std::countr_zero(step.access.bytes / 4));
  const bool by_lines =
      step.writes && !region.may_be_read && write_lines(region, first_word, words, mine, shift);
  for (uint64_t line = first_word / Region::kLineWords;
       !by_lines && line * Region::kLineWords < first_word + words; ++line)
    open_line(region, line);
  if (step.writes && !by_lines) {
    if (!all_own(region.writers + first_word, words, oldest, mine, shift)) return false;
    if (region.was_read.load(std::memory_order_relaxed) &&
        (region.has_two_readers.load(std::memory_order_relaxed) ||
         !all_own(region.readers + first_word, words, oldest, mine, shift)))
      return false;
    set_writers(region, first_word, words, shift, step);
  } else if (!step.writes) {
    if (region.has_two_readers.load(std::memory_order_relaxed) ||
        !all_own(region.writers + first_word, words, oldest, mine, shift) ||
        !all_own(region.readers + first_word, words, oldest, mine, shift))
      return false;
    set_cells(region.readers + first_word, words, mine, shift);
  }
  if (region.epochs != nullptr) {
    const uint32_t epoch = step.epoch();
    for (uint64_t word = first_word; word < first_word + words; ++word)
      region.set_epoch(word, step.writes ? Region::kWriter : Region::kReader, epoch);
  }
  return true;
}

}  // namespace ridge::observe

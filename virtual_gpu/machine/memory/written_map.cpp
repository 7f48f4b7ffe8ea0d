#include "virtual_gpu/machine/memory/written_map.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>

namespace ridge::machine {
namespace {

constexpr uint64_t kAll = ~0ull;
constexpr uint64_t kMapPageBytes = 4096;

// `count` ones, from bit `first` on.
uint64_t ones(uint64_t first, uint64_t count) {
  return (count >= 64 ? kAll : (1ull << count) - 1) << first;
}

// Visits the bits [first, first + count) by word: visit(word index, its bits).
template <class Visit>
void for_words(uint64_t first, uint64_t count, Visit visit) {
  while (count > 0) {
    const uint64_t bit = first & 63, here = std::min<uint64_t>(64 - bit, count);
    visit(first >> 6, ones(bit, here));
    first += here;
    count -= here;
  }
}

}  // namespace

WrittenMap::WrittenMap(uint64_t begin, uint64_t bytes) {
  const uint64_t first = begin & ~63ull;
  const uint64_t map_bytes = (begin + bytes - first + 63) / 64 * 8;
  void* words =
      mmap(nullptr, map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (words == MAP_FAILED) return;
  begin_ = first;
  bytes_ = begin + bytes - first;
  words_ = static_cast<uint64_t*>(words);
}

WrittenMap::~WrittenMap() {
  if (words_ != nullptr) munmap(words_, (bytes_ + 63) / 64 * 8);
}

bool WrittenMap::all_written(uint64_t address, uint64_t bytes) const {
  return first_unwritten(address, address + bytes) == address + bytes;
}

uint32_t WrittenMap::written_bits(uint64_t address, uint32_t bytes) const {
  const uint64_t offset = address - begin_, bit = offset & 63;
  const uint64_t* word = words_ + (offset >> 6);
  uint64_t bits = word[0] >> bit;
  if (bit + bytes > 64) bits |= word[1] << (64 - bit);
  return static_cast<uint32_t>(bits & ones(0, bytes));
}

void WrittenMap::set(uint64_t address, uint64_t bytes) {
  for_words(address - begin_, bytes, [&](uint64_t index, uint64_t bits) {
    std::atomic_ref<uint64_t> word(words_[index]);
    if (bits == kAll)
      word.store(kAll, std::memory_order_relaxed);
    else if ((word.load(std::memory_order_relaxed) & bits) != bits)
      word.fetch_or(bits, std::memory_order_relaxed);
  });
}

void WrittenMap::clear(uint64_t address, uint64_t bytes) {
  // Complete pages are returned to the system, so that freeing a large array does not write to all
  // of it.
  const uint64_t first = (address - begin_) >> 3, past = first + (bytes >> 3);
  const uint64_t first_page = (first + kMapPageBytes - 1) / kMapPageBytes * kMapPageBytes, past_page = past / kMapPageBytes * kMapPageBytes;
  if (past_page > first_page + 16 * kMapPageBytes) {
    const uint64_t head = begin_ + first_page * 8 - address, tail = begin_ + past_page * 8;
    madvise(reinterpret_cast<std::byte*>(words_) + first_page, past_page - first_page, MADV_DONTNEED);
    clear(address, head);
    clear(tail, address + bytes - tail);
    return;
  }
  for_words(address - begin_, bytes, [&](uint64_t index, uint64_t bits) {
    std::atomic_ref<uint64_t>(words_[index]).fetch_and(~bits, std::memory_order_relaxed);
  });
}

void WrittenMap::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (all_written(from, bytes)) {
    set(to, bytes);
    return;
  }
  for (uint64_t at = 0; at < bytes; at += 32) {
    const auto here = static_cast<uint32_t>(std::min<uint64_t>(32, bytes - at));
    const uint32_t bits = written_bits(from + at, here);
    for (uint32_t k = 0; k < here; ++k) {
      if (bits >> k & 1)
        set(to + at + k, 1);
      else
        clear(to + at + k, 1);
    }
  }
}

uint64_t WrittenMap::first_unwritten(uint64_t from, uint64_t end) const {
  uint64_t at = from - begin_;
  const uint64_t last = end - begin_;
  while (at < last) {
    const uint64_t bit = at & 63, here = std::min<uint64_t>(64 - bit, last - at);
    const uint64_t missing = ~words_[at >> 6] & ones(bit, here);
    if (missing != 0) return begin_ + (at & ~63ull) + static_cast<uint64_t>(std::countr_zero(missing));
    at += here;
  }
  return end;
}

}  // namespace ridge::machine

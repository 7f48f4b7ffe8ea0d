#include "virtual_gpu/observe/races/launch_footprint.h"

#include <algorithm>
#include <bit>

namespace ridge::observe {
namespace {

// Calls `use` for each page that overlaps [begin, begin + bytes), with the word and the bits of the
// overlap.
template <typename Use>
void for_each_word(uint64_t begin, uint64_t bytes, uint64_t page_bytes, Use use) {
  for (uint64_t at = begin; at < begin + bytes;) {
    const uint64_t in_word = at % 64, count = std::min(64 - in_word, begin + bytes - at);
    const uint64_t bits = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << in_word;
    if (!use(at / page_bytes, at % page_bytes / 64, bits, at - in_word)) return;
    at += count;
  }
}

}  // namespace

LaunchFootprint::Page& LaunchFootprint::page_at(uint64_t number) {
  if (number != last_number_) {
    last_ = &pages_[number];
    last_number_ = number;
  }
  return *last_;
}

void LaunchFootprint::add(uint64_t begin, uint64_t bytes, bool writes, uint32_t instruction) {
  for_each_word(begin, bytes, kPageBytes,
                [&](uint64_t number, uint64_t word, uint64_t bits, uint64_t) {
                  Page& page = page_at(number);
                  (writes ? page.written : page.read)[word] |= bits;
                  (writes ? page.writer : page.reader) = instruction;
                  return true;
                });
}

void LaunchFootprint::merge(const LaunchFootprint& other) {
  for (const auto& [number, from] : other.pages_) {
    Page& page = page_at(number);
    const auto is_set = [](uint64_t word) { return word != 0; };
    if (std::any_of(from.read.begin(), from.read.end(), is_set)) page.reader = from.reader;
    if (std::any_of(from.written.begin(), from.written.end(), is_set)) page.writer = from.writer;
    for (size_t word = 0; word < kWords; ++word) {
      page.read[word] |= from.read[word];
      page.written[word] |= from.written[word];
    }
  }
}

std::set<uint32_t> LaunchFootprint::instructions() const {
  std::set<uint32_t> found;
  for (const auto& [number, page] : pages_) {
    found.insert(page.reader);
    found.insert(page.writer);
  }
  return found;
}

std::optional<LaunchFootprint::Conflict> LaunchFootprint::conflict_with(uint64_t begin,
                                                                        uint64_t bytes,
                                                                        bool writes) const {
  std::optional<Conflict> found;
  for_each_word(
      begin, bytes, kPageBytes, [&](uint64_t number, uint64_t word, uint64_t bits, uint64_t start) {
        const auto page = pages_.find(number);
        if (page == pages_.end()) return true;
        const uint64_t written = page->second.written[word] & bits,
                       read = writes ? page->second.read[word] & bits : 0;
        if ((written | read) == 0) return true;
        Conflict conflict;
        conflict.writes = written != 0;
        conflict.address =
            start + static_cast<uint64_t>(std::countr_zero(conflict.writes ? written : read));
        const auto line = lines_.find(conflict.writes ? page->second.writer : page->second.reader);
        if (line != lines_.end()) conflict.line = line->second;
        found = std::move(conflict);
        return false;
      });
  return found;
}

}  // namespace ridge::observe

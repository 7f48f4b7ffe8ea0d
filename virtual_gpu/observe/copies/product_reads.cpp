#include "virtual_gpu/observe/copies/product_reads.h"

#include <algorithm>

namespace ridge::observe {
namespace {

using machine::Product;
using machine::ProductOperand;

// Start, leading and stride offsets, base offset and swizzle of a descriptor. The other bits are
// unused.
constexpr uint64_t kDescriptorBits = 0xc00e'3fff'3fff'3fffull;

uint64_t key_of(const ProductOperand& operand, uint32_t warpgroup) {
  return (operand.descriptor & kDescriptorBits) | uint64_t{warpgroup} << 46 | uint64_t{operand.cores} << 52 |
         uint64_t{operand.mn_major} << 58;
}

size_t place_of(uint64_t key, size_t places) {
  return (key * 0x9e3779b97f4a7c15ull) >> 40 & (places - 1);
}

bool touches(const ProductRead& read, uint64_t begin, uint64_t end, uint64_t& at) {
  if (read.extent.begin >= end || read.extent.end <= begin) return false;
  const auto byte = read.operand.byte_in(begin, end);
  at = byte.value_or(0);
  return byte.has_value();
}

// True when a wait for the read precedes what `warp` does now.
bool is_over(const ProductRead& read, uint32_t warp, const BlockClock& clock) {
  for (uint32_t i = 0; i < ProductReads::kGroupWarps && !read.is_under_way(); ++i) {
    const uint32_t other = read.warpgroup * ProductReads::kGroupWarps + i;
    if (read.waits[i] == 0) continue;
    if (other == warp || read.waits[i] < clock.seen(warp, other) || read.waits[i] >= BlockClock::kLastStamp)
      return true;
  }
  return false;
}

}  // namespace

void ProductReads::clear() {
  if (reads_.empty()) return;
  reads_.clear();
  listed_.clear();
  std::fill(places_.begin(), places_.end(), 0);
}

void ProductReads::enter(uint32_t index) {
  size_t place = place_of(reads_[index].key, places_.size());
  while (places_[place] != 0)
    place = (place + 1) % places_.size();
  places_[place] = index + 1;
}

ProductRead& ProductReads::find(const ProductOperand& operand, uint32_t warpgroup) {
  if (reads_.size() * 2 >= places_.size()) {
    places_.assign(std::max<size_t>(256, places_.size() * 4), 0);
    for (uint32_t i = 0; i < reads_.size(); ++i)
      enter(i);
  }
  const uint64_t key = key_of(operand, warpgroup);
  size_t place = place_of(key, places_.size());
  while (places_[place] != 0 && reads_[places_[place] - 1].key != key)
    place = (place + 1) % places_.size();
  if (places_[place] == 0) {
    ProductRead& read = reads_.emplace_back();
    read.operand = operand;
    read.extent = operand.extent();
    read.key = key;
    read.warpgroup = warpgroup;
    places_[place] = static_cast<uint32_t>(reads_.size());
  }
  ProductRead& read = reads_[places_[place] - 1];
  if (!read.is_listed) listed_.push_back(places_[place] - 1);
  read.is_listed = true;
  return read;
}

void ProductReads::issued(const Product& product, uint32_t site) {
  for (const ProductOperand& operand : product.operands) {
    if (operand.cores == 0) continue;
    ProductRead& read = find(operand, product.warp / kGroupWarps);
    if (product.ordinal <= read.issued) continue;
    read.issued = product.ordinal;
    read.site = site;
  }
}

void ProductReads::made(const Product& product, uint32_t stamp) {
  for (const ProductOperand& operand : product.operands) {
    if (operand.cores == 0) continue;
    ProductRead& read = find(operand, product.warp / kGroupWarps);
    if (product.ordinal < read.made) continue;
    if (product.ordinal > read.made) read.waits = {};
    read.made = product.ordinal;
    read.waits[product.warp % kGroupWarps] = stamp;
  }
}

const ProductRead* ProductReads::read_before(uint64_t begin, uint64_t end, uint32_t warp,
                                             const BlockClock& clock, uint64_t& at) {
  const uint32_t all_safe = clock.all_safe();
  for (size_t i = 0; i < listed_.size();) {
    ProductRead& read = reads_[listed_[i]];
    bool over_for_all = false;
    for (const uint32_t stamp : read.waits)
      over_for_all |= stamp != 0 && stamp < all_safe && !read.is_under_way();
    if (over_for_all) {
      read.is_listed = false;
      listed_[i] = listed_.back();
      listed_.pop_back();
      continue;
    }
    if (!is_over(read, warp, clock) && touches(read, begin, end, at)) return &read;
    ++i;
  }
  return nullptr;
}

const ProductRead* ProductReads::read_before(uint64_t begin, uint64_t end, uint32_t over,
                                             uint64_t& at) const {
  for (const uint32_t listed : listed_) {
    const ProductRead& read = reads_[listed];
    bool is_over = false;
    for (const uint32_t stamp : read.waits)
      is_over |= stamp != 0 && stamp <= over && !read.is_under_way();
    if (!is_over && touches(read, begin, end, at)) return &read;
  }
  return nullptr;
}

}  // namespace ridge::observe

// The checksum of a trace file: FNV-1a over words in four lanes, the rest by bytes.
#include <algorithm>
#include <cstring>

#include "trace/trace_sections.h"

namespace ridge::trace {
namespace {

constexpr uint64_t kFnvStart = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;
// One multiplication must spread a 64-bit word over all bits of its lane; the small prime does not.
constexpr uint64_t kWordPrime = 0x9e3779b185ebca87;

uint64_t checksum_bytewise(uint64_t sum, std::span<const uint8_t> bytes) {
  for (const uint8_t byte : bytes)
    sum = (sum ^ byte) * kFnvPrime;
  return sum;
}

}  // namespace

void TraceChecksum::take_stripe(const uint8_t* from) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    uint64_t word = 0;
    // Little-endian on every host; compilers make one load of this loop.
    for (size_t k = 0; k < 8; ++k)
      word |= static_cast<uint64_t>(from[8 * lane + k]) << (8 * k);
    const uint64_t mixed = (lanes_[lane] ^ word) * kWordPrime;
    lanes_[lane] = mixed ^ mixed >> 29;
  }
}

void TraceChecksum::add(std::span<const uint8_t> bytes) {
  if (waiting_bytes_ > 0) {
    const size_t taken = std::min(bytes.size(), kStripe - waiting_bytes_);
    std::copy_n(bytes.begin(), taken, waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_bytes_));
    waiting_bytes_ += taken;
    bytes = bytes.subspan(taken);
    if (waiting_bytes_ < kStripe) return;
    take_stripe(waiting_.data());
    waiting_bytes_ = 0;
  }
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe))
    take_stripe(bytes.data());
  std::copy(bytes.begin(), bytes.end(), waiting_.begin());
  waiting_bytes_ = bytes.size();
}

uint64_t TraceChecksum::value() const {
  uint64_t sum = kFnvStart;
  for (const uint64_t lane : lanes_) {
    sum = (sum ^ lane) * kWordPrime;
    sum ^= sum >> 32;
  }
  return checksum_bytewise(sum, std::span(waiting_).first(waiting_bytes_));
}

uint64_t checksum_of_version_1(std::span<const uint8_t> bytes) {
  return checksum_bytewise(kFnvStart, bytes);
}

uint64_t trace_checksum(const uint8_t* data, size_t size) {
  TraceChecksum sum;
  sum.add({data, size});
  return sum.value();
}

}  // namespace ridge::trace
